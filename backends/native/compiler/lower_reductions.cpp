// The Reduce family, softmax and its kin, argmax. Reductions work on memory: a blocked dimension
// that is kept stays blocked.
#include "backends/native/compiler/emit_scalar.h"
#include "backends/native/compiler/lines.h"
#include "backends/native/compiler/lowerings.h"
#include "compiler/ir/constants.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::backend_native {

using namespace mlir;

static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

std::optional<std::string> refuseReduce(Operation* op) {
  if (!cast<ir::ReductionOpInterface>(op).getReducedDims()) return "axes are not constant";
  return std::nullopt;
}

namespace {

/// One member of the family: the accumulator's start, one step, and what the result is made of.
struct Reduction {
  bool isReal = false;  ///< Integers are computed in f64.
  double start = 0;
  Value (*step)(KernelBuilder&, Value state, Value x) = nullptr;
  Value (*finish)(KernelBuilder&, Value state, Value count) = nullptr;  ///< Null: the state itself.
};

}  // namespace

static Value addSquare(KernelBuilder& b, Value state, Value x) {
  return emitAdd(b, state, emitMul(b, x, x));
}

static Value addAbsolute(KernelBuilder& b, Value state, Value x) {
  if (isa<FloatType>(x.getType())) return emitAdd(b, state, b.create<math::AbsFOp>(x));
  return emitAdd(b, state, b.create<math::AbsIOp>(x));
}

static Value takeRoot(KernelBuilder& b, Value state, Value) {
  return b.create<math::SqrtOp>(state);
}
static Value takeLog(KernelBuilder& b, Value state, Value) { return b.create<math::LogOp>(state); }
static Value divideByCount(KernelBuilder& b, Value state, Value count) {
  return emitDiv(b, state, count, false);
}

static std::optional<Reduction> sumLike(Operation* op) {
  return llvm::TypeSwitch<Operation*, std::optional<Reduction>>(op)
      .Case([](ir::ReduceSumOp) { return Reduction{.step = emitAdd}; })
      .Case([](ir::ReduceProdOp) { return Reduction{.start = 1, .step = emitMul}; })
      .Case([](ir::ReduceSumSquareOp) { return Reduction{.step = addSquare}; })
      .Case([](ir::ReduceL1Op) { return Reduction{.step = addAbsolute}; })
      .Case([](ir::ReduceL2Op) {
        return Reduction{.isReal = true, .step = addSquare, .finish = takeRoot};
      })
      .Case([](ir::ReduceLogSumOp) {
        return Reduction{.isReal = true, .step = emitAdd, .finish = takeLog};
      })
      .Case([](ir::ReduceMeanOp) {
        return Reduction{.isReal = true, .step = emitAdd, .finish = divideByCount};
      })
      .Default([](Operation*) { return std::nullopt; });
}

static Value reduceSumLike(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, const Reduction& how,
                           Type element) {
  const Type memory = kernelElement(element);
  const bool isWidened = how.isReal && !isa<FloatType>(element);
  const Type state = isWidened ? b.getF64Type() : memory;
  const Value sum = reduceLines(b, x, {}, dims, b.scalar(state, how.start), [&](ValueRange v) {
    return how.step(b, v[1], isWidened ? emitCast(b, v[0], element, state) : v[0]);
  });
  if (!how.finish) return sum;
  const Value count = countLines(b, x, dims, state);
  return b.map(sum, memory, [&](ValueRange v) {
    const Value result = how.finish(b, v[0], count);
    return isWidened ? emitCast(b, result, state, element) : result;
  });
}

static Value reduceExtreme(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, bool wantMax,
                           Type element) {
  const Type memory = kernelElement(element);
  const bool isUnsignedElement = isUnsigned(element);
  const Value start =
      wantMax ? b.lowest(memory, isUnsignedElement) : b.highest(memory, isUnsignedElement);
  return reduceLines(b, x, {}, dims, start, [&](ValueRange v) {
    return wantMax ? emitMax(b, v[1], v[0], isUnsignedElement)
                   : emitMin(b, v[1], v[0], isUnsignedElement);
  });
}

/// max + log(sum(exp(x - max))), so that nothing overflows; an infinite maximum is not subtracted.
static Value reduceLogSumExp(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, Type element) {
  const Type real = isa<FloatType>(element) ? element : b.getF64Type();
  if (real != element)
    x = b.map(x, real, [&](ValueRange v) { return emitCast(b, v[0], element, real); });
  const Value greatest = reduceExtreme(b, x, dims, /*wantMax=*/true, real);
  const Value shift = b.map(greatest, real, [&](ValueRange v) {
    const Value infinity = b.scalar(real, std::numeric_limits<double>::infinity());
    const Value isInfinite =
        emitCompare(b, Compare::kEqual, b.create<math::AbsFOp>(v[0]), infinity);
    return b.select(isInfinite, b.scalar(real, 0), v[0]);
  });
  const LineOperand shifts = {shift, otherDims(typeOf(x).getRank(), dims)};
  const Value sum = reduceLines(b, x, shifts, dims, b.scalar(real, 0), [&](ValueRange v) {
    return emitAdd(b, v[2], b.create<math::ExpOp>(emitSub(b, v[0], v[1])));
  });
  return b.map({shift, sum}, kernelElement(element), [&](ValueRange v) {
    return emitCast(b, emitAdd(b, v[0], b.create<math::LogOp>(v[1])), real, element);
  });
}

LogicalResult lowerReduce(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  auto reduction = cast<ir::ReductionOpInterface>(op);
  const SmallVector<int64_t> dims = *reduction.getReducedDims();
  Value reduced;
  if (const std::optional<Reduction> how = sumLike(op))
    reduced = reduceSumLike(b, x, dims, *how, element);
  else if (isa<ir::ReduceLogSumExpOp>(op))
    reduced = reduceLogSumExp(b, x, dims, element);
  else
    reduced = reduceExtreme(b, x, dims, isa<ir::ReduceMaxOp>(op), element);
  if (reduction.getKeepdims()) reduced = keepDims(b, reduced, b.sizes(x), dims);
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
    const double p = static_cast<double>(norm.getP());
    const Value sum = reduceLines(b, x, {}, dims, b.scalar(element, 0), [&](ValueRange v) {
      const Value power =
          b.create<math::PowFOp>(b.create<math::AbsFOp>(v[0]), b.scalar(element, p));
      return emitAdd(b, v[1], power);
    });
    reduced = b.map(sum, element, [&](ValueRange v) -> Value {
      return b.create<math::PowFOp>(v[0], b.scalar(element, 1 / p));
    });
  } else {
    reduced = reduceSumLike(b, x, dims, {.isReal = true, .step = emitAdd, .finish = divideByCount},
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
  const Value powers = mapLines(
      b, x, LineOperand{greatest, kept}, element,
      [&](ValueRange v) -> Value { return b.create<math::ExpOp>(emitSub(b, v[0], v[1])); });
  const Value sum = sumLines(b, powers, axis, {}, /*isSquared=*/false);
  b.set(op->getResult(0), mapLines(b, powers, LineOperand{sum, kept}, element,
                                   [&](ValueRange v) { return emitDiv(b, v[0], v[1], false); }));
  return success();
}

LogicalResult lowerLogSoftmax(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  const int64_t axis = axisOf(op);
  const SmallVector<int64_t> kept = otherDims(typeOf(x).getRank(), axis);
  const Value greatest = reduceExtreme(b, x, axis, /*wantMax=*/true, element);
  const Value sum =
      reduceLines(b, x, LineOperand{greatest, kept}, axis, b.scalar(element, 0), [&](ValueRange v) {
        return emitAdd(b, v[2], b.create<math::ExpOp>(emitSub(b, v[0], v[1])));
      });
  const Value shift = b.map({greatest, sum}, element, [&](ValueRange v) {
    return emitAdd(b, v[0], b.create<math::LogOp>(v[1]));
  });
  b.set(op->getResult(0), mapLines(b, x, LineOperand{shift, kept}, element,
                                   [&](ValueRange v) { return emitSub(b, v[0], v[1]); }));
  return success();
}

/// `beats`, or a NaN against a number, or with `selectLast` against whatever came before.
static Value orNan(KernelBuilder& b, Value beats, Value candidate, Value champion,
                   bool selectLast) {
  Value isNan = emitCompare(b, Compare::kNotEqual, candidate, candidate);
  if (!selectLast) isNan = b.both(isNan, emitCompare(b, Compare::kEqual, champion, champion));
  return b.createOrFold<arith::OrIOp>(beats, isNan);
}

/// Position of the first (or last) element along `axis` that no other beats, where NaN beats every
/// number; the dimension is dropped.
static Value argExtreme(KernelBuilder& b, Value x, int64_t axis, bool wantMax, bool selectLast,
                        Type element) {
  const auto rank = static_cast<unsigned>(typeOf(x).getRank());
  const SmallVector<int64_t> kept = otherDims(rank, axis);
  const Values sizes = b.sizes(x);
  Values to;
  for (const int64_t dim : kept) to.push_back(sizes[dim]);
  const Type memory = kernelElement(element), i64 = b.getI64Type();
  const bool isUnsignedElement = isUnsigned(element);
  const Value start =
      wantMax ? b.lowest(memory, isUnsignedElement) : b.highest(memory, isUnsignedElement);
  const Value inits[] = {b.filled(start, to), b.filled(b.integer(i64, 0), to)};
  Kinds kinds = parallelLoops(rank);
  kinds[axis] = utils::IteratorType::reduction;
  const AffineMap keep = loopMap(b, rank, kept);
  const Compare strict = wantMax ? Compare::kGreater : Compare::kLess;
  const Compare loose = wantMax ? Compare::kGreaterOrEqual : Compare::kLessOrEqual;
  return b.genericMany(
      x, {identityMap(b, rank), keep, keep}, inits, kinds, [&](ValueRange v) -> Values {
        Value beats = emitCompare(b, selectLast ? loose : strict, v[0], v[1], isUnsignedElement);
        if (isa<FloatType>(memory)) beats = orNan(b, beats, v[0], v[1], selectLast);
        const Value here = b.fromIndex(b.create<linalg::IndexOp>(static_cast<uint64_t>(axis)), i64);
        return {b.select(beats, v[0], v[1]), b.select(beats, here, v[2])};
      })[1];
}

LogicalResult lowerArgExtreme(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const int64_t axis = axisOf(op);
  b.requireAtLeast(b.sizes(x)[axis], 1, "dimension " + Twine(axis));
  const bool selectsLast = llvm::TypeSwitch<Operation*, bool>(op).Case<ir::ArgmaxOp, ir::ArgminOp>(
      [](auto extreme) { return extreme.getSelectLastIndex() != 0; });
  Value best =
      argExtreme(b, x, axis, isa<ir::ArgmaxOp>(op), selectsLast, elementOf(op->getOperand(0)));
  if (cast<ir::ReductionOpInterface>(op).getKeepdims()) best = keepDims(b, best, b.sizes(x), axis);
  b.set(op->getResult(0), best);
  return success();
}

LogicalResult lowerHardmax(KernelBuilder& b, Operation* op) {
  const Value x = b.get(op->getOperand(0));
  const Type element = elementOf(op->getOperand(0));
  const int64_t axis = axisOf(op);
  const Value best = argExtreme(b, x, axis, /*wantMax=*/true, /*selectLast=*/false, element);
  b.set(op->getResult(0), mapLines(b, x, LineOperand{best, otherDims(typeOf(x).getRank(), axis)},
                                   element, [&](ValueRange v) {
                                     const Value here = b.fromIndex(
                                         b.create<linalg::IndexOp>(static_cast<uint64_t>(axis)),
                                         b.getI64Type());
                                     return b.select(emitCompare(b, Compare::kEqual, here, v[1]),
                                                     b.scalar(element, 1), b.scalar(element, 0));
                                   }));
  return success();
}

}  // namespace tessera::backend_native
