#include "artifact/memory_range.h"

#include "artifact/validate.h"

namespace tessera::artifact {

MemoryRange memoryRangeOf(const Bundle& bundle, uint32_t buffer) {
  const Root root = rootOf(bundle, buffer);
  const Buffer& owner = bundle.buffers[root.buffer];
  const bool isInArena = owner.storage == Storage::kArena;
  MemoryRange range{.piece = {isInArena, isInArena ? owner.memorySpace : root.buffer}};
  const int64_t size = bundle.buffers[buffer].sizeBytes;
  if (size == kDynamic || owner.sizeBytes == kDynamic) {
    range.end = UINT64_MAX;
  } else {
    range.begin = (isInArena ? owner.offset : 0) + root.offset;
    range.end = range.begin + static_cast<uint64_t>(size);
  }
  return range;
}

bool overlap(const MemoryRange& a, const MemoryRange& b) {
  return a.piece == b.piece && a.begin < b.end && b.begin < a.end;
}

}  // namespace tessera::artifact
