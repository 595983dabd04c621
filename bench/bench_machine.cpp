// What a machine can do at most, on 1, 2, 4 .. threads and on all: fused multiply-adds of f32 in
// registers (GFLOP/s), and reading memory that is in no cache (GB/s). Limits of networks are made
// of these (bench/speed/speed.py).
#include <benchmark/benchmark.h>
#include <immintrin.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <thread>

#include "bench/multiply_add.h"

namespace tessera::bench {
namespace {

constexpr int kSteps = 4096;

void multiplyAdds(benchmark::State& state, int64_t (*multiplyAdd)(float*, int)) {
  float out[16];
  double flops = 0;
  for (auto _ : state) {
    flops += static_cast<double>(multiplyAdd(out, kSteps));
    benchmark::DoNotOptimize(out);
  }
  state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsRate);
}

/// Each thread reads a range of its own, four times what a last-level cache of a core complex has.
/// Large pages where there are any: of small ones a quarter less is read, artifacts are mapped in
/// larger ones.
__attribute__((target("avx2"))) void readMemory(benchmark::State& state) {
  constexpr size_t kBytes = size_t{128} << 20;
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  constexpr size_t kPageBytes = size_t{2} << 20;
  const std::unique_ptr<float, Free> memory(
      static_cast<float*>(std::aligned_alloc(kPageBytes, kBytes)));
  madvise(memory.get(), kBytes, MADV_HUGEPAGE);
  const std::span<float> data(memory.get(), kBytes / sizeof(float));
  std::ranges::fill(data, 1.0f);
  double bytes = 0;
  for (auto _ : state) {
    __m256 sums[8] = {};
    for (size_t i = 0; i < data.size(); i += 64) {
#pragma GCC unroll 8
      for (int j = 0; j < 8; ++j)
        sums[j] = _mm256_add_ps(sums[j], _mm256_loadu_ps(data.data() + i + 8 * j));
    }
    for (auto& sum : sums) benchmark::DoNotOptimize(sum);
    bytes += kBytes;
  }
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsRate);
}

void addBenchmarks() {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  const auto onThreads = [&](benchmark::internal::Benchmark* it) {
    it->UseRealTime();
    for (int threads = 1; threads < cores; threads *= 2) it->Threads(threads);
    it->Threads(cores);
  };
  if (__builtin_cpu_supports("avx512f"))
    onThreads(benchmark::RegisterBenchmark("multiply_add/avx512", multiplyAdds, multiplyAdd512));
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  onThreads(benchmark::RegisterBenchmark("multiply_add/avx2", multiplyAdds, multiplyAdd256));
  onThreads(benchmark::RegisterBenchmark("read", readMemory));
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::bench::addBenchmarks();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
