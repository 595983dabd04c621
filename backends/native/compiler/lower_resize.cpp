// Resize, one axis after the other, since all modes are separable: for each axis a table says which
// input positions make up an output position, and with what weights. Coordinates and filters are
// those of ONNX Resize-19. Sizes and coordinates are computed in f32, as in ONNX Runtime: which
// position is nearest depends on their rounding. Filters are computed in f64.
#include <cmath>
#include <cstring>

#include "backends/native/compiler/emit_scalar.h"
#include "backends/native/compiler/lines.h"
#include "backends/native/compiler/lowerings.h"
#include "compiler/ir/constants.h"
#include "compiler/ir/infer_common.h"
#include "compiler/ir/spec/resize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// One resized axis.
struct Axis {
  int64_t dim = 0;
  Value input, output;     ///< Sizes.
  Value scale;             ///< f32
  Value extent;            ///< The output size before rounding, f32.
  Value roiBegin, roiEnd;  ///< f32; null but for tf_crop_and_resize.
  std::optional<double> knownScale;
};

/// Positions [output, count] (i64) and weights; weights are null for nearest.
struct Taps {
  Value count;
  Value positions, weights;
  Value isInside;  ///< [output] i1; null but for tf_crop_and_resize.
};

}  // namespace

/// Elements of a constant f32 or f64 tensor.
static std::optional<SmallVector<double>> constantReals(Value value) {
  const auto blob = ir::constantBytes(value);
  if (!blob) return std::nullopt;
  SmallVector<double> reals;
  const bool isWide = getElementTypeOrSelf(value.getType()).isF64();
  for (size_t at = 0; at < blob->bytes.size(); at += isWide ? 8 : 4) {
    float narrow = 0;
    double wide = 0;
    std::memcpy(isWide ? static_cast<void*>(&wide) : &narrow, blob->bytes.data() + at,
                isWide ? 8 : 4);
    reals.push_back(isWide ? wide : narrow);
  }
  return reals;
}

/// Whether the output shows a region of interest, and a given value outside of the input.
static bool isCropped(ir::ResizeOp op) {
  return op.getCoordinateTransformationMode() == ir::CoordinateTransformation::CropAndResize;
}

/// The output size over the input size of resized dimension number i, where it is known.
static std::optional<double> knownScale(ir::ResizeOp op, size_t i) {
  if (ir::spec::isGiven(op.getScales())) {
    const auto scales = constantReals(op.getScales());
    return scales ? std::optional<double>((*scales)[i]) : std::nullopt;
  }
  const int64_t dim = ir::spec::resizedDims(op)[i];
  const int64_t from = cast<RankedTensorType>(op.getX().getType()).getDimSize(dim);
  const int64_t to = cast<RankedTensorType>(op.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to) ||
      op.getKeepAspectRatioPolicy() != ir::AspectRatioPolicy::Stretch)
    return std::nullopt;
  return static_cast<double>(to) / static_cast<double>(from);
}

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
static Value readReal(KernelBuilder& b, Value tsrValue, size_t i) {
  if (const auto known = constantReals(tsrValue)) return b.scalar(b.getF32Type(), (*known)[i]);
  const Value element = b.load(b.get(tsrValue), b.index(static_cast<int64_t>(i)));
  return emitCast(b, element, element.getType(), b.getF32Type());
}

static Value toReal(KernelBuilder& b, Value index, Type real) {
  const auto known = getConstantIntValue(index);
  return known ? b.scalar(real, static_cast<double>(*known)) : b.fromIndex(index, real);
}

static Value toF32(KernelBuilder& b, Value index) { return toReal(b, index, b.getF32Type()); }

static Value toF64(KernelBuilder& b, Value f32) {
  return emitCast(b, f32, b.getF32Type(), b.getF64Type());
}

/// The last position of the input, f64.
static Value lastPosition(KernelBuilder& b, const Axis& axis) {
  return emitSub(b, toReal(b, axis.input, b.getF64Type()), b.scalar(b.getF64Type(), 1));
}

static Value toIndexFloor(KernelBuilder& b, Value real) {
  return b.toIndex(emitCast(b, b.create<math::FloorOp>(real), real.getType(), b.getI64Type()));
}

/// One common scale for all axes, their sizes rounded half up.
static void keepAspectRatio(KernelBuilder& b, ir::AspectRatioPolicy policy,
                            MutableArrayRef<Axis> axes) {
  if (policy == ir::AspectRatioPolicy::Stretch || axes.empty()) return;
  SmallVector<Element> scales;
  for (const Axis& axis : axes) scales.emplace_back(b, axis.scale);
  const Element common = ir::spec::commonScale<Element>(policy, scales);
  for (Axis& axis : axes) {
    axis.scale = common;
    axis.extent = emitMul(b, common, toF32(b, axis.input));
    axis.output = toIndexFloor(b, emitAdd(b, toF64(b, axis.extent), b.scalar(b.getF64Type(), 0.5)));
  }
}

/// The output has a possible size, and every element of it shows some input.
static void requireSize(KernelBuilder& b, const Axis& axis, int64_t least) {
  const auto what = [&] { return "dimension " + std::to_string(axis.dim); };
  b.requireAtLeast(axis.output, least, what());
  b.requireAtMost(axis.output, b.index(ir::kMaxExtent), what());
  const Value isPossible =
      b.either(b.less(b.index(0), axis.input), b.equal(axis.output, b.index(0)));
  b.require(isPossible, axis.output, axis.input, "a dimension of {1} elements is resized to {0}");
}

/// A scale is a positive number that a size can be multiplied by.
static void requireScale(KernelBuilder& b, const Axis& axis) {
  constexpr double kMost = 1e9;
  const Type f32 = b.getF32Type();
  const Value isAbove = emitCompare(b, Compare::kGreater, axis.scale, b.scalar(f32, 0));
  const Value isBelow = emitCompare(b, Compare::kLess, axis.scale, b.scalar(f32, kMost));
  b.require(b.both(isAbove, isBelow), b.index(axis.dim), b.index(static_cast<int64_t>(kMost)),
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
      axis.extent = emitMul(b, axis.scale, toF32(b, axis.input));
      const Value isSame = emitCompare(b, Compare::kEqual, axis.scale, b.scalar(b.getF32Type(), 1));
      axis.output = b.select(isSame, axis.input, toIndexFloor(b, axis.extent));
    } else {
      axis.output = wanted[i];
      axis.extent = toF32(b, wanted[i]);
      axis.scale = emitDiv(b, axis.extent, toF32(b, axis.input), false);
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
      requireSize(b, axis, hasScales ? 0 : 1);
      axis.output = b.declaredOr(axis.output, declared, "dimension " + Twine(axis.dim));
    }
    // The sizes of memory differ where channels come in blocks; those stay as they are.
    if (axis.knownScale == 1.0) axis.output = axis.input;
  }
  return axes;
}

/// The input coordinate (f32) that output position `at` shows.
static Value narrowCoordinate(KernelBuilder& b, ir::CoordinateTransformation mode, const Axis& axis,
                              Value at) {
  const auto real = [&](Value value) { return Element(b, value); };
  const ir::spec::ResizedDim<Element, Condition> dim = {
      .input = real(toF32(b, axis.input)),
      .lastInput = real(toF32(b, b.sub(axis.input, 1))),
      .output = real(toF32(b, axis.output)),
      .isSingle = b.equal(axis.output, 1),
      .scale = real(axis.scale),
      .extent = real(axis.extent),
      .roiBegin = real(axis.roiBegin),
      .roiEnd = real(axis.roiEnd)};
  return ir::spec::inputCoordinate(mode, dim, real(b.fromIndex(at, b.getF32Type())));
}

/// The input coordinate that output position `at` shows: an f32 widened to f64, where adding a half
/// to it is exact.
static Value inputCoordinate(KernelBuilder& b, ir::CoordinateTransformation mode, const Axis& axis,
                             Value at) {
  return toF64(b, narrowCoordinate(b, mode, axis, at));
}

static Value roundNearest(KernelBuilder& b, ir::NearestMode mode, Value x) {
  const Value half = b.scalar(x.getType(), 0.5);
  switch (mode) {
    case ir::NearestMode::Floor:
      return b.create<math::FloorOp>(x);
    case ir::NearestMode::Ceil:
      return b.create<math::CeilOp>(x);
    case ir::NearestMode::RoundPreferCeil:
      return b.create<math::FloorOp>(emitAdd(b, x, half));
    case ir::NearestMode::RoundPreferFloor:
      return b.create<math::CeilOp>(emitSub(b, x, half));
  }
  return x;
}

/// Weight of a neighbour at a distance in units of the filter.
static Value filterWeight(KernelBuilder& b, ir::ResizeOp op, Value distance) {
  const auto number = [&](double value) { return b.scalar(b.getF64Type(), value); };
  const Value d = b.create<math::AbsFOp>(distance);
  if (op.getMode() == ir::ResizeMode::Linear)
    return emitMax(b, emitSub(b, number(1), d), number(0), false);
  const double a = op.getCubicCoeffA().convertToDouble();
  // ((a + 2) d - (a + 3)) d^2 + 1 up to 1, then ((a d - 5 a) d + 8 a) d - 4 a up to 2.
  const Value near = emitAdd(
      b, emitMul(b, emitSub(b, emitMul(b, number(a + 2), d), number(a + 3)), emitMul(b, d, d)),
      number(1));
  Value far = emitSub(b, emitMul(b, number(a), d), number(5 * a));
  far = emitAdd(b, emitMul(b, far, d), number(8 * a));
  far = emitSub(b, emitMul(b, far, d), number(4 * a));
  const Value outer = b.select(emitCompare(b, Compare::kLess, d, number(2)), far, number(0));
  return b.select(emitCompare(b, Compare::kLessOrEqual, d, number(1)), near, outer);
}

static Value clampReal(KernelBuilder& b, Value x, Value low, Value high) {
  const Value raised =
      b.select(emitCompare(b, Compare::kGreater, x, low), x, low);  // NaN goes to `low`.
  return b.select(emitCompare(b, Compare::kLess, raised, high), raised, high);
}

/// The coordinate, moved near the input where it is far outside.
static Value boundedCoordinate(KernelBuilder& b, ir::ResizeOp op, const Axis& axis, Value at) {
  const Value x = inputCoordinate(b, op.getCoordinateTransformationMode(), axis, at);
  const Value last = lastPosition(b, axis);
  return clampReal(b, x, b.scalar(b.getF64Type(), -8),
                   emitAdd(b, last, b.scalar(b.getF64Type(), 8)));
}

static Taps nearestTaps(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  Taps taps;
  taps.count = b.index(1);
  taps.positions = b.compute({axis.output, taps.count}, b.getI64Type(), [&](ValueRange at) {
    const Value rounded =
        roundNearest(b, op.getNearestMode(), boundedCoordinate(b, op, axis, at[0]));
    const Value position = b.toIndex(emitCast(b, rounded, b.getF64Type(), b.getI64Type()));
    return b.fromIndex(b.smaller(b.larger(position, b.index(0)), b.sub(axis.input, 1)),
                       b.getI64Type());
  });
  return taps;
}

/// By how much the filter is widened: 1 over this (f64). With antialias a shrinking filter covers
/// all that it shrinks.
static Value filterStretch(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  const Value one = b.scalar(b.getF64Type(), 1);
  if (!op.getAntialias()) return one;
  if (axis.knownScale) return b.scalar(b.getF64Type(), std::min(*axis.knownScale, 1.0));
  return emitMin(b, toF64(b, axis.scale), one, false);
}

/// How many neighbours on either side the filter sees: its radius over the stretch, rounded up.
static Value tapsOnEitherSide(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  const Type f64 = b.getF64Type();
  const double radius = op.getMode() == ir::ResizeMode::Linear ? 1 : 2;
  if (!op.getAntialias()) return b.index(static_cast<int64_t>(radius));
  if (axis.knownScale) {
    const double stretch = std::min(*axis.knownScale, 1.0);
    return b.index(static_cast<int64_t>(std::ceil(radius / stretch)));
  }
  const Value reach = emitDiv(b, b.scalar(f64, radius), filterStretch(b, op, axis), false);
  // An output of one element or more has a scale of half an element or more: no reach is longer.
  const Value most = toReal(b, b.add(b.mul(axis.input, 4), 8), f64);
  const Value taps = clampReal(b, b.create<math::CeilOp>(reach), b.scalar(f64, radius), most);
  return b.toIndex(emitCast(b, taps, f64, b.getI64Type()));
}

static Taps filterTaps(KernelBuilder& b, ir::ResizeOp op, const Axis& axis, Type work) {
  const Type f64 = b.getF64Type();
  const Value stretch = filterStretch(b, op, axis);
  const Value half = tapsOnEitherSide(b, op, axis);
  const Value reach = toReal(b, half, f64);
  Taps taps;
  taps.count = b.mul(half, 2);
  const Values sizes = {axis.output, taps.count};
  // Before clamping: the neighbours of x, as many on either side.
  const auto neighbour = [&](Value x, Value tap) {
    const Value left = b.create<math::CeilOp>(x);
    return emitAdd(b, left, emitSub(b, b.fromIndex(tap, f64), reach));
  };
  const auto clamped = [&](Value position) {
    const Value last = lastPosition(b, axis);
    return clampReal(b, position, b.scalar(f64, 0), last);
  };
  taps.positions = b.compute(sizes, b.getI64Type(), [&](ValueRange at) {
    const Value position = neighbour(boundedCoordinate(b, op, axis, at[0]), at[1]);
    return emitCast(b, clamped(position), f64, b.getI64Type());
  });
  const Value raw = b.compute(sizes, f64, [&](ValueRange at) {
    const Value x = boundedCoordinate(b, op, axis, at[0]);
    const Value position = neighbour(x, at[1]);
    const Value weight = filterWeight(b, op, emitMul(b, emitSub(b, position, x), stretch));
    if (!op.getExcludeOutside()) return weight;
    const Value isOutside = emitCompare(b, Compare::kNotEqual, clamped(position), position);
    return b.select(isOutside, b.scalar(f64, 0), weight);
  });
  const Value sums = sumLines(b, raw, {1}, {}, /*isSquared=*/false);
  taps.weights = mapLines(b, raw, LineOperand{sums, {0}}, work, [&](ValueRange v) {
    return emitCast(b, emitDiv(b, v[0], v[1], false), f64, work);
  });
  return taps;
}

static Value insideTable(KernelBuilder& b, ir::ResizeOp op, const Axis& axis) {
  return b.compute(axis.output, b.getI1Type(), [&](ValueRange at) {
    const Value x = inputCoordinate(b, op.getCoordinateTransformationMode(), axis, at[0]);
    const Value last = lastPosition(b, axis);
    return b.both(emitCompare(b, Compare::kGreaterOrEqual, x, b.scalar(b.getF64Type(), 0)),
                  emitCompare(b, Compare::kLessOrEqual, x, last));
  });
}

/// `x` with dimension `axis.dim` resampled.
static Value resample(KernelBuilder& b, Value x, const Axis& axis, const Taps& taps) {
  Values sizes = b.sizes(x);
  sizes[axis.dim] = axis.output;
  return b.compute(sizes, typeOf(x).getElementType(), [&](ValueRange at) {
    const auto addTap = [&](Value sum, Value tap) {
      const Value entry[] = {at[axis.dim], tap};
      Values from(at);
      from[axis.dim] = b.toIndex(b.load(taps.positions, entry));
      Value element = b.load(x, from);
      if (taps.weights) element = emitMul(b, element, b.load(taps.weights, entry));
      return sum ? emitAdd(b, sum, element) : element;
    };
    Value sum = addTap({}, b.index(0));
    if (const auto count = getConstantIntValue(taps.count)) {
      for (int64_t t = 1; t < *count; ++t) sum = addTap(sum, b.index(t));
      return sum;
    }
    return b.forEach(b.sub(taps.count, 1), sum, [&](ValueRange t, ValueRange state) -> Values {
      return {addTap(state[0], b.add(t[0], 1))};
    })[0];
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
    x = b.map(x, work, [&](ValueRange v) { return emitCast(b, v[0], element, work); });
  SmallVector<LineOperand> inside;
  for (const Axis& axis : parseAxes(b, resize)) {
    if (crops) inside.push_back({insideTable(b, resize, axis), {axis.dim}});
    if (!crops && axis.knownScale == 1.0) continue;
    x = resample(b, x, axis,
                 isNearest ? nearestTaps(b, resize, axis) : filterTaps(b, resize, axis, work));
  }
  if (work != memory)
    x = b.map(x, memory, [&](ValueRange v) { return emitCast(b, v[0], work, element); });
  if (crops) {
    const Value outside =
        emitCast(b, b.scalar(b.getF64Type(), resize.getExtrapolationValue().convertToDouble()),
                 b.getF64Type(), element);
    x = mapLines(b, x, inside, memory, [&](ValueRange v) {
      Value isInside = v[1];
      for (const Value next : v.drop_front(2)) isInside = b.both(isInside, next);
      return b.select(isInside, v[0], outside);
    });
  }
  b.set(op->getResult(0), x);
  return success();
}

}  // namespace tessera::backend_native
