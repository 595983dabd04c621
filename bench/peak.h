// The peak of multiply-adds on the threads that others run on, to be timed in turn with them.
#pragma once

#include <benchmark/benchmark.h>

#include "bench/multiply_add.h"
#include "tessera/runtime.h"

namespace tessera::bench {

class MultiplyAdds {
 public:
  explicit MultiplyAdds(int threads) : threads_(threads) {}

  /// Some 10 us for each thread, in pieces of which a thread that comes late takes fewer.
  void run() {
    tessera_parallel_for(
        int64_t{kPieces} * threads_, threads_,
        [](void*, int64_t begin, int64_t end) {
          float out[16];
          for (; begin < end; ++begin) multiplyAdd(out, kSteps);
          benchmark::DoNotOptimize(out);
        },
        nullptr);
  }
  /// Of a run.
  double flops() const {
    float out[16];
    return static_cast<double>(multiplyAdd(out, kSteps)) * kPieces * threads_;
  }

 private:
  static constexpr int kPieces = 8, kSteps = 512;

  int threads_;
};

}  // namespace tessera::bench
