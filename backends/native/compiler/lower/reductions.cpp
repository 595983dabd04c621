// The Reduce family, softmax and its kin. Reductions work on memory: a blocked dimension
// that is kept stays blocked.
#include "backends/native/compiler/kernel/lines.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/relayout.h"
#include "compiler/ir/io/constants.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The greatest number of each line, from which softmax takes the distances: a NaN is in their sum.
static Value greatestNumber(KernelBuilder& b, Value x, int64_t axis, Type element) {
  return reduceLines(b, x, {}, axis, Element::lowest(b, element, Signedness::kSigned),
                     [](Elements v) { return largerNumber(v[1], v[0]); });
}

/// max + log(sum(exp(x - max))), so that nothing overflows; an infinite maximum is not subtracted.
static Value reduceLogSumExp(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, Type element) {
  const Type real = isa<FloatType>(element) ? element : b.getF64Type();
  if (real != element)
    x = b.map(x, real, [&](Elements v) { return convert(v[0].as(signednessOf(element)), real); });
  const Value greatest = extremeOfLines(b, x, dims, /*wantMax=*/true, real);
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
  return extremeOfLines(b, x, dims, isa<ir::ReduceMaxOp>(op), element);
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
    reduced = extremeOfLines(b, x, dims, /*wantMax=*/true, element);
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
  const Value greatest = greatestNumber(b, x, axis, element);
  const Value powers = mapLines(b, x, LineOperand{.tensor = greatest, .loops = kept}, element,
                                [](Elements v) { return expUpToOne(v[0] - v[1]); });
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
  const Value greatest = greatestNumber(b, x, axis, element);
  const Value sum =
      reduceLines(b, x, LineOperand{.tensor = greatest, .loops = kept}, axis, b.scalar(element, 0),
                  [](Elements v) { return v[2] + expUpToOne(v[0] - v[1]); });
  const Value logarithm = b.map(sum, element, [](Elements v) { return log(v[0]); });
  // Not less their sum, which would be rounded at the size of the greatest.
  b.set(op->getResult(0), mapLines(b, x,
                                   {LineOperand{.tensor = greatest, .loops = kept},
                                    LineOperand{.tensor = logarithm, .loops = kept}},
                                   element, [](Elements v) { return v[0] - v[1] - v[2]; }));
  return success();
}

}  // namespace tessera::backend_native
