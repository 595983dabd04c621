// Resize, one axis after the other, since all modes are separable: for each axis a table says which
// input positions make up an output position, and with what weights. Coordinates and filters are
// those of ONNX Resize-19. Sizes and coordinates are computed in f32, as in ONNX Runtime: which
// position is nearest depends on their rounding. Filters are computed in f64.
#include <algorithm>
#include <cmath>

#include "backends/native/compiler/contraction/resampling.h"
#include "backends/native/compiler/kernel/lines.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/whole_scale.h"
#include "compiler/ir/infer/common.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/resize.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// One resized axis.
struct Axis {
  int64_t dim = 0;
  size_t number = 0;         ///< Among the resized ones.
  Value input, output;       ///< Sizes.
  Element scale;             ///< f32
  Element extent;            ///< The output size before rounding, f32.
  Element roiBegin, roiEnd;  ///< f32; null but for tf_crop_and_resize.
  std::optional<double> knownScale;
};

/// Positions [output, count] (i64) and weights; weights are null for nearest.
struct Taps {
  Value count;
  Value positions, weights;
};

}  // namespace

std::optional<std::string> refuseResize(Operation* op) {
  auto resize = cast<ir::ResizeOp>(op);
  for (const Value list :
       {Value(resize.getRoi()), Value(resize.getScales()), Value(resize.getSizes())}) {
    if (list && !cast<RankedTensorType>(list.getType()).hasStaticShape())
      return "the number of resized axes is not known";
  }
  return std::nullopt;
}

/// Element i of a list of f32 or f64, as f32.
static Element readReal(KernelBuilder& b, Value tsrValue, size_t i) {
  if (const auto known = ir::constantFloats(tsrValue)) return b.scalar(b.getF32Type(), (*known)[i]);
  return narrowed(b.load(b.get(tsrValue), b.index(static_cast<int64_t>(i))));
}

static Element toReal(KernelBuilder& b, Value index, Type real) {
  const auto known = getConstantIntValue(index);
  return known ? b.scalar(real, static_cast<double>(*known)) : b.fromIndex(index, real);
}

static Element toF32(KernelBuilder& b, Value index) { return toReal(b, index, b.getF32Type()); }

/// The last position of the input, f64.
static Element lastPosition(KernelBuilder& b, const Axis& axis) {
  return toReal(b, axis.input, b.getF64Type()) - 1;
}

static Index toIndexFloor(KernelBuilder& b, const Element& real) {
  return b.toIndex(convert(floor(real), b.getI64Type()));
}

/// One common scale for all axes, their sizes rounded half up.
static void keepAspectRatio(KernelBuilder& b, ir::AspectRatioPolicy policy,
                            MutableArrayRef<Axis> axes) {
  if (policy == ir::AspectRatioPolicy::Stretch || axes.empty()) return;
  SmallVector<Element> scales;
  for (const Axis& axis : axes) scales.push_back(axis.scale);
  const auto common = ir::spec::commonScale<Element>(policy, scales);
  for (Axis& axis : axes) {
    axis.scale = common;
    axis.extent = common * toF32(b, axis.input);
    axis.output = toIndexFloor(b, widened(axis.extent) + 0.5);
  }
}

/// The output has a possible size, and every element of it shows some input. A size that is asked
/// for is 0 only where that of the input is, which has no aspect to keep.
static void requireSize(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  const auto what = [&] { return "dimension " + std::to_string(axis.dim); };
  const bool hasScales = ir::spec::isGiven(op.getScales());
  const bool stretches = op.getKeepAspectRatioPolicy() == ir::AspectRatioPolicy::Stretch;
  b.requireAtLeast(axis.output, hasScales || stretches ? 0 : 1, what());
  b.requireAtMost(axis.output, b.index(ir::kMaxExtent), what());
  const Condition fromNone = b.equal(axis.input, 0), toNone = b.equal(axis.output, 0);
  const Condition isPossible = hasScales ? toNone | !fromNone : !(fromNone ^ toNone);
  b.require(isPossible, axis.output, axis.input, "a dimension of {1} elements is resized to {0}");
}

/// A scale is a positive number that a size can be multiplied by.
static void requireScale(KernelBuilder& b, const Axis& axis) {
  constexpr double kMost = 1e9;
  const Condition isAbove = axis.scale > 0, isBelow = axis.scale < kMost;
  b.require(isAbove & isBelow, b.index(axis.dim), b.index(static_cast<int64_t>(kMost)),
            "the scale of dimension {0} is not above 0 and below {1}");
}

static SmallVector<Axis> parseAxes(KernelBuilder& b, ir::ResizeOp op) {
  const auto type = cast<RankedTensorType>(op.getType());
  const Values sizes = b.sizes(b.get(op.getX()));
  const SmallVector<int64_t> dims = ir::spec::resizedDims(op);
  const bool hasScales = ir::spec::isGiven(op.getScales());
  const Values wanted = hasScales ? Values() : b.readInts(op.getSizes());
  SmallVector<Axis> axes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Axis axis{.dim = dim,
              .number = i,
              .input = sizes[dim],
              .output = {},
              .scale = {},
              .extent = {},
              .roiBegin = {},
              .roiEnd = {},
              .knownScale = knownScale(op, i)};
    if (hasScales) {
      axis.scale = readReal(b, op.getScales(), i);
      if (!axis.knownScale) requireScale(b, axis);
      axis.extent = axis.scale * toF32(b, axis.input);
      const Condition isSame = axis.scale == 1;
      axis.output = b.select(isSame, axis.input, toIndexFloor(b, axis.extent));
    } else {
      axis.output = wanted[i];
      axis.extent = toF32(b, wanted[i]);
      axis.scale = axis.extent / toF32(b, axis.input);
    }
    if (isCropped(op)) {
      axis.roiBegin = readReal(b, op.getRoi(), i);
      axis.roiEnd = readReal(b, op.getRoi(), i + dims.size());
    }
    axes.push_back(axis);
  }
  if (!hasScales) keepAspectRatio(b, op.getKeepAspectRatioPolicy(), axes);
  const Value list = hasScales ? op.getScales() : op.getSizes();
  const bool isKnown = list.getDefiningOp<ir::ConstantOp>() != nullptr;
  for (Axis& axis : axes) {
    const int64_t declared = type.getDimSize(axis.dim);
    if (isKnown && getConstantIntValue(axis.input)) {
      if (!ShapedType::isDynamic(declared)) axis.output = b.index(declared);
    } else {
      requireSize(b, op, axis);
      axis.output = b.declaredOr(axis.output, declared, "dimension " + Twine(axis.dim));
    }
    // The sizes of memory differ where channels come in blocks; those stay as they are.
    if (axis.knownScale == 1.0) axis.output = axis.input;
  }
  return axes;
}

/// The input coordinate (f32) that output position `at` shows.
static Element narrowCoordinate(KernelBuilder& b, ir::CoordinateTransformation mode,
                                const Axis& axis, Value at) {
  const ir::spec::ResizedDim<Element, Condition> dim = {.input = toF32(b, axis.input),
                                                        .lastInput = toF32(b, b.sub(axis.input, 1)),
                                                        .output = toF32(b, axis.output),
                                                        .isSingle = b.equal(axis.output, 1),
                                                        .scale = axis.scale,
                                                        .extent = axis.extent,
                                                        .roiBegin = axis.roiBegin,
                                                        .roiEnd = axis.roiEnd};
  return ir::spec::inputCoordinate(mode, dim, b.fromIndex(at, b.getF32Type()));
}

/// The input coordinate that output position `at` shows: an f32 widened to f64, where adding a half
/// to it is exact.
static Element inputCoordinate(KernelBuilder& b, ir::CoordinateTransformation mode,
                               const Axis& axis, Value at) {
  return widened(narrowCoordinate(b, mode, axis, at));
}

/// NaN goes to `low`.
static Element clamped(const Element& x, const Element& low, const Element& high) {
  const Element raised = select(x > low, x, low);
  return select(raised < high, raised, high);
}

/// The coordinate, moved near the input where it is far outside.
static Element boundedCoordinate(KernelBuilder& b, ir::ResizeOp op, const Axis& axis, Value at) {
  const Element x = inputCoordinate(b, op.getCoordinateTransformationMode(), axis, at);
  const Element last = lastPosition(b, axis);
  return ir::spec::nearInput(x, last);
}

static Taps nearestTaps(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  Taps taps;
  taps.count = b.index(1);
  taps.positions = b.compute({axis.output, taps.count}, b.getI64Type(), [&](ValueRange at) {
    const Element rounded =
        ir::spec::roundNearest(op.getNearestMode(), boundedCoordinate(b, op, axis, at[0]));
    const Index position = b.toIndex(convert(rounded, b.getI64Type()));
    const Index inside = smaller(larger(position, 0), b.term(axis.input) - 1);
    return b.fromIndex(inside, b.getI64Type());
  });
  return taps;
}

/// By how much the filter is widened: 1 over this (f64). With antialias a shrinking filter covers
/// all that it shrinks.
static Element filterStretch(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  if (op.getAntialias() == 0) return b.scalar(b.getF64Type(), 1);
  if (axis.knownScale) return b.scalar(b.getF64Type(), std::min(*axis.knownScale, 1.0));
  return smaller(widened(axis.scale), 1);
}

/// How many neighbours on either side the filter sees: its radius over the stretch, rounded up.
static Value tapsOnEitherSide(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  const double radius = op.getMode() == ir::ResizeMode::Linear ? 1 : 2;
  if (op.getAntialias() == 0) return b.index(static_cast<int64_t>(radius));
  if (axis.knownScale) {
    const double stretch = std::min(*axis.knownScale, 1.0);
    return b.index(static_cast<int64_t>(std::ceil(radius / stretch)));
  }
  const Element reach = radius / filterStretch(b, op, axis);
  // An output of one element or more has a scale of half an element or more: no reach is longer.
  const Element most = toReal(b, b.term(axis.input) * 4 + 8, b.getF64Type());
  const Element taps = clamped(ceil(reach), radius, most);
  return b.toIndex(convert(taps, b.getI64Type()));
}

static Taps filterTaps(KernelBuilder& b, ir::ResizeOp op, const Axis& axis, Type work) {
  const Type f64 = b.getF64Type();
  const Element stretch = filterStretch(b, op, axis);
  const Value half = tapsOnEitherSide(b, op, axis);
  const Element reach = toReal(b, half, f64);
  Taps taps;
  taps.count = b.mul(half, 2);
  const Values sizes = {axis.output, taps.count};
  // Before clamping: the neighbours of x, as many on either side.
  const auto neighbour = [&](const Element& x, Value tap) {
    const Element left = ceil(x);
    return left + (b.fromIndex(tap, f64) - reach);
  };
  const auto insideInput = [&](const Element& position) {
    return clamped(position, 0, lastPosition(b, axis));
  };
  // A dimension that stays as it is is copied: a neighbour times 0 may be NaN. The 2 or 4 taps all
  // read the element itself.
  std::optional<Condition> isCopied;
  if (!isCropped(op)) isCopied = b.equal(axis.output, axis.input) & (axis.scale == 1);
  taps.positions = b.compute(sizes, b.getI64Type(), [&](ValueRange at) {
    const Element position = neighbour(boundedCoordinate(b, op, axis, at[0]), at[1]);
    const Element inside = convert(insideInput(position), b.getI64Type());
    return isCopied ? select(*isCopied, b.fromIndex(at[0], b.getI64Type()), inside) : inside;
  });
  const Value raw = b.compute(sizes, f64, [&](ValueRange at) {
    const Element x = boundedCoordinate(b, op, axis, at[0]);
    const Element position = neighbour(x, at[1]);
    const Element weight = ir::spec::filterWeight(
        op.getMode(), op.getCubicCoeffA().convertToDouble(), abs((position - x) * stretch));
    const Element counted =
        op.getExcludeOutside() ? select(insideInput(position) != position, 0, weight) : weight;
    return isCopied ? select(*isCopied, 1, counted) : counted;
  });
  const Value sums = sumLines(b, raw, {1});
  taps.weights = mapLines(b, raw, LineOperand{.tensor = sums, .loops = {0}}, work,
                          [&](Elements v) { return convert(v[0] / v[1], work); });
  return taps;
}

/// Taps from tables that are part of the code, where they are known: computed anew for each
/// element, as what is fused into its users is, they cost more than what is done with them.
static std::optional<Taps> knownTaps(KernelBuilder& b, ir::ResizeOp op, const Axis& axis,
                                     Type work) {
  const auto known = resampledAxisOf(op, axis.number);
  const bool isNearest = op.getMode() == ir::ResizeMode::Nearest;
  if (!known || (!isNearest && !work.isF32())) return std::nullopt;
  const int64_t sizes[] = {known->output, known->numTaps};
  const auto tableOf = [&](Type element, auto values) {
    return b.constant(DenseElementsAttr::get(RankedTensorType::get(sizes, element), values));
  };
  Taps taps{.count = b.index(known->numTaps),
            .positions = tableOf(b.getI64Type(), ArrayRef<int64_t>(known->positions)),
            .weights = {}};
  if (!isNearest) taps.weights = tableOf(work, ArrayRef<float>(known->weights));
  return taps;
}

static Taps tapsOf(KernelBuilder& b, ir::ResizeOp op, const Axis& axis, Type work) {
  if (auto known = knownTaps(b, op, axis, work)) return *known;
  return op.getMode() == ir::ResizeMode::Nearest ? nearestTaps(b, op, axis)
                                                 : filterTaps(b, op, axis, work);
}

static Value insideTable(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  return b.compute(axis.output, b.getI1Type(), [&](ValueRange at) {
    const Element x = inputCoordinate(b, op.getCoordinateTransformationMode(), axis, at[0]);
    const Element last = lastPosition(b, axis);
    return (x >= 0) & (x <= last);
  });
}

/// `x` with dimension `axis.dim` resampled.
static Value resample(KernelBuilder& b, Value x, const Axis& axis, const Taps& taps) {
  Values sizes = b.sizes(x);
  sizes[axis.dim] = axis.output;
  return b.compute(sizes, typeOf(x).getElementType(), [&](ValueRange at) {
    const auto addTap = [&](const Element& sum, Value tap) {
      const Value entry[] = {at[axis.dim], tap};
      Values from(at);
      from[axis.dim] = b.toIndex(b.load(taps.positions, entry));
      Element element = b.load(x, from);
      if (taps.weights) element = element * b.load(taps.weights, entry);
      return sum ? sum + element : element;
    };
    Element sum = addTap({}, b.index(0));
    if (const auto count = getConstantIntValue(taps.count)) {
      for (int64_t t = 1; t < *count; ++t) sum = addTap(sum, b.index(t));
      return sum;
    }
    const Value others = b.sub(taps.count, 1);
    const Values last =
        b.forEach(others, Value(sum), [&](ValueRange t, ValueRange state) -> Values {
          return {addTap(b.element(state[0]), b.add(t[0], 1))};
        });
    return b.element(last[0]);
  });
}

/// Elements of the innermost dimension cost the most: while there are the fewest of them.
static void startWithLongest(MutableArrayRef<Axis> axes, int64_t innermost) {
  auto* const found = llvm::find_if(axes, [&](const Axis& axis) { return axis.dim == innermost; });
  if (found != axes.end() && found->knownScale.value_or(1) > 1)
    std::rotate(axes.begin(), found, found + 1);
}

/// `x` resized axis by axis.
static Value resampleAxes(KernelBuilder& b, ir::ResizeOp op, Value x, ArrayRef<Axis> axes,
                          Type work) {
  for (const Axis& axis : axes) {
    if (!isCropped(op) && axis.knownScale == 1.0) continue;
    const bool isInnermost = axis.dim == typeOf(x).getRank() - 1;
    const auto whole =
        isInnermost ? wholeScaleOf(op, axis.input, axis.output, axis.knownScale) : std::nullopt;
    const bool needsTable = op.getMode() != ir::ResizeMode::Nearest || !whole;
    Taps taps;
    if (needsTable) taps = tapsOf(b, op, axis, work);
    const Value weights = whole && taps.weights ? b.transpose(taps.weights, {1, 0}) : Value();
    x = whole ? resampleWhole(b, x, *whole, weights) : resample(b, x, axis, taps);
  }
  return x;
}

/// How often open axes that grow by a whole number of times show each element, for all dimensions;
/// nothing where some axis does not.
static std::optional<SmallVector<int64_t>> openFactors(KernelBuilder& b, ir::ResizeOp op,
                                                       int64_t rank, ArrayRef<Axis> axes) {
  SmallVector<int64_t> factors(rank, 1);
  bool isOpen = false;
  for (const Axis& axis : axes) {
    const double scale = axis.knownScale.value_or(0);
    if (scale != 1 && scale != 2 && scale != 4 && scale != 8) return std::nullopt;
    factors[axis.dim] = static_cast<int64_t>(scale);
    if (!repeatsElements(op, factors[axis.dim])) return std::nullopt;
    isOpen |= scale > 1 && !getConstantIntValue(axis.input);
  }
  if (!isOpen) return std::nullopt;
  for (const Axis& axis : axes) {
    const Condition fits = b.equal(b.mul(axis.input, factors[axis.dim]), axis.output);
    b.require(fits, axis.output, axis.input, "a dimension of {1} elements is resized to {0}");
  }
  return factors;
}

static Value repeatElements(KernelBuilder& b, Value x, ArrayRef<Axis> axes,
                            ArrayRef<int64_t> factors) {
  Values sizes = b.sizes(x);
  for (const Axis& axis : axes) sizes[axis.dim] = axis.output;
  return b.compute(sizes, typeOf(x).getElementType(), [&](ValueRange at) {
    Values from;
    for (auto [place, factor] : llvm::zip_equal(at, factors))
      from.push_back(b.floorDiv(place, factor));
    return b.load(x, from);
  });
}

LogicalResult lowerResize(KernelBuilder& b, Operation* op) {
  auto resize = cast<ir::ResizeOp>(op);
  const Type element = getElementTypeOrSelf(resize.getX().getType());
  const Type memory = kernelElement(element);
  const bool isNearest = resize.getMode() == ir::ResizeMode::Nearest;
  const bool crops = isCropped(resize);
  const Type work = isNearest || isa<FloatType>(memory) ? memory : b.getF64Type();
  Value x = b.get(resize.getX());
  if (work != memory)
    x = b.map(x, work, [&](Elements v) { return convert(v[0].as(signednessOf(element)), work); });
  SmallVector<Axis> axes = parseAxes(b, resize);
  startWithLongest(axes, typeOf(x).getRank() - 1);
  SmallVector<LineOperand> inside;
  if (crops) {
    for (const Axis& axis : axes)
      inside.push_back({.tensor = insideTable(b, resize, axis), .loops = {axis.dim}});
  }
  const auto factors = openFactors(b, resize, typeOf(x).getRank(), axes);
  x = factors ? repeatElements(b, x, axes, *factors) : resampleAxes(b, resize, x, axes, work);
  if (work != memory) x = b.map(x, memory, [&](Elements v) { return convert(v[0], element); });
  if (crops) {
    const double extrapolation = resize.getExtrapolationValue().convertToDouble();
    const Element outside = convert(b.scalar(b.getF64Type(), extrapolation), element);
    x = mapLines(b, x, inside, memory, [&](Elements v) {
      Condition isInside(b, v[1]);
      for (const Element& next : v.drop_front(2)) isInside = isInside & next;
      return select(isInside, v[0], outside);
    });
  }
  b.set(op->getResult(0), x);
  return success();
}

}  // namespace tessera::backend_native
