// Where the values of a graph lie in the workspace of a call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::region_graph {

/// Scratch memory of one run, alive from step `first` to step `last`, both included.
struct Scratch {
  uint64_t sizeBytes = 0;
  int64_t first = 0, last = 0;
  uint64_t offset = 0;  ///< What placeScratch() decides; a multiple of TESSERA_BUFFER_ALIGNMENT.
};

/// Gives each an offset at which no other one overlaps it while both are alive; returns the size of
/// the workspace. Equal input gives equal offsets. O(n^2).
uint64_t placeScratch(std::span<Scratch> scratch);

}  // namespace tessera::region_graph
