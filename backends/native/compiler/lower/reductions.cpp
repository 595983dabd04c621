// The Reduce family, softmax and its kin, argmax. Reductions work on memory: a blocked dimension
// that is kept stays blocked.
#include "backends/native/compiler/kernel/lines.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "compiler/ir/io/constants.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::backend_native {

using namespace mlir;

std::optional<std::string> refuseReduce(Operation* op) {
  if (!cast<ir::ReductionOpInterface>(op).getReducedDims()) return "axes are not constant";
  return std::nullopt;
}

namespace {

/// One member of the family: the accumulator's start, one step, and what the result is made of.
struct Reduction {
  bool isReal = false;  ///< Integers are computed in f64.
  double start = 0;
  Element (*step)(const Element& state, const Element& x) = nullptr;
  /// Null: the state itself.
  Element (*finish)(const Element& state, const Element& count) = nullptr;
};

}  // namespace

static Element addTo(const Element& state, const Element& x) { return state + x; }
static Element multiplyBy(const Element& state, const Element& x) { return state * x; }
static Element addSquare(const Element& state, const Element& x) { return state + x * x; }
static Element addAbsolute(const Element& state, const Element& x) { return state + abs(x); }

static Element takeRoot(const Element& state, const Element& /*count*/) { return sqrt(state); }
static Element takeLog(const Element& state, const Element& /*count*/) { return log(state); }
static Element divideByCount(const Element& state, const Element& count) { return state / count; }

static std::optional<Reduction> sumLike(Operation* op) {
  return llvm::TypeSwitch<Operation*, std::optional<Reduction>>(op)
      .Case([](ir::ReduceSumOp) { return Reduction{.step = addTo}; })
      .Case([](ir::ReduceProdOp) { return Reduction{.start = 1, .step = multiplyBy}; })
      .Case([](ir::ReduceSumSquareOp) { return Reduction{.step = addSquare}; })
      .Case([](ir::ReduceL1Op) { return Reduction{.step = addAbsolute}; })
      .Case([](ir::ReduceL2Op) {
        return Reduction{.isReal = true, .step = addSquare, .finish = takeRoot};
      })
      .Case([](ir::ReduceLogSumOp) {
        return Reduction{.isReal = true, .step = addTo, .finish = takeLog};
      })
      .Case([](ir::ReduceMeanOp) {
        return Reduction{.isReal = true, .step = addTo, .finish = divideByCount};
      })
      .Default([](Operation*) { return std::nullopt; });
}

static Value reduceSumLike(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, const Reduction& how,
                           Type element) {
  const Type memory = kernelElement(element);
  const bool isWidened = how.isReal && !isa<FloatType>(element);
  const Type state = isWidened ? b.getF64Type() : memory;
  const Value sum = reduceLines(b, x, {}, dims, b.scalar(state, how.start), [&](Elements v) {
    return how.step(v[1], isWidened ? convert(v[0].as(signednessOf(element)), state) : v[0]);
  });
  if (!how.finish) return sum;
  const Element count = countLines(b, x, dims, state);
  return b.map(sum, memory, [&](Elements v) {
    const Element result = how.finish(v[0], count);
    return isWidened ? convert(result, element) : result;
  });
}

static Value reduceExtreme(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, bool wantMax,
                           Type element) {
  const Type memory = kernelElement(element);
  const Signedness signedness = signednessOf(element);
  const Value start =
      wantMax ? Element::lowest(b, memory, signedness) : Element::highest(b, memory, signedness);
  return reduceLines(b, x, {}, dims, start, [&](Elements v) {
    const Element state = v[1].as(signedness), next = v[0].as(signedness);
    return wantMax ? larger(state, next) : smaller(state, next);
  });
}

/// max + log(sum(exp(x - max))), so that nothing overflows; an infinite maximum is not subtracted.
static Value reduceLogSumExp(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, Type element) {
  const Type real = isa<FloatType>(element) ? element : b.getF64Type();
  if (real != element)
    x = b.map(x, real, [&](Elements v) { return convert(v[0].as(signednessOf(element)), real); });
  const Value greatest = reduceExtreme(b, x, dims, /*wantMax=*/true, real);
  const Value shift = b.map(greatest, real, [&](Elements v) {
    const Condition isInfinite = abs(v[0]) == std::numeric_limits<double>::infinity();
    return select(isInfinite, 0, v[0]);
  });
  const LineOperand shifts = {.tensor = shift, .loops = otherDims(typeOf(x).getRank(), dims)};
  const Value sum = reduceLines(b, x, shifts, dims, b.scalar(real, 0),
                                [](Elements v) { return v[2] + exp(v[0] - v[1]); });
  return b.map({shift, sum}, kernelElement(element),
               [&](Elements v) { return convert(v[0] + log(v[1]), element); });
}

static Value reduce(KernelBuilder& b, Operation* op, Value x, ArrayRef<int64_t> dims) {
  const Type element = elementOf(op->getOperand(0));
  if (const std::optional<Reduction> how = sumLike(op))
    return reduceSumLike(b, x, dims, *how, element);
  if (isa<ir::ReduceLogSumExpOp>(op)) return reduceLogSumExp(b, x, dims, element);
  return reduceExtreme(b, x, dims, isa<ir::ReduceMaxOp>(op), element);
}

/// Where x lies in blocks of a dimension that is kept, and was put in row-major order for `op`: the
/// memory in blocks. It is reduced there, and the result put in order.
static Value blocksOf(Operation* op, ArrayRef<int64_t> dims) {
  auto relayout = op->getOperand(0).getDefiningOp<ir::RelayoutOp>();
  if (!relayout) return {};
  const Value blocked = relayout->getOperand(0);
  const auto type = cast<RankedTensorType>(blocked.getType());
  const bool isReducible =
      hasOneBlock(type) && !llvm::is_contained(dims, ir::layoutOf(type).getBlockDims()[0]);
  return isReducible && ir::isPlain(cast<RankedTensorType>(relayout.getType())) ? blocked : Value();
}

/// The type of a tensor in blocks with sizes of 1 in `dims`.
static RankedTensorType reducedType(RankedTensorType type, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(type.getShape());
  for (const int64_t dim : dims) shape[dim] = 1;
  return RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
}

LogicalResult lowerReduce(KernelBuilder& b, Operation* op) {
  auto reduction = cast<ir::ReductionOpInterface>(op);
  const SmallVector<int64_t> dims = *reduction.getReducedDims();
  const bool keepsDims = reduction.getKeepdims() != 0;
  const Value blocked = blocksOf(op, dims);
  const Value x = b.get(blocked ? blocked : op->getOperand(0));
  Value reduced = reduce(b, op, x, dims);
  if (keepsDims || blocked) reduced = keepDims(b, reduced, b.sizes(x), dims);
  if (blocked) {
    const RankedTensorType type = reducedType(cast<RankedTensorType>(blocked.getType()), dims);
    reduced = relayout(b, reduced, type, ir::withoutLayout(type));
    Values kept;
    for (const int64_t dim : otherDims(type.getRank(), dims)) kept.push_back(b.size(reduced, dim));
    if (!keepsDims) reduced = b.reshape(reduced, kept);
  }
  b.set(op->getResult(0), reduced);
  return success();
}

LogicalResult lowerGlobalPool(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  const SmallVector<int64_t> dims =
      dimRange(2, cast<RankedTensorType>(op->getOperand(0).getType()).getRank());
  Value reduced;
  if (isa<ir::GlobalMaxPoolOp>(op)) {
    reduced = reduceExtreme(b, x, dims, /*wantMax=*/true, element);
  } else if (auto norm = dyn_cast<ir::GlobalLpPoolOp>(op)) {
    const auto p = static_cast<double>(norm.getP());
    const Value sum = reduceLines(b, x, {}, dims, b.scalar(element, 0),
                                  [&](Elements v) { return v[1] + pow(abs(v[0]), p); });
    reduced = b.map(sum, element, [&](Elements v) { return pow(v[0], 1 / p); });
  } else {
    reduced = reduceSumLike(b, x, dims, {.isReal = true, .step = addTo, .finish = divideByCount},
                            element);
  }
  b.set(op->getResult(0), keepDims(b, reduced, b.sizes(x), dims));
  return success();
}

static int64_t axisOf(Operation* op) { return cast<ir::AxisOpInterface>(op).getAxisNormalized(); }

LogicalResult lowerSoftmax(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  const int64_t axis = axisOf(op);
  const SmallVector<int64_t> kept = otherDims(typeOf(x).getRank(), axis);
  const Value greatest = reduceExtreme(b, x, axis, /*wantMax=*/true, element);
  const Value powers = mapLines(b, x, LineOperand{.tensor = greatest, .loops = kept}, element,
                                [](Elements v) { return exp(v[0] - v[1]); });
  // One division for each line: vectors of them cost a tenth of the whole.
  const Value share =
      b.map(sumLines(b, powers, axis), element, [](Elements v) { return 1 / v[0]; });
  b.set(op->getResult(0), mapLines(b, powers, LineOperand{.tensor = share, .loops = kept}, element,
                                   [](Elements v) { return v[0] * v[1]; }));
  return success();
}

LogicalResult lowerLogSoftmax(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  const int64_t axis = axisOf(op);
  const SmallVector<int64_t> kept = otherDims(typeOf(x).getRank(), axis);
  const Value greatest = reduceExtreme(b, x, axis, /*wantMax=*/true, element);
  const Value sum =
      reduceLines(b, x, LineOperand{.tensor = greatest, .loops = kept}, axis, b.scalar(element, 0),
                  [](Elements v) { return v[2] + exp(v[0] - v[1]); });
  const Value logarithm = b.map(sum, element, [](Elements v) { return log(v[0]); });
  // Not less their sum, which would be rounded at the size of the greatest.
  b.set(op->getResult(0), mapLines(b, x,
                                   {LineOperand{.tensor = greatest, .loops = kept},
                                    LineOperand{.tensor = logarithm, .loops = kept}},
                                   element, [](Elements v) { return v[0] - v[1] - v[2]; }));
  return success();
}

/// `beats`, or a NaN against a number, or with `selectLast` against whatever came before.
static Condition orNan(const Condition& beats, const Element& candidate, const Element& champion,
                       bool selectLast) {
  Condition wins = isNan(candidate);
  // NOLINTNEXTLINE(misc-redundant-expression): only NaN differs from itself.
  if (!selectLast) wins = wins & (champion == champion);
  return beats | wins;
}

namespace {

/// Position of the first (or last) element along `axis` that no other beats, where NaN beats every
/// number.
struct ExtremeSought {
  int64_t axis;
  bool wantMax, selectLast;
  Type element;
};

}  // namespace

/// In one pass that carries the extreme and its position, element by element.
static Value argExtremeInOnePass(KernelBuilder& b, Value x, const ExtremeSought& sought) {
  const auto [axis, wantMax, selectLast, element] = sought;
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  const SmallVector<int64_t> kept = otherDims(rank, axis);
  const Values sizes = b.sizes(x);
  Values to;
  for (const int64_t dim : kept) to.push_back(sizes[dim]);
  const Type memory = kernelElement(element), i64 = b.getI64Type();
  const Signedness signedness = signednessOf(element);
  const Value start =
      wantMax ? Element::lowest(b, memory, signedness) : Element::highest(b, memory, signedness);
  const Value inits[] = {b.filled(start, to), b.filled(b.integer(i64, 0), to)};
  Kinds kinds = parallelLoops(rank);
  kinds[axis] = utils::IteratorType::reduction;
  const AffineMap keep = loopMap(b, rank, kept);
  const auto beatsNumber = [&](const Element& candidate, const Element& champion) {
    if (selectLast) return wantMax ? candidate >= champion : candidate <= champion;
    return wantMax ? candidate > champion : candidate < champion;
  };
  return b.genericMany(
      x, {identityMap(b, rank), keep, keep}, inits, kinds, [&](Elements v) -> Values {
        Condition beats = beatsNumber(v[0].as(signedness), v[1].as(signedness));
        if (isa<FloatType>(memory)) beats = orNan(beats, v[0], v[1], selectLast);
        const Element here =
            b.fromIndex(b.create<linalg::IndexOp>(static_cast<uint64_t>(axis)), i64);
        return {select(beats, v[0], v[1]), select(beats, here, v[2])};
      })[1];
}

/// In two passes of one result each, which vectors have a form for: the extreme, then the first (or
/// last) position of what equals it.
static Value argExtremeInTwoPasses(KernelBuilder& b, Value x, const ExtremeSought& sought) {
  const auto [axis, wantMax, selectLast, element] = sought;
  const RankedTensorType type = typeOf(x);
  const Value extreme = reduceExtreme(b, x, axis, wantMax, element);
  const LineOperand extremes = {.tensor = extreme, .loops = otherDims(type.getRank(), axis)};
  // Narrow positions where they suffice: as many in a vector as there are elements.
  const bool isShort =
      !type.isDynamicDim(axis) && type.getDimSize(axis) <= std::numeric_limits<int32_t>::max();
  const Type position = isShort ? b.getI32Type() : b.getI64Type();
  const Value none = selectLast ? Element::lowest(b, position, Signedness::kSigned)
                                : Element::highest(b, position, Signedness::kSigned);
  const Value found = reduceLines(b, x, extremes, axis, none, [&](Elements v) {
    Condition isExtreme = v[0] == v[1];
    if (v[0].isFloat()) isExtreme = isExtreme | isNan(v[0]);
    const Element here =
        b.fromIndex(b.create<linalg::IndexOp>(static_cast<uint64_t>(axis)), position);
    const Element candidate = select(isExtreme, here, b.element(none));
    return selectLast ? larger(v[2], candidate) : smaller(v[2], candidate);
  });
  return b.map(found, b.getI64Type(), [&](Elements v) { return convert(v[0], b.getI64Type()); });
}

static Value argExtreme(KernelBuilder& b, Value x, const ExtremeSought& sought) {
  // A vector of a shorter line is not worth two passes.
  constexpr int64_t kLeastAlong = 64;
  const RankedTensorType type = typeOf(x);
  const int64_t length = type.getDimSize(sought.axis);
  const bool isLong = ShapedType::isDynamic(length) || length >= kLeastAlong;
  const bool liesInPieces = llvm::any_of(type.getShape().drop_front(sought.axis + 1),
                                         [](int64_t size) { return size != 1; });
  return isLong || liesInPieces ? argExtremeInTwoPasses(b, x, sought)
                                : argExtremeInOnePass(b, x, sought);
}

LogicalResult lowerArgExtreme(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const int64_t axis = axisOf(op);
  b.requireAtLeast(b.sizes(x)[axis], 1, "dimension " + Twine(axis));
  const bool selectsLast = llvm::TypeSwitch<Operation*, bool>(op).Case<ir::ArgmaxOp, ir::ArgminOp>(
      [](auto extreme) { return extreme.getSelectLastIndex() != 0; });
  Value best = argExtreme(b, x,
                          {.axis = axis,
                           .wantMax = isa<ir::ArgmaxOp>(op),
                           .selectLast = selectsLast,
                           .element = elementOf(op->getOperand(0))});
  if (cast<ir::ReductionOpInterface>(op).getKeepdims() != 0)
    best = keepDims(b, best, b.sizes(x), axis);
  b.set(op->getResult(0), best);
  return success();
}

LogicalResult lowerHardmax(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  const int64_t axis = axisOf(op);
  const Value best =
      argExtreme(b, x, {.axis = axis, .wantMax = true, .selectLast = false, .element = element});
  const LineOperand champion = {.tensor = best, .loops = otherDims(typeOf(x).getRank(), axis)};
  b.set(op->getResult(0), mapLines(b, x, champion, element, [&](Elements v) {
          const Value position = b.create<linalg::IndexOp>(static_cast<uint64_t>(axis));
          const Condition isHere = b.fromIndex(position, b.getI64Type()) == v[1];
          return select(isHere, b.scalar(element, 1), 0);
        }));
  return success();
}

}  // namespace tessera::backend_native
