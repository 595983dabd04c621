// softmax, log_softmax and hardmax along one axis; floats are computed in double.
#include <cmath>

#include "reference/loops/dispatch.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// Reads each line along the axis into doubles, lets `transform` rewrite it in place, and stores
/// it.
template <typename Transform>
static OpResult mapLines(const OpCall& call, Transform transform) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", -1));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  const int64_t outer = countBetween(x.shape, 0, axis);
  const int64_t length = x.shape[axis];
  const int64_t inner = countBetween(x.shape, axis + 1, x.rank());
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(x.shape)));
  if (y.count() == 0) return outputs(std::move(y));
  return dispatch(call, x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    std::vector<double> line(static_cast<size_t>(length));
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        const T* in = x.as<T>().data() + o * length * inner + i;
        T* out = y.as<T>().data() + o * length * inner + i;
        for (int64_t k = 0; k < length; ++k) line[k] = static_cast<double>(in[k * inner]);
        transform(std::span<double>(line));
        for (int64_t k = 0; k < length; ++k) out[k * inner] = static_cast<T>(line[k]);
      }
    }
    return outputs(std::move(y));
  });
}

OpResult softmax(const OpCall& call) {
  return mapLines(call, [](std::span<double> line) {
    const double max = *std::ranges::max_element(line);
    double sum = 0;
    for (double& v : line) sum += v = std::exp(v - max);
    for (double& v : line) v /= sum;
  });
}

OpResult logSoftmax(const OpCall& call) {
  return mapLines(call, [](std::span<double> line) {
    const double max = *std::ranges::max_element(line);
    double sum = 0;
    for (const double v : line) sum += std::exp(v - max);
    const double shift = max + std::log(sum);
    for (double& v : line) v -= shift;
  });
}

/// 1 at the first maximum, 0 elsewhere; NaN is above all numbers.
OpResult hardmax(const OpCall& call) {
  return mapLines(call, [](std::span<double> line) {
    const auto isLess = [](double a, double b) {
      return a < b || (std::isnan(b) && !std::isnan(a));
    };
    const auto best = std::ranges::max_element(line, isLess) - line.begin();
    std::ranges::fill(line, 0.0);
    line[best] = 1.0;
  });
}

}  // namespace tessera::reference::ops
