#include "region_graph/placement.h"

#include "base/greedy_placement.h"
#include "tessera/backend_runtime.h"

namespace tessera::region_graph {

uint64_t placeScratch(std::span<Scratch> scratch) {
  std::vector<base::PlacedBuffer> buffers;
  buffers.reserve(scratch.size());
  for (const Scratch& one : scratch) {
    const uint64_t units =
        (one.sizeBytes + TESSERA_BUFFER_ALIGNMENT - 1) / TESSERA_BUFFER_ALIGNMENT;
    buffers.push_back({.sizeBytes = static_cast<int64_t>(units * TESSERA_BUFFER_ALIGNMENT),
                       .first = one.first,
                       .last = one.last});
  }
  const int64_t size = base::placeBuffers(buffers);
  for (size_t i = 0; i < scratch.size(); ++i)
    scratch[i].offset = static_cast<uint64_t>(buffers[i].offset);
  return static_cast<uint64_t>(size);
}

}  // namespace tessera::region_graph
