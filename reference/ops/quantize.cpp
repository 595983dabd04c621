// quantize_linear, dequantize_linear and dynamic_quantize_linear for 8- and 16-bit integers.
#include <cmath>
#include <limits>

#include "reference/loops/dispatch.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// How scale and zero point spread over x: per tensor, per slice along an axis, or per block of an
/// axis.
struct Granularity {
  int64_t dim = 1;        ///< Size of the axis.
  int64_t inner = 1;      ///< Elements behind the axis.
  int64_t blockSize = 1;  ///< Slices that share a scale.
  int64_t scalesPerAxis = 1;
  bool perTensor = true;
  bool sharedByOuter = true;  ///< Per axis: all leading dimensions use the same scales.

  /// Which scale the element at row-major offset i uses.
  int64_t scaleIndex(int64_t i) const {
    if (perTensor) return 0;
    const int64_t position = i / inner % dim / blockSize;
    if (sharedByOuter) return position;
    return (i / (inner * dim) * scalesPerAxis + position) * inner + i % inner;
  }
};

static Result<Granularity> parseGranularity(const OpCall& call, const TensorView& x,
                                            const TensorView& scale) {
  Granularity result;
  TESSERA_TRY(const int64_t blockSize, attributeOr<int64_t>(call, "block_size", 0));
  if (blockSize == 0 && (scale.rank() == 0 || (scale.rank() == 1 && scale.shape[0] == 1)))
    return result;
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 1));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  result.perTensor = false;
  result.dim = x.shape[axis];
  result.inner = countBetween(x.shape, axis + 1, x.rank());
  result.scalesPerAxis = result.dim;
  Shape expected = {result.dim};
  if (blockSize != 0) {
    if (blockSize < 0)
      return opError(call, "attribute 'block_size' is " + std::to_string(blockSize));
    expected = toShape(x.shape);
    expected[axis] = result.dim / blockSize + (result.dim % blockSize != 0 ? 1 : 0);
    result.blockSize = blockSize;
    result.scalesPerAxis = expected[axis];
    result.sharedByOuter = false;
  }
  if (!sameShape(scale.shape, expected)) {
    return opError(call,
                   "scale has shape " + toText(scale.shape) + ", expected " + toText(expected));
  }
  return result;
}

/// Input 2, checked against the scale's shape; absent means zeros.
static Status checkZeroPoint(const OpCall& call, ElementType type, const TensorView& scale) {
  if (!hasInput(call, 2)) return {};
  TESSERA_TRY(const TensorView zeroPoint, typedInput(call, 2, type));
  if (zeroPoint.count() != scale.count()) {
    return opError(call, "zero point of shape " + toText(zeroPoint.shape) +
                             " does not fit scale of shape " + toText(scale.shape));
  }
  return {};
}

template <typename Q>
static Q saturate(double value) {
  if (std::isnan(value)) return Q{0};
  using Limits = std::numeric_limits<Q>;
  return static_cast<Q>(
      std::clamp(value, static_cast<double>(Limits::min()), static_cast<double>(Limits::max())));
}

using QuantizedTypes = TypeList<int8_t, uint8_t, int16_t, uint16_t>;

/// y = saturate(round(x / scale) + zero point), halves to even. The quotient is rounded to f32
/// first, as the specification computes it, for f32 inputs.
OpResult quantizeLinear(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView scale, requiredInput(call, 1));
  TESSERA_TRY(const std::vector<double> scales, realInput(call, 1));
  TESSERA_TRY(const Granularity granularity, parseGranularity(call, x, scale));
  const bool typed = hasInput(call, 2);
  TESSERA_TRY(const ElementType type,
              elementTypeOr(call, "output_dtype", typed ? call.inputs[2].type : ElementType::kU8));
  TESSERA_TRY_VOID(checkZeroPoint(call, type, scale));
  TESSERA_TRY(Tensor y, makeTensor(call, type, toShape(x.shape)));
  return dispatch(call, type, QuantizedTypes{}, [&]<typename Q>() -> OpResult {
    return dispatch(
        call, x.type, TypeList<float, double, int32_t>{}, [&]<typename T>() -> OpResult {
          for (int64_t i = 0; i < y.count(); ++i) {
            const int64_t s = granularity.scaleIndex(i);
            auto quotient = static_cast<double>(x.as<T>()[i]) / scales[s];
            if constexpr (!std::is_same_v<T, double>) quotient = static_cast<float>(quotient);
            const double zero = typed ? static_cast<double>(call.inputs[2].as<Q>()[s]) : 0.0;
            y.as<Q>()[i] = saturate<Q>(std::nearbyint(quotient) + zero);
          }
          return outputs(std::move(y));
        });
  });
}

/// y = (x - zero point) * scale, with the scale's element type or `output_dtype`.
OpResult dequantizeLinear(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView scale, requiredInput(call, 1));
  TESSERA_TRY(const std::vector<double> scales, realInput(call, 1));
  TESSERA_TRY(const Granularity granularity, parseGranularity(call, x, scale));
  TESSERA_TRY_VOID(checkZeroPoint(call, x.type, scale));
  TESSERA_TRY(const ElementType type, elementTypeOr(call, "output_dtype", scale.type));
  TESSERA_TRY(Tensor y, makeTensor(call, type, toShape(x.shape)));
  return dispatch(call, type, FloatTypes{}, [&]<typename T>() -> OpResult {
    return dispatch(
        call, x.type, TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t>{},
        [&]<typename Q>() -> OpResult {
          for (int64_t i = 0; i < y.count(); ++i) {
            const int64_t s = granularity.scaleIndex(i);
            const double zero =
                hasInput(call, 2) ? static_cast<double>(call.inputs[2].as<Q>()[s]) : 0.0;
            y.as<T>()[i] = static_cast<T>((static_cast<double>(x.as<Q>()[i]) - zero) * scales[s]);
          }
          return outputs(std::move(y));
        });
  });
}

/// u8 with a range that covers x and 0. All in f32, as the specification's function body is.
OpResult dynamicQuantizeLinear(const OpCall& call) {
  TESSERA_TRY(const TensorView x, typedInput(call, 0, ElementType::kF32));
  float low = 0, high = 0;
  for (const float v : x.as<float>()) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  // All zeros: the formula's scale is 0, by which nothing can be divided.
  const float scale = high == low ? 1.0F : (high - low) / 255.0F;
  const float zero = scale == 0 ? 0.0F : std::clamp(std::nearbyint(-low / scale), 0.0F, 255.0F);
  TESSERA_TRY(Tensor y, makeTensor(call, ElementType::kU8, toShape(x.shape)));
  TESSERA_TRY(Tensor scaleTensor, makeTensor(call, ElementType::kF32, {}));
  TESSERA_TRY(Tensor zeroTensor, makeTensor(call, ElementType::kU8, {}));
  std::ranges::transform(x.as<float>(), y.as<uint8_t>().begin(), [=](float v) {
    return saturate<uint8_t>((scale == 0 ? 0.0F : std::nearbyint(v / scale)) + zero);
  });
  scaleTensor.as<float>()[0] = scale;
  zeroTensor.as<uint8_t>()[0] = saturate<uint8_t>(zero);
  return outputs(std::move(y), std::move(scaleTensor), std::move(zeroTensor));
}

}  // namespace tessera::reference::ops
