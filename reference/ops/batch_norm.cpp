// batch_norm: y = (x - mean) / sqrt(variance + epsilon) * scale + bias, all per channel.
#include <cmath>

#include "reference/loops/dispatch.h"
#include "reference/loops/norm.h"
#include "reference/loops/reduction.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// Mean and variance of each channel over batch and positions.
template <typename T>
static std::vector<Moments> channelMoments(const TensorView& x, int64_t channels) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != 1) others.push_back(d);
  }
  const Reduction plan = planReduction(x.shape, others, true);
  const auto count = static_cast<double>(plan.reduced.size());
  std::vector<Moments> moments;
  for (const int64_t base : plan.kept) {
    double sum = 0, squares = 0;
    for (const int64_t offset : plan.reduced) sum += x.as<T>()[base + offset];
    const double mean = sum / count;
    for (const int64_t offset : plan.reduced)
      squares += std::pow(x.as<T>()[base + offset] - mean, 2);
    moments.push_back({mean, squares / count});
  }
  moments.resize(static_cast<size_t>(channels));
  return moments;
}

/// A parameter like input `index`, holding `values`.
static OpResult parameter(const OpCall& call, size_t index, const std::vector<double>& values) {
  const ElementType type = call.inputs[index].type;
  TESSERA_TRY(Tensor tensor, makeTensor(call, type, {static_cast<int64_t>(values.size())}));
  return dispatch(call, type, FloatTypes{}, [&]<typename T>() -> OpResult {
    std::ranges::transform(values, tensor.as<T>().begin(),
                           [](double v) { return static_cast<T>(v); });
    return outputs(std::move(tensor));
  });
}

/// In training mode the batch's own moments normalise, and outputs 1 and 2 are the running ones:
/// momentum * old + (1 - momentum) * batch.
OpResult batchNorm(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const double epsilon, attributeOr<double>(call, "epsilon", 1e-5));
  TESSERA_TRY(const double momentum, attributeOr<double>(call, "momentum", 0.9));
  TESSERA_TRY(const bool training, flagOr(call, "training_mode", false));
  const int64_t batch = x.rank() > 0 ? x.shape[0] : 1, channels = x.rank() > 1 ? x.shape[1] : 1;
  TESSERA_TRY(const std::vector<double> scale, channelParameter(call, 1, channels));
  TESSERA_TRY(const std::vector<double> bias, channelParameter(call, 2, channels));
  TESSERA_TRY(std::vector<double> means, channelParameter(call, 3, channels));
  TESSERA_TRY(std::vector<double> variances, channelParameter(call, 4, channels));
  const int64_t positions = x.rank() > 2 ? countBetween(x.shape, 2, x.rank()) : 1;
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(x.shape)));
  TESSERA_TRY(OpResult::value_type results,
              dispatch(call, x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
                std::vector<Moments> used;
                if (training) used = channelMoments<T>(x, channels);
                for (int64_t c = 0; c < channels && !training; ++c)
                  used.push_back({means[c], variances[c]});
                const T* in = x.as<T>().data();
                T* out = y.as<T>().data();
                for (int64_t plane = 0; plane < batch * channels; ++plane) {
                  const int64_t c = plane % channels;
                  const double factor = scale[c] / std::sqrt(used[c].variance + epsilon);
                  for (int64_t i = 0; i < positions; ++i)
                    *out++ = static_cast<T>((*in++ - used[c].mean) * factor + bias[c]);
                }
                for (int64_t c = 0; c < channels && training; ++c) {
                  means[c] = momentum * means[c] + (1 - momentum) * used[c].mean;
                  variances[c] = momentum * variances[c] + (1 - momentum) * used[c].variance;
                }
                return outputs(std::move(y));
              }));
  if (!training) return results;
  TESSERA_TRY(OpResult::value_type runningMean, parameter(call, 3, means));
  TESSERA_TRY(OpResult::value_type runningVariance, parameter(call, 4, variances));
  return outputs(std::move(results[0]), std::move(runningMean[0]), std::move(runningVariance[0]));
}

}  // namespace tessera::reference::ops
