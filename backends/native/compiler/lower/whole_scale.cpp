// Neighbouring results are made from the same elements or the next ones: a vector of results from
// one load and a shuffle for each tap, where tables of positions take a load for each element.
// Coordinates are multiples of 1 / (2 * scale), which f32 holds exactly, so that they need not be
// computed as the kernel would.
#include "backends/native/compiler/lower/whole_scale.h"

#include <cmath>

#include "compiler/ir/spec/resize.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

static bool repeats(ir::CoordinateTransformation mode) {
  return mode == ir::CoordinateTransformation::Asymmetric ||
         mode == ir::CoordinateTransformation::HalfPixel ||
         mode == ir::CoordinateTransformation::PytorchHalfPixel;
}

/// The first element that result `at` is made from, before it is moved inside.
static int64_t firstTap(ir::ResizeOp op, const WholeScale& how, int64_t at) {
  const auto mode = op.getCoordinateTransformationMode();
  const double half = mode == ir::CoordinateTransformation::Asymmetric ? 0 : 0.5;
  const double x = (static_cast<double>(at) + half) / static_cast<double>(how.scale) - half;
  if (op.getMode() != ir::ResizeMode::Nearest)
    return static_cast<int64_t>(std::ceil(x)) - how.numTaps / 2;
  switch (op.getNearestMode()) {
    case ir::NearestMode::Floor:
      return static_cast<int64_t>(std::floor(x));
    case ir::NearestMode::Ceil:
      return static_cast<int64_t>(std::ceil(x));
    case ir::NearestMode::RoundPreferCeil:
      return static_cast<int64_t>(std::floor(x + 0.5));
    case ir::NearestMode::RoundPreferFloor:
      return static_cast<int64_t>(std::ceil(x - 0.5));
  }
  return 0;
}

std::optional<WholeScale> wholeScaleOf(ir::ResizeOp op, Value input, Value output,
                                       std::optional<double> scale) {
  // Beyond, f32 has not all halves.
  constexpr int64_t kMostExact = int64_t{1} << 20;
  const auto from = getConstantIntValue(input), to = getConstantIntValue(output);
  if (!from || !to || *from < 1 || *to > kMostExact || *to <= 1) return std::nullopt;
  if (scale != 2 && scale != 4 && scale != 8) return std::nullopt;
  WholeScale how{.scale = static_cast<int64_t>(*scale), .input = *from, .output = *to};
  if (*to != how.scale * *from || !repeats(op.getCoordinateTransformationMode()))
    return std::nullopt;
  if (op.getMode() != ir::ResizeMode::Nearest) {
    if (op.getExcludeOutside() != 0) return std::nullopt;
    how.numTaps = op.getMode() == ir::ResizeMode::Linear ? 2 : 4;
  }
  how.first = firstTap(op, how, 0);
  while (how.shift < how.scale && firstTap(op, how, how.scale - how.shift - 1) > how.first)
    ++how.shift;
  return how;
}

bool repeatsElements(ir::ResizeOp op, int64_t scale) {
  const WholeScale how{.scale = scale};
  return op.getMode() == ir::ResizeMode::Nearest && repeats(op.getCoordinateTransformationMode()) &&
         firstTap(op, how, 0) == 0 && firstTap(op, how, scale - 1) == 0;
}

/// The innermost dimension with `before` and `behind` more of its outermost elements.
static Value extended(KernelBuilder& b, Value x, int64_t input, int64_t before, int64_t behind) {
  if (before == 0 && behind == 0) return x;
  const Type element = typeOf(x).getElementType();
  Values sizes = b.sizes(x), offsets(sizes.size(), b.index(0));
  sizes.back() = b.index(before + input + behind);
  Value wide = b.empty(element, sizes);
  const auto fill = [&](int64_t offset, int64_t count, int64_t from) {
    if (count == 0) return;
    sizes.back() = b.index(count);
    offsets.back() = b.index(offset);
    const Value part = b.compute(sizes, element, [&](ValueRange at) {
      Values place(at);
      place.back() = b.index(from);
      return b.load(x, place);
    });
    wide = b.insert(part, wide, offsets);
  };
  fill(0, before, 0);
  fill(before + input, behind, input - 1);
  offsets.back() = b.index(before);
  return b.insert(x, wide, offsets);
}

Value resampleWhole(KernelBuilder& b, Value x, const WholeScale& how, Value weights) {
  const int64_t before = std::max<int64_t>(-how.first, 0);
  const int64_t last = (how.output - 1 + how.shift) / how.scale + how.first + how.numTaps - 1;
  const Value wide =
      extended(b, x, how.input, before, std::max<int64_t>(last - (how.input - 1), 0));
  Values sizes = b.sizes(x);
  sizes.back() = b.index(how.output);
  return b.compute(sizes, typeOf(x).getElementType(), [&](ValueRange at) {
    const Value start = b.floorDiv(b.add(at.back(), how.shift), how.scale);
    Element sum;
    for (int64_t tap = 0; tap < how.numTaps; ++tap) {
      Values from(at);
      from.back() = b.add(start, how.first + before + tap);
      Element element = b.load(wide, from);
      if (weights) element = element * b.load(weights, {b.index(tap), at.back()});
      sum = tap == 0 ? element : sum + element;
    }
    return sum;
  });
}

}  // namespace tessera::backend_native
