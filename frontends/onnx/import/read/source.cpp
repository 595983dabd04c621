#include "frontends/onnx/import/read/source.h"

#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "base/mapped_file.h"

namespace tessera::onnx {

Result<SourceBytes> mapFile(const std::string& path) {
  TESSERA_TRY(base::MappedFile mapped, base::MappedFile::open(path));
  auto file = std::make_shared<const base::MappedFile>(std::move(mapped));
  SourceBytes source;
  source.file = path;
  source.bytes = file->bytes();
  source.owner = std::move(file);
  source.isMapped = true;
  return source;
}

SourceBytes sourceFromMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  SourceBytes source;
  if (owner != nullptr) {
    source.bytes = bytes;
    source.owner = std::move(owner);
    return source;
  }
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  source.bytes = *copy;
  source.owner = std::move(copy);
  return source;
}

void releasePages(const SourceBytes& source, std::span<const std::byte> part) {
  if (!source.isMapped || part.empty()) return;
  const auto pageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t firstPage = (begin + pageBytes - 1) / pageBytes * pageBytes;
  const uintptr_t endPage = (begin + part.size()) / pageBytes * pageBytes;
  if (endPage > firstPage) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a page is found by arithmetic.
    madvise(reinterpret_cast<void*>(firstPage), endPage - firstPage, MADV_DONTNEED);
  }
}

}  // namespace tessera::onnx
