// Fused multiply-adds of f32 in registers: the most that a core computes.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tessera::bench {

/// Enough to hide the latency of four cycles on two units, and half as many again.
inline constexpr int kMultiplyAddChains = 12;

/// FLOPs of a call.
__attribute__((target("avx512f"))) inline int64_t multiplyAdd512(float* out, int steps) {
  __m512 sums[kMultiplyAddChains];
  for (int i = 0; i < kMultiplyAddChains; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.999f);
  for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < kMultiplyAddChains; ++i) sums[i] = _mm512_fmadd_ps(sums[i], factor, factor);
  }
  for (int i = 1; i < kMultiplyAddChains; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  _mm512_storeu_ps(out, sums[0]);
  return int64_t{2} * 16 * kMultiplyAddChains * steps;
}

__attribute__((target("avx2,fma"))) inline int64_t multiplyAdd256(float* out, int steps) {
  __m256 sums[kMultiplyAddChains];
  for (int i = 0; i < kMultiplyAddChains; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999f);
  for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < kMultiplyAddChains; ++i) sums[i] = _mm256_fmadd_ps(sums[i], factor, factor);
  }
  for (int i = 1; i < kMultiplyAddChains; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  _mm256_storeu_ps(out, sums[0]);
  return int64_t{2} * 8 * kMultiplyAddChains * steps;
}

/// With the widest vectors of this CPU, which has AVX2; `out` has room for 16.
inline int64_t multiplyAdd(float* out, int steps) {
  return __builtin_cpu_supports("avx512f") != 0 ? multiplyAdd512(out, steps)
                                                : multiplyAdd256(out, steps);
}

}  // namespace tessera::bench
