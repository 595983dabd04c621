// Coordinates and filters of ONNX Resize-19, as its specification and reference describe them: the
// output position is mapped to a real input coordinate x; the filter covers the neighbours of x,
// with weights that depend on their distance. With antialias a shrinking filter is stretched by 1 /
// scale. Scales are f32, and so are coordinates, as in ONNX Runtime: which element is nearest
// depends on their rounding.
#include "reference/loops/resize_axis.h"

#include <cmath>

namespace tessera::reference {

/// The value that `text` names in a list of names.
template <typename Enum>
static Result<Enum> parseName(const OpCall& call, std::string_view attribute,
                              std::string_view fallback,
                              std::span<const std::pair<std::string_view, Enum>> names) {
  TESSERA_TRY(const std::string text,
              attributeOr<std::string>(call, attribute, std::string(fallback)));
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  return opError(call,
                 "attribute '" + std::string(attribute) + "' has the unknown value '" + text + "'");
}

static constexpr std::pair<std::string_view, ResizeMode> kModes[] = {
    {"nearest", ResizeMode::kNearest},
    {"linear", ResizeMode::kLinear},
    {"cubic", ResizeMode::kCubic}};
static constexpr std::pair<std::string_view, NearestMode> kNearestModes[] = {
    {"round_prefer_floor", NearestMode::kRoundPreferFloor},
    {"round_prefer_ceil", NearestMode::kRoundPreferCeil},
    {"floor", NearestMode::kFloor},
    {"ceil", NearestMode::kCeil}};
static constexpr std::pair<std::string_view, CoordinateMode> kCoordinateModes[] = {
    {"half_pixel", CoordinateMode::kHalfPixel},
    {"half_pixel_symmetric", CoordinateMode::kHalfPixelSymmetric},
    {"pytorch_half_pixel", CoordinateMode::kPytorchHalfPixel},
    {"align_corners", CoordinateMode::kAlignCorners},
    {"asymmetric", CoordinateMode::kAsymmetric},
    {"tf_crop_and_resize", CoordinateMode::kTfCropAndResize}};

Result<ResizeAttributes> parseResize(const OpCall& call) {
  ResizeAttributes attributes;
  TESSERA_TRY(attributes.mode, parseName<ResizeMode>(call, "mode", "nearest", kModes));
  TESSERA_TRY(attributes.nearestMode,
              parseName<NearestMode>(call, "nearest_mode", "round_prefer_floor", kNearestModes));
  TESSERA_TRY(attributes.coordinateMode,
              parseName<CoordinateMode>(call, "coordinate_transformation_mode", "half_pixel",
                                        kCoordinateModes));
  TESSERA_TRY(attributes.cubicA, attributeOr<double>(call, "cubic_coeff_a", -0.75));
  TESSERA_TRY(attributes.excludeOutside, flagOr(call, "exclude_outside", false));
  TESSERA_TRY(attributes.antialias, flagOr(call, "antialias", false));
  TESSERA_TRY(attributes.extrapolationValue, attributeOr<double>(call, "extrapolation_value", 0.0));
  return attributes;
}

/// The input coordinate that output position `o` shows.
static float inputCoordinate(CoordinateMode mode, const ResizeAxis& axis, int64_t o) {
  const auto x = static_cast<float>(o);
  const auto lastInput = static_cast<float>(axis.input - 1);
  const float halfPixel = (x + 0.5F) / axis.scale - 0.5F;
  switch (mode) {
    case CoordinateMode::kHalfPixel:
      return halfPixel;
    case CoordinateMode::kHalfPixelSymmetric: {
      const auto adjustment = static_cast<float>(axis.output) / axis.extent;
      const double offset = static_cast<float>(axis.input) / 2 * (1 - adjustment);
      return static_cast<float>(offset + (x + 0.5) / axis.scale - 0.5);
    }
    case CoordinateMode::kPytorchHalfPixel:
      return axis.output > 1 ? halfPixel : 0;
    case CoordinateMode::kAlignCorners:
      return axis.output == 1 ? 0 : x * lastInput / (axis.extent - 1);
    case CoordinateMode::kAsymmetric:
      return x / axis.scale;
    case CoordinateMode::kTfCropAndResize: {
      if (axis.output == 1) return (axis.roiBegin + axis.roiEnd) / 2 * lastInput;
      const float span = axis.roiEnd - axis.roiBegin;
      return axis.roiBegin * lastInput + x * span * lastInput / (axis.extent - 1);
    }
  }
  return x;
}

/// In double, where adding a half to a coordinate is exact.
static double nearest(NearestMode mode, double x) {
  switch (mode) {
    case NearestMode::kRoundPreferFloor:
      return std::ceil(x - 0.5);
    case NearestMode::kRoundPreferCeil:
      return std::floor(x + 0.5);
    case NearestMode::kFloor:
      return std::floor(x);
    case NearestMode::kCeil:
      return std::ceil(x);
  }
  return x;
}

/// Weight of a neighbour at `distance` in units of the filter.
static double filter(const ResizeAttributes& attributes, double distance) {
  const double d = std::fabs(distance);
  if (attributes.mode == ResizeMode::kLinear) return std::max(1 - d, 0.0);
  const double a = attributes.cubicA;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

std::vector<ResizeTap> resizeTaps(const ResizeAttributes& attributes, const ResizeAxis& axis,
                                  int64_t o) {
  const auto last = static_cast<double>(axis.input - 1);
  double x = inputCoordinate(attributes.coordinateMode, axis, o);
  if (attributes.coordinateMode == CoordinateMode::kTfCropAndResize && !(x >= 0 && x <= last))
    return {};
  // Far outside only edge elements are seen, and the conversions below stay defined.
  x = std::clamp(std::isnan(x) ? 0.0 : x, -8.0, last + 8.0);
  if (attributes.mode == ResizeMode::kNearest) {
    return {{.position =
                 static_cast<int64_t>(std::clamp(nearest(attributes.nearestMode, x), 0.0, last)),
             .weight = 1.0}};
  }
  const double radius = attributes.mode == ResizeMode::kLinear ? 1 : 2;
  const double stretch = attributes.antialias ? std::min<double>(axis.scale, 1) : 1;
  // The neighbours strictly within radius / stretch of x, as many on either side.
  const auto half = static_cast<int64_t>(std::ceil(radius / stretch));
  const auto left = static_cast<int64_t>(std::ceil(x)) - 1;
  std::vector<ResizeTap> taps;
  double sum = 0;
  for (int64_t position = left - half + 1; position <= left + half; ++position) {
    const double weight = filter(attributes, (static_cast<double>(position) - x) * stretch);
    const int64_t clamped = std::clamp<int64_t>(position, 0, axis.input - 1);
    if (attributes.excludeOutside && clamped != position) continue;
    taps.push_back({clamped, weight});
    sum += weight;
  }
  for (ResizeTap& tap : taps) tap.weight /= sum;
  return taps;
}

}  // namespace tessera::reference
