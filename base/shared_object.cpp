#include "base/shared_object.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdio>
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

/// Notes follow each other: sizes of name and contents, kind, name, contents, both padded to four.
static std::string buildIdIn(std::span<const std::byte> notes) {
  const auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  Elf64_Nhdr note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const uint64_t nameBytes = padded(note.n_namesz), idBytes = padded(note.n_descsz);
    if (nameBytes + idBytes > notes.size()) return "";
    const bool isGnu = note.n_namesz == sizeof ELF_NOTE_GNU &&
                       std::memcmp(notes.data(), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (isGnu && note.n_type == NT_GNU_BUILD_ID) {
      std::string text;
      std::array<char, 3> digits;
      for (const std::byte byte : notes.subspan(nameBytes, note.n_descsz)) {
        std::snprintf(digits.data(), digits.size(), "%02x", std::to_integer<unsigned>(byte));
        text += digits.data();
      }
      return text;
    }
    notes = notes.subspan(nameBytes + idBytes);
  }
  return "";
}

namespace {

struct BuildIdSearch {
  uintptr_t address;
  std::string id = {};
};

}  // namespace

/// Looks at one loaded file; 1 ends the search.
static int findBuildId(dl_phdr_info* file, size_t /*size*/, void* data) {
  auto& search = *static_cast<BuildIdSearch*>(data);
  const std::span segments(file->dlpi_phdr, file->dlpi_phnum);
  const bool holdsIt = std::ranges::any_of(segments, [&](const auto& segment) {
    return segment.p_type == PT_LOAD &&
           search.address - (file->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  });
  if (!holdsIt) return 0;
  for (const auto& segment : segments) {
    if (segment.p_type != PT_NOTE || !search.id.empty()) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers.
    const auto* notes = reinterpret_cast<const std::byte*>(file->dlpi_addr + segment.p_vaddr);
    search.id = buildIdIn({notes, segment.p_memsz});
  }
  return 1;
}

std::string buildIdOf(const void* address) {
  BuildIdSearch search{.address = reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(findBuildId, &search);
  return search.id;
}

}  // namespace tessera::base
