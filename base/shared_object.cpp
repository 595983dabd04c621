#include "base/shared_object.h"

#include <elf.h>

#include <cstring>
#include <span>

#include "base/mapped_file.h"

namespace tessera::base {

bool isCutShort(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file || file->bytes().size() < sizeof(Elf64_Ehdr)) return false;
  const std::span<const std::byte> bytes = file->bytes();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    if (at > bytes.size() || bytes.size() - at < sizeof(Elf64_Phdr)) return true;
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset)
      return true;
  }
  return false;
}

}  // namespace tessera::base
