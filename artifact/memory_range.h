// Which memory a buffer takes, for checks that two uses do not meet. Internal to artifact/.
#pragma once

#include <cstdint>
#include <utility>

#include "artifact/bundle.h"

namespace tessera::artifact {

/// Bytes [begin, end) of one piece of memory: an arena, or the memory of one root buffer.
struct MemoryRange {
  std::pair<bool, uint32_t> piece;  ///< (true, memory space) or (false, root buffer).
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Of a buffer of a bundle whose buffers are valid; all of its root where a size is known at run
/// time only.
MemoryRange memoryRangeOf(const Bundle& bundle, uint32_t buffer);

bool overlap(const MemoryRange& a, const MemoryRange& b);

}  // namespace tessera::artifact
