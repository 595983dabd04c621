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

namespace tessera {
namespace {

/// Enough to hide the latency of four cycles on two units, and half as many again.
constexpr int kChains = 12;
constexpr int kSteps = 4096;

/// FLOPs of a call.
__attribute__((target("avx512f"))) int64_t multiplyAdd512(float* out) {
  __m512 sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.999f);
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm512_fmadd_ps(sums[i], factor, factor);
  }
  for (int i = 1; i < kChains; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  _mm512_storeu_ps(out, sums[0]);
  return int64_t{2} * 16 * kChains * kSteps;
}

__attribute__((target("avx2,fma"))) int64_t multiplyAdd256(float* out) {
  __m256 sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999f);
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm256_fmadd_ps(sums[i], factor, factor);
  }
  for (int i = 1; i < kChains; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  _mm256_storeu_ps(out, sums[0]);
  return int64_t{2} * 8 * kChains * kSteps;
}

void multiplyAdds(benchmark::State& state, int64_t (*multiplyAdd)(float*)) {
  float out[16];
  double flops = 0;
  for (auto _ : state) {
    flops += static_cast<double>(multiplyAdd(out));
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
}  // namespace tessera

int main(int argc, char** argv) {
  tessera::addBenchmarks();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
