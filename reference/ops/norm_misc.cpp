// lrn, lp_norm and mean_variance_norm: normalisations without learnt parameters.
#include <cmath>

#include "reference/loops/dispatch.h"
#include "reference/loops/norm.h"
#include "reference/loops/reduction.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

struct LrnAttributes {
  double alpha;
  double beta;
  double bias;
  int64_t size;
};

static Result<LrnAttributes> parseLrn(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 1e-4));
  TESSERA_TRY(const double beta, attributeOr<double>(call, "beta", 0.75));
  TESSERA_TRY(const double bias, attributeOr<double>(call, "bias", 1.0));
  TESSERA_TRY(const int64_t size, attributeOr<int64_t>(call, "size", 0));
  if (size <= 0)
    return opError(call,
                   "attribute 'size' is " + std::to_string(size) + ", expected a positive number");
  return LrnAttributes{.alpha = alpha, .beta = beta, .bias = bias, .size = size};
}

/// y = x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ** beta.
OpResult lrn(const OpCall& call) {
  TESSERA_TRY(const Channels x, parseChannels(call));
  TESSERA_TRY(const LrnAttributes attributes, parseLrn(call));
  TESSERA_TRY(Tensor y, makeTensor(call, x.view.type, toShape(x.view.shape)));
  const int64_t before = (attributes.size - 1) / 2, after = attributes.size - 1 - before;
  return dispatch(call, x.view.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    std::vector<double> squares(static_cast<size_t>(x.positions));
    for (int64_t n = 0; n < x.batch; ++n) {
      const T* image = x.view.as<T>().data() + n * x.channels * x.positions;
      T* out = y.as<T>().data() + n * x.channels * x.positions;
      for (int64_t c = 0; c < x.channels; ++c) {
        std::ranges::fill(squares, 0.0);
        const int64_t first = std::max<int64_t>(c - before, 0);
        const int64_t last = after >= x.channels - c ? x.channels - 1 : c + after;
        for (int64_t neighbour = first; neighbour <= last; ++neighbour) {
          for (int64_t i = 0; i < x.positions; ++i) {
            const double v = image[neighbour * x.positions + i];
            squares[i] += v * v;
          }
        }
        for (int64_t i = 0; i < x.positions; ++i) {
          const double base = attributes.bias +
                              attributes.alpha / static_cast<double>(attributes.size) * squares[i];
          out[c * x.positions + i] =
              static_cast<T>(image[c * x.positions + i] / std::pow(base, attributes.beta));
        }
      }
    }
    return outputs(std::move(y));
  });
}

/// Rewrites each group of elements that `plan` combines: normalize(values) changes them in place.
template <typename Normalize>
static OpResult rewriteGroups(const OpCall& call, const TensorView& x, const Reduction& plan,
                              Normalize normalize) {
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(x.shape)));
  return dispatch(call, x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    const T* in = x.as<T>().data();
    T* out = y.as<T>().data();
    std::vector<double> values(plan.reduced.size());
    for (const int64_t base : plan.kept) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = in[base + plan.reduced[i]];
      normalize(values);
      for (size_t i = 0; i < values.size(); ++i)
        out[base + plan.reduced[i]] = static_cast<T>(values[i]);
    }
    return outputs(std::move(y));
  });
}

/// A line of zeros stays zeros.
OpResult lpNorm(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", -1));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  TESSERA_TRY(const int64_t p, attributeOr<int64_t>(call, "p", 2));
  if (p != 1 && p != 2)
    return opError(call, "attribute 'p' is " + std::to_string(p) + ", expected 1 or 2");
  return rewriteGroups(call, x, planReduction(x.shape, std::span(&axis, 1), true),
                       [=](std::vector<double>& values) {
                         double norm = 0;
                         for (const double v : values) norm += p == 1 ? std::fabs(v) : v * v;
                         if (p == 2) norm = std::sqrt(norm);
                         for (double& v : values) v = norm == 0 ? 0.0 : v / norm;
                       });
}

/// (x - mean) / sqrt(variance), with a tiny number against division by zero as the specification's
/// function has.
OpResult meanVarianceNorm(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(std::vector<int64_t> axes,
              attributeOr<std::vector<int64_t>>(call, "axes", {0, 2, 3}));
  TESSERA_TRY(axes, normalizeAxes(call, axes, x.rank()));
  return rewriteGroups(
      call, x, planReduction(x.shape, axes, true), [](std::vector<double>& values) {
        double sum = 0, squares = 0;
        for (const double v : values) sum += v;
        const double mean = sum / static_cast<double>(values.size());
        for (const double v : values) squares += (v - mean) * (v - mean);
        const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
        for (double& v : values) v = (v - mean) / (deviation + 1e-9);
      });
}

}  // namespace tessera::reference::ops
