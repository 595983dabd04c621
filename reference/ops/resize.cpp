// Resize: each axis in turn is interpolated by its own filter, since all modes are separable.
#include <numeric>

#include "reference/loops/convert.h"
#include "reference/loops/resize_axis.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// Sizes from `sizes` under keep_aspect_ratio_policy: one common scale, the sizes rounded half up.
static Status keepAspectRatio(const OpCall& call, const std::string& policy,
                              std::vector<ResizeAxis>& axes, std::span<const int64_t> resized) {
  if (policy == "stretch" || resized.empty()) return {};
  if (policy != "not_larger" && policy != "not_smaller") {
    return opError(call,
                   "attribute 'keep_aspect_ratio_policy' has the unknown value '" + policy + "'");
  }
  float scale = axes[resized[0]].scale;
  for (const int64_t d : resized) {
    scale =
        policy == "not_larger" ? std::min(scale, axes[d].scale) : std::max(scale, axes[d].scale);
  }
  for (const int64_t d : resized) {
    axes[d].scale = scale;
    axes[d].extent = scale * static_cast<float>(axes[d].input);
    axes[d].output = convertTo<int64_t>(static_cast<double>(axes[d].extent) + 0.5);
  }
  return {};
}

/// Fills in the region of interest, input 1: all begins, then all ends.
static Status parseRoi(const OpCall& call, std::vector<ResizeAxis>& axes,
                       std::span<const int64_t> resized) {
  TESSERA_TRY(const std::vector<double> roi, realInput(call, 1));
  if (roi.size() != 2 * resized.size()) {
    return opError(call, "the region of interest has " + std::to_string(roi.size()) +
                             " values, expected " + std::to_string(2 * resized.size()));
  }
  for (size_t i = 0; i < resized.size(); ++i) {
    axes[resized[i]].roiBegin = static_cast<float>(roi[i]);
    axes[resized[i]].roiEnd = static_cast<float>(roi[resized.size() + i]);
  }
  return {};
}

/// Input and output size of every dimension of x, from `scales` (input 2) or `sizes` (input 3).
static Result<std::vector<ResizeAxis>> parseAxes(const OpCall& call, const TensorView& x,
                                                 CoordinateMode mode) {
  std::vector<ResizeAxis> axes;
  std::vector<int64_t> resized;
  for (int64_t d = 0; d < x.rank(); ++d) {
    axes.push_back({x.shape[d], x.shape[d], 1, static_cast<float>(x.shape[d]), 0, 1});
    resized.push_back(d);
  }
  TESSERA_TRY(resized, attributeOr<std::vector<int64_t>>(call, "axes", resized));
  TESSERA_TRY(resized, normalizeAxes(call, resized, x.rank()));
  TESSERA_TRY(const std::string policy,
              attributeOr<std::string>(call, "keep_aspect_ratio_policy", "stretch"));
  const bool hasScales = hasInput(call, 2) && call.inputs[2].count() > 0;
  if (hasScales && hasInput(call, 3) && call.inputs[3].count() > 0)
    return opError(call, "scales and sizes are both given");
  if (hasScales) {
    TESSERA_TRY(const std::vector<double> scales, realInput(call, 2));
    const bool valid =
        std::ranges::all_of(scales, [](double scale) { return scale > 0 && scale < 1e9; });
    if (scales.size() != resized.size() || !valid)
      return opError(call, "scales do not fit shape " + toText(x.shape));
    for (size_t i = 0; i < resized.size(); ++i) {
      ResizeAxis& axis = axes[resized[i]];
      axis.scale = static_cast<float>(scales[i]);
      axis.extent = axis.scale * static_cast<float>(axis.input);
      if (axis.scale != 1) axis.output = convertTo<int64_t>(axis.extent);
    }
  } else {
    TESSERA_TRY(const std::vector<int64_t> sizes, integerInput(call, 3));
    const auto fail = [&] {
      return opError(call, "sizes " + toText(sizes) + " do not fit shape " + toText(x.shape));
    };
    if (sizes.size() != resized.size()) return fail();
    for (size_t i = 0; i < resized.size(); ++i) {
      ResizeAxis& axis = axes[resized[i]];
      // A dimension without elements stays so.
      if (sizes[i] < (policy == "stretch" && axis.input == 0 ? 0 : 1)) return fail();
      axis.output = sizes[i];
      axis.extent = static_cast<float>(sizes[i]);
      axis.scale = axis.extent / static_cast<float>(axis.input);
    }
    TESSERA_TRY_VOID(keepAspectRatio(call, policy, axes, resized));
  }
  if (mode == CoordinateMode::kTfCropAndResize) TESSERA_TRY_VOID(parseRoi(call, axes, resized));
  return axes;
}

/// The axes from the one that shrinks most to the one that grows most: no intermediate result is
/// then larger than both input and output.
static std::vector<size_t> shrinkingFirst(const std::vector<ResizeAxis>& axes) {
  std::vector<size_t> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t d) {
    return std::pair(static_cast<double>(axes[d].output) / static_cast<double>(axes[d].input), d);
  });
  return order;
}

/// Interpolates `in`, [outer, axis.input, inner]; positions without taps keep 0.
template <typename Work>
static std::vector<Work> resizeAlong(const std::vector<Work>& in,
                                     const std::vector<std::vector<ResizeTap>>& taps, int64_t outer,
                                     int64_t inputSize, int64_t inner) {
  const auto outputSize = static_cast<int64_t>(taps.size());
  std::vector<Work> out(static_cast<size_t>(outer * outputSize * inner), Work{0});
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t o = 0; o < outputSize; ++o) {
      Work* line = out.data() + (i * outputSize + o) * inner;
      for (const ResizeTap& tap : taps[o]) {
        const Work* source = in.data() + (i * inputSize + tap.position) * inner;
        const Work weight = static_cast<Work>(tap.weight);
        for (int64_t j = 0; j < inner; ++j)
          line[j] = static_cast<Work>(line[j] + weight * source[j]);
      }
    }
  }
  return out;
}

/// Computes in Work: double, or T itself for nearest, which only copies.
template <typename T, typename Work>
static OpResult resizeAs(const OpCall& call, const TensorView& x,
                         const ResizeAttributes& attributes, const std::vector<ResizeAxis>& axes) {
  Shape shape;
  for (const ResizeAxis& axis : axes) shape.push_back(axis.output);
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, shape));
  if (y.count() == 0) return outputs(std::move(y));
  if (x.count() == 0)
    return opError(call, "an empty input of shape " + toText(x.shape) + " cannot be enlarged");

  std::vector<Work> values(x.as<T>().begin(), x.as<T>().end());
  Shape current = toShape(x.shape);
  std::vector<std::vector<bool>> outside(axes.size());
  for (const size_t d : shrinkingFirst(axes)) {
    std::vector<std::vector<ResizeTap>> taps;
    for (int64_t o = 0; o < axes[d].output; ++o) {
      taps.push_back(resizeTaps(attributes, axes[d], o));
      outside[d].push_back(taps.back().empty());
    }
    const bool unchanged = axes[d].output == axes[d].input && axes[d].scale == 1 &&
                           axes[d].roiBegin == 0 && axes[d].roiEnd == 1;
    if (unchanged) continue;
    const auto axis = static_cast<int64_t>(d);
    values = resizeAlong(values, taps, countBetween(current, 0, axis), axes[d].input,
                         countBetween(current, axis + 1, x.rank()));
    current[d] = axes[d].output;
  }
  std::ranges::transform(values, y.as<T>().begin(), [](Work v) { return convertTo<T>(v); });
  if (attributes.coordinateMode == CoordinateMode::kTfCropAndResize) {
    T* out = y.as<T>().data();
    forEachIndex(shape, [&](std::span<const int64_t> index) {
      bool extrapolated = false;
      for (size_t d = 0; d < index.size(); ++d) extrapolated = extrapolated || outside[d][index[d]];
      if (extrapolated) *out = convertTo<T>(attributes.extrapolationValue);
      ++out;
    });
  }
  return outputs(std::move(y));
}

OpResult resize(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const ResizeAttributes attributes, parseResize(call));
  TESSERA_TRY(const std::vector<ResizeAxis> axes, parseAxes(call, x, attributes.coordinateMode));
  return dispatch(call, x.type, AllTypes{}, [&]<typename T>() -> OpResult {
    if (attributes.mode == ResizeMode::kNearest) return resizeAs<T, T>(call, x, attributes, axes);
    if constexpr (!std::is_same_v<T, Boolean>) {
      return resizeAs<T, double>(call, x, attributes, axes);
    }
    return unsupportedType(call, x.type);
  });
}

}  // namespace tessera::reference::ops
