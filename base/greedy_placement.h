// Places buffers with known lifetimes in one piece of memory.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::base {

/// A buffer that is alive from time `first` to time `last`, both included.
struct PlacedBuffer {
  int64_t sizeBytes = 0;  ///< A multiple of the alignment that offsets shall have.
  int64_t first = 0;
  int64_t last = 0;
  int64_t offset = 0;  ///< What placeBuffers() decides.
};

/// Gives each buffer the offset at which no other one overlaps it while both are alive; the result
/// is the size of the memory. Equal input gives equal offsets. O(n^2) for n buffers.
int64_t placeBuffers(std::span<PlacedBuffer> buffers);

/// Most bytes that are alive at one time: no placement can be smaller. O(n log n).
int64_t greatestLiveBytes(std::span<const PlacedBuffer> buffers);

}  // namespace tessera::base
