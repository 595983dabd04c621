#include "compiler/driver/measuring/surroundings.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/backend/parallel_for.h"

namespace tessera::driver {

static constexpr size_t kLine = 64;

/// Calls with the numbers of lines that a thread gets of so many.
template <typename Body>
static void forLines(size_t numLines, int32_t numThreads, const Body& body) {
  runtime::parallelFor(
      static_cast<int64_t>(numLines), numThreads,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<const Body*>(context))(static_cast<size_t>(begin), static_cast<size_t>(end));
      },
      const_cast<Body*>(&body));
}

void Surroundings::sweep(placement::Caches caches, int32_t numThreads) {
  if (caches == placement::Caches::kNone) return;
  // Caches do not always replace what is oldest: more than fits.
  const size_t ofCores = 2 * placement::cacheBytesOfCore() * static_cast<size_t>(numThreads);
  const size_t ofAll = placement::lastLevelCacheBytes() / 4 * 5;
  const size_t size = caches == placement::Caches::kOfCores ? ofCores : std::max(ofAll, ofCores);
  if (data_.size() < size) data_.assign(size, 1);
  std::atomic<size_t> sum = sum_;
  forLines(size / kLine, numThreads, [&](size_t begin, size_t end) {
    size_t own = 0;
    for (size_t line = begin; line < end; ++line) own += static_cast<size_t>(data_[line * kLine]);
    sum += own;
  });
  sum_ = sum;
}

void Surroundings::write(std::span<std::byte> to, std::span<const std::byte> from,
                         int32_t numThreads) {
  const size_t numLines = (from.size() + kLine - 1) / kLine;
  forLines(numLines, numThreads, [&](size_t begin, size_t end) {
    const size_t first = begin * kLine;
    std::memcpy(to.data() + first, from.data() + first, std::min(end * kLine, from.size()) - first);
  });
}

}  // namespace tessera::driver
