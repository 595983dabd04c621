#include "base/aligned_memory.h"

#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>

#include "base/alignment.h"

namespace tessera::base {

static constexpr size_t kHugePageBytes = size_t{2} << 20;

AlignedMemory allocateAligned(size_t sizeBytes) {
  const size_t alignment = sizeBytes >= kHugePageBytes ? kHugePageBytes : kBufferAlignment;
  if (sizeBytes > SIZE_MAX - alignment) return nullptr;
  const size_t rounded = sizeBytes == 0 ? alignment : alignUp(sizeBytes, alignment);
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
#ifdef MADV_HUGEPAGE
  // A hint: whole pages only, as more than what was asked for would become resident.
  if (const size_t wholePages = sizeBytes / kHugePageBytes * kHugePageBytes;
      memory && wholePages > 0)
    (void)madvise(memory.get(), wholePages, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace tessera::base
