#include "compiler/lowering/resample/repeated_axis.h"

namespace tessera::lowering {

using llvm::ArrayRef;

static ArrayRef<float> weightsOf(const ResampledAxis& axis, int64_t at) {
  if (axis.weights.empty()) return {};
  return ArrayRef(axis.weights).slice(at * axis.numTaps, axis.numTaps);
}

static bool isLike(const ResampledAxis& axis, int64_t at, int64_t first, ArrayRef<float> weights) {
  for (int64_t tap = 0; tap < axis.numTaps; ++tap) {
    const int64_t place = std::clamp<int64_t>(first + tap, 0, axis.input - 1);
    if (axis.positions[at * axis.numTaps + tap] != place) return false;
  }
  return weightsOf(axis, at) == weights;
}

std::optional<RepeatedAxis> repeatedAxis(const ResampledAxis& axis) {
  if (axis.output % axis.input != 0) return std::nullopt;
  const int64_t factor = axis.output / axis.input, middle = axis.input / 2;
  RepeatedAxis repeated;
  for (int64_t number = 0; number < factor; ++number) {
    // In the middle taps are not moved inside.
    const int64_t at = middle * factor + number;
    const RepeatedAxis::Phase phase = {.first = axis.positions[at * axis.numTaps] - middle,
                                       .weights = weightsOf(axis, at)};
    for (int64_t j = 0; j < axis.input; ++j) {
      if (!isLike(axis, j * factor + number, j + phase.first, phase.weights)) return std::nullopt;
    }
    repeated.phases.push_back(phase);
    repeated.before = std::max(repeated.before, -phase.first);
    repeated.behind = std::max(repeated.behind, phase.first + axis.numTaps - 1);
  }
  return repeated;
}

}  // namespace tessera::lowering
