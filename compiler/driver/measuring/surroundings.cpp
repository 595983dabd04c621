#include "compiler/driver/measuring/surroundings.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "tessera/runtime.h"

namespace tessera::driver {

static constexpr size_t kLine = 64;

/// Calls with numbers from 0 to `count`, each thread with a range of them.
template <typename Body>
static void forRanges(size_t count, int32_t numThreads, const Body& body) {
  tessera_parallel_for(
      static_cast<int64_t>(count), numThreads,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<const Body*>(context))(static_cast<size_t>(begin), static_cast<size_t>(end));
      },
      const_cast<Body*>(&body));
}

void Surroundings::sweep(uint64_t bytes, int32_t numThreads) {
  if (data_.size() < bytes) data_.assign(bytes, 1);
  std::atomic<size_t> sum = sum_;
  forRanges(bytes / kLine, numThreads, [&](size_t begin, size_t end) {
    size_t own = 0;
    for (size_t line = begin; line < end; ++line) own += static_cast<size_t>(data_[line * kLine]);
    sum += own;
  });
  sum_ = sum;
}

void Surroundings::write(std::span<std::byte> to, std::span<const std::byte> from,
                         int32_t numThreads) {
  constexpr size_t kPiece = 128 * kLine;
  const auto numTurns = static_cast<size_t>(numThreads);
  forRanges(numTurns, numThreads, [&](size_t begin, size_t end) {
    for (size_t turn = begin; turn < end; ++turn)
      for (size_t at = turn * kPiece; at < from.size(); at += kPiece * numTurns)
        std::memcpy(to.data() + at, from.data() + at, std::min(kPiece, from.size() - at));
  });
}

}  // namespace tessera::driver
