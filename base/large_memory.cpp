#include "base/large_memory.h"

#include <sys/mman.h>

namespace tessera::base {

static constexpr size_t kLargePage = size_t{2} << 20;

AlignedMemory allocateLarge(size_t sizeBytes) {
  const size_t pageBytes = sizeBytes / kLargePage * kLargePage;
  if (pageBytes == 0 || sizeBytes > SIZE_MAX - kLargePage) return allocateAligned(sizeBytes);
  const size_t rounded = alignUp(sizeBytes);
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(kLargePage, rounded)));
  // Not the rest behind the last whole page, which would take more memory than it holds.
  if (memory) (void)::madvise(memory.get(), pageBytes, MADV_HUGEPAGE);
  return memory;
}

}  // namespace tessera::base
