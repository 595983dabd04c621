// The operators of bench_passes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/passes/body.h"

namespace tessera::bench {

struct Family {
  std::string name;
  /// Of an image of `channels` x `size` x `size`, or of rows of as many elements.
  std::function<Body(int64_t channels, int64_t size)> make;
  /// Arithmetic for 64 bytes of the input or of the results, whichever are more (a vector of
  /// AVX-512, two of AVX2), where it may bound the pass: cycles of 16 fused multiply-adds, what
  /// Zen 3 and 4 do in one. From llvm-mca-19 of the kernel's loop, or counted.
  double cycles = 0;
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
