// The operators of bench_passes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/passes/body.h"

namespace tessera::bench {

/// Arithmetic for 64 bytes of the input or of the results, whichever are more, where it may bound
/// the pass: of two vectors of AVX2 on Zen 3, of one of AVX-512 on Zen 4, whose cycles are those of
/// 16 fused multiply-adds. From llvm-mca-19 of the kernel's loops, all passes over a line together,
/// where nothing else is said.
struct Cycles {
  double avx2 = 0, avx512 = 0;

  double here() const { return __builtin_cpu_supports("avx512f") != 0 ? avx512 : avx2; }
};

struct Family {
  std::string name;
  /// Of an image of `channels` x `size` x `size`, or of rows of as many elements.
  std::function<Body(int64_t channels, int64_t size)> make;
  Cycles cycles = {};
};

inline Body image(int64_t channels, int64_t size) { return Body({1, channels, size, size}); }
inline Body imageInBlocks(int64_t channels, int64_t size) {
  return Body({1, channels, size, size}, Layout::kBlocks);
}
inline Body rows(int64_t channels, int64_t size, int64_t width = 768) {
  return Body({channels * size * size / width, width});
}
/// With %a and %b, scale and shift.
inline Body affine(Body body, const Shape& shape) {
  return body.constant("%a", shape, "0.5").constant("%b", shape, "0.25");
}

/// Elementwise operators, norms and whatever else writes as many elements as it reads.
std::vector<Family> elementFamilies();
/// What leaves one or a few elements of each row, image or group of channels.
std::vector<Family> reductionFamilies();
/// Pools and resizes.
std::vector<Family> windowFamilies();
/// What moves elements.
std::vector<Family> movementFamilies();
/// What reads or writes channels in blocks of a vector.
std::vector<Family> blockFamilies();

}  // namespace tessera::bench
