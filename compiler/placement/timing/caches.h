// What the caches of this machine hold, and what a model leaves in them for a part of it.
#pragma once

#include <cstdint>

namespace tessera::placement {

/// Of all levels, the last; a guess where the system does not tell.
uint64_t lastLevelCacheBytes();

/// What the rest of a model does to a part's data from one run of the part to the next.
struct RestOfModel {
  uint64_t bytes = 0;  ///< Of data that it touches; 0: it leaves caches alone.
  /// It computes where the part does, so that these buffers are near when the part's turn comes.
  bool leavesBuffersNear = false;

  friend bool operator==(const RestOfModel&, const RestOfModel&) = default;
};

/// `bytes` that it touches, weights and buffers, of which a model has `bufferBytes` at once. To the
/// nearest power of two, and not much more than the last level holds: what is a little larger than
/// another is measured like it, and fetching more from memory changes nothing.
RestOfModel restOfModel(uint64_t bytes, uint64_t bufferBytes, uint32_t numThreads);
/// One that leaves nothing in any cache of so many cores.
RestOfModel sweepingAll(uint32_t numThreads);

}  // namespace tessera::placement
