// Normalisations; everything between reading and storing is double.
#include "reference/loops/norm.h"

#include <cmath>
#include <numeric>

#include "reference/loops/dispatch.h"
#include "reference/loops/reduction.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference {

Result<std::vector<double>> channelParameter(const OpCall& call, size_t index, int64_t channels) {
  TESSERA_TRY(std::vector<double> values, realInput(call, index));
  if (static_cast<int64_t>(values.size()) != channels) {
    return opError(
        call, "input " + std::to_string(index) + " has " + std::to_string(values.size()) +
                  " elements, expected one for each of " + std::to_string(channels) + " channels");
  }
  return values;
}

Result<Channels> parseChannels(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  if (x.rank() < 2)
    return opError(call, "input has shape " + toText(x.shape) + ", expected rank 2 or more");
  return Channels{.view = x,
                  .batch = x.shape[0],
                  .channels = x.shape[1],
                  .positions = countBetween(x.shape, 2, x.rank())};
}

namespace ops {

/// Mean and variance of consecutive elements.
template <typename T>
static Moments moments(const T* in, int64_t count) {
  const auto size = static_cast<double>(count);
  const double mean = std::accumulate(in, in + count, 0.0) / size;
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) squares += (in[i] - mean) * (in[i] - mean);
  return {.mean = mean, .variance = squares / size};
}

/// Normalises each of `groups` runs of `channels / groups` channels per image; scale and bias are
/// per channel.
static OpResult normalizeGroups(const OpCall& call, const Channels& x, int64_t groups) {
  TESSERA_TRY(const double epsilon, attributeOr<double>(call, "epsilon", 1e-5));
  TESSERA_TRY(const std::vector<double> scale, channelParameter(call, 1, x.channels));
  TESSERA_TRY(const std::vector<double> bias, channelParameter(call, 2, x.channels));
  TESSERA_TRY(Tensor y, makeTensor(call, x.view.type, toShape(x.view.shape)));
  const int64_t perGroup = x.channels / groups;
  return dispatch(call, x.view.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    const T* in = x.view.as<T>().data();
    T* out = y.as<T>().data();
    for (int64_t n = 0; n < x.batch * groups; ++n) {
      const Moments m = moments(in, perGroup * x.positions);
      for (int64_t c = n % groups * perGroup; c < (n % groups + 1) * perGroup; ++c) {
        const double factor = scale[c] / std::sqrt(m.variance + epsilon);
        for (int64_t i = 0; i < x.positions; ++i)
          *out++ = static_cast<T>((*in++ - m.mean) * factor + bias[c]);
      }
    }
    return outputs(std::move(y));
  });
}

OpResult instanceNorm(const OpCall& call) {
  TESSERA_TRY(const Channels x, parseChannels(call));
  return normalizeGroups(call, x, std::max<int64_t>(x.channels, 1));
}

OpResult groupNorm(const OpCall& call) {
  TESSERA_TRY(const Channels x, parseChannels(call));
  TESSERA_TRY(const int64_t groups, attributeOr<int64_t>(call, "num_groups", 0));
  if (groups <= 0 || x.channels % groups != 0) {
    return opError(call, std::to_string(x.channels) + " channels do not split into " +
                             std::to_string(groups) + " groups");
  }
  return normalizeGroups(call, x, groups);
}

template <typename T>
static double meanSquare(const T* in, int64_t length) {
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) sum += static_cast<double>(in[i]) * in[i];
  return sum / static_cast<double>(length);
}

/// A parameter of layer_norm or rms_norm, broadcast to the normalised dimensions; empty when
/// absent.
static Result<std::vector<double>> lineParameter(const OpCall& call, size_t index,
                                                 std::span<const int64_t> shape) {
  if (!hasInput(call, index)) return std::vector<double>{};
  TESSERA_TRY(const std::vector<double> values, realInput(call, index));
  const std::array<Shape, 2> shapes = {toShape(call.inputs[index].shape), toShape(shape)};
  TESSERA_TRY(const Shape broadcast, broadcastShapes(call, shapes));
  if (!sameShape(broadcast, shape)) {
    return opError(call, "input " + std::to_string(index) + " of shape " + toText(shapes[0]) +
                             " does not broadcast to " + toText(shape));
  }
  std::vector<double> line(static_cast<size_t>(elementCount(shape)));
  copyStrided(shape, values.data(), broadcastStrides(shapes[0], shape), line.data());
  return line;
}

/// layer_norm, and rms_norm when not `centered`: the mean then counts as 0. Outputs 1 and 2 are the
/// means and the inverse standard deviations, in the type of `stash_type`.
static OpResult normalizeLines(const OpCall& call, bool centered) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", -1));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  TESSERA_TRY(const double epsilon, attributeOr<double>(call, "epsilon", 1e-5));
  TESSERA_TRY(const ElementType stashType, elementTypeOr(call, "stash_type", ElementType::kF32));
  TESSERA_TRY_VOID(requiredInput(call, 1));
  TESSERA_TRY(const std::vector<double> scale, lineParameter(call, 1, x.shape.subspan(axis)));
  TESSERA_TRY(const std::vector<double> bias, lineParameter(call, 2, x.shape.subspan(axis)));
  const int64_t lines = countBetween(x.shape, 0, axis),
                length = countBetween(x.shape, axis, x.rank());
  Shape statisticsShape = toShape(x.shape);
  std::fill(statisticsShape.begin() + axis, statisticsShape.end(), 1);
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(x.shape)));
  TESSERA_TRY(Tensor means, makeTensor(call, ElementType::kF64, statisticsShape));
  TESSERA_TRY(Tensor inverses, makeTensor(call, ElementType::kF64, statisticsShape));
  TESSERA_TRY(OpResult::value_type result,
              dispatch(call, x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
                for (int64_t line = 0; line < lines; ++line) {
                  const T* in = x.as<T>().data() + line * length;
                  T* out = y.as<T>().data() + line * length;
                  const Moments m =
                      centered ? moments(in, length) : Moments{0.0, meanSquare(in, length)};
                  const double inverse = 1.0 / std::sqrt(m.variance + epsilon);
                  for (int64_t i = 0; i < length; ++i) {
                    out[i] = static_cast<T>((in[i] - m.mean) * inverse * scale[i] +
                                            (bias.empty() ? 0.0 : bias[i]));
                  }
                  means.as<double>()[line] = m.mean;
                  inverses.as<double>()[line] = inverse;
                }
                return outputs(std::move(y));
              }));
  if (call.numOutputs <= 1 || !centered) return result;
  return dispatch(call, stashType, FloatTypes{}, [&]<typename U>() -> OpResult {
    for (const Tensor* wide : {&means, &inverses}) {
      TESSERA_TRY(Tensor narrow, makeTensor(call, stashType, statisticsShape));
      std::ranges::transform(wide->as<double>(), narrow.as<U>().begin(),
                             [](double v) { return static_cast<U>(v); });
      result.push_back(std::move(narrow));
    }
    return std::move(result);
  });
}

OpResult layerNorm(const OpCall& call) { return normalizeLines(call, true); }

OpResult rmsNorm(const OpCall& call) { return normalizeLines(call, false); }

}  // namespace ops
}  // namespace tessera::reference
