// Greedy by size: buffers are placed largest first, each at the lowest offset that is free during
// its whole life. Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference" (2020), section 5.
#include "base/greedy_placement.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::base {

static bool overlapInTime(const PlacedBuffer& a, const PlacedBuffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

int64_t placeBuffers(std::span<PlacedBuffer> buffers) {
  std::vector<PlacedBuffer*> order;
  order.reserve(buffers.size());
  for (PlacedBuffer& buffer : buffers) order.push_back(&buffer);
  std::ranges::stable_sort(order, std::ranges::greater{}, &PlacedBuffer::sizeBytes);
  std::vector<PlacedBuffer*> placed;  // By offset.
  int64_t total = 0;
  for (PlacedBuffer* buffer : order) {
    int64_t offset = 0;
    for (const PlacedBuffer* other : placed) {
      if (!overlapInTime(*buffer, *other)) continue;
      if (offset + buffer->sizeBytes <= other->offset) break;
      offset = std::max(offset, other->offset + other->sizeBytes);
    }
    buffer->offset = offset;
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &PlacedBuffer::offset), buffer);
    total = std::max(total, offset + buffer->sizeBytes);
  }
  return total;
}

int64_t greatestLiveBytes(std::span<const PlacedBuffer> buffers) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // (time, bytes more or less), times ascending.
  for (const PlacedBuffer& buffer : buffers) {
    changes.emplace_back(buffer.first, buffer.sizeBytes);
    changes.emplace_back(buffer.last + 1, -buffer.sizeBytes);
  }
  // At equal times what ends comes first: its bytes are negative.
  std::ranges::sort(changes);
  int64_t live = 0, greatest = 0;
  for (const auto& [time, bytes] : changes) {
    live += bytes;
    greatest = std::max(greatest, live);
  }
  return greatest;
}

}  // namespace tessera::base
