#include "base/aligned_memory.h"

#include <cstdint>

#include <sys/mman.h>

#include "base/alignment.h"

namespace tessera::base {

static constexpr size_t kHugePageBytes = size_t{2} << 20;

AlignedMemory allocateAligned(size_t sizeBytes) {
  if (sizeBytes > SIZE_MAX - kBufferAlignment) return nullptr;
  const size_t rounded = sizeBytes == 0 ? kBufferAlignment : alignUp(sizeBytes);
  const bool isHuge = rounded >= kHugePageBytes;
  void* data = nullptr;
  if (posix_memalign(&data, isHuge ? kHugePageBytes : kBufferAlignment, rounded) != 0) {
    return nullptr;
  }
  // A hint: whole pages only, as more than what was asked for would become resident.
#ifdef MADV_HUGEPAGE
  if (isHuge) (void)madvise(data, rounded / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
#endif
  return AlignedMemory(static_cast<std::byte*>(data));
}

}  // namespace tessera::base
