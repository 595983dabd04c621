// Operators that make a tensor from a shape, a few numbers or a position, and running sums.
#include "backends/native/compiler/data_requirements.h"
#include "backends/native/compiler/emit_scalar.h"
#include "backends/native/compiler/lowerings.h"
#include "compiler/ir/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

LogicalResult lowerConstantOfShape(KernelBuilder& b, Operation* op) {
  auto fill = cast<ir::ConstantOfShapeOp>(op);
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const Type element = kernelElement(type.getElementType());
  Value value = b.scalar(element, 0);
  if (const auto given = dyn_cast_or_null<DenseElementsAttr>(fill.getValueAttr())) {
    if (isa<FloatType>(element))
      value = b.scalar(element, (*given.getValues<APFloat>().begin()).convertToDouble());
    else
      value = b.integer(element, (*given.getValues<APInt>().begin()).getSExtValue());
  }
  Values sizes = b.readInts(fill.getInput(), type.getRank());
  if (!ir::constantInts(fill.getInput())) b.requireShape(sizes);
  for (auto [size, extent] : llvm::zip_equal(sizes, type.getShape()))
    size = b.declaredOr(size, extent, "a size of the shape");
  b.set(op->getResult(0), b.filled(value, sizes));
  return success();
}

LogicalResult lowerRange(KernelBuilder& b, Operation* op) {
  auto range = cast<ir::RangeOp>(op);
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const Type element = type.getElementType();
  const Value start = onlyElement(b, range.getStart()), delta = onlyElement(b, range.getDelta());
  const Value isZero = emitCompare(b, Compare::kEqual, delta, b.scalar(element, 0));
  b.require(b.isFalse(isZero), b.index(0), b.index(0), "the delta is 0");
  Value count;
  if (isa<FloatType>(element)) {
    const Type wide = b.getF64Type();
    const auto widen = [&](Value value) { return emitCast(b, value, element, wide); };
    const Value distance = emitSub(b, widen(onlyElement(b, range.getLimit())), widen(start));
    const Value steps = b.create<math::CeilOp>(emitDiv(b, distance, widen(delta), false));
    const Value isCountable =
        emitCompare(b, Compare::kLess, steps, b.scalar(wide, static_cast<double>(kMaxElements)));
    b.require(isCountable, b.index(0), b.index(kMaxElements),
              "the number of elements is not below {1}");
    count = b.larger(b.toIndex(emitCast(b, steps, wide, b.getI64Type())), b.index(0));
  } else {
    const Value from = b.toIndex(start), to = b.toIndex(onlyElement(b, range.getLimit()));
    const Value step = b.toIndex(delta);
    // Distance and step as unsigned numbers, which hold every difference of two signed ones.
    const Value ascends = b.less(b.index(0), step);
    const Value distance = b.select(ascends, b.sub(to, from), b.sub(from, to));
    const Value isSome = b.select(ascends, b.less(from, to), b.less(to, from));
    // A divisor of 0 is refused, but the division may be done before that.
    const Value stride = b.select(ascends, step, b.sub(b.index(0), step));
    const Value divisor = b.select(isZero, b.index(1), stride);
    const Value steps = b.create<arith::CeilDivUIOp>(distance, divisor);
    count = b.select(isSome, steps, b.index(0));
    b.requireShape(count);
  }
  count = b.declaredOr(count, type.getDimSize(0), "the number of elements");
  b.set(op->getResult(0), b.compute(count, element, [&](ValueRange at) {
    return emitAdd(b, start, emitMul(b, b.fromIndex(at[0], element), delta));
  }));
  return success();
}

LogicalResult lowerOneHot(KernelBuilder& b, Operation* op) {
  auto oneHot = cast<ir::OneHotOp>(op);
  const Value classes = b.get(oneHot.getIndices()), values = b.get(oneHot.getValues());
  const Type classElement = elementOf(oneHot.getIndices()), i64 = b.getI64Type();
  const int64_t axis = oneHot.getAxisNormalized();
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value depth =
      b.toIndex(emitCast(b, onlyElement(b, oneHot.getDepth()), elementOf(oneHot.getDepth()), i64));
  b.requireAtLeast(depth, 0, "the depth");
  depth = b.declaredOr(depth, type.getDimSize(axis), "the depth");
  b.requireEqual(b.size(values, 0), b.index(2), "the number of values");
  Values sizes = b.sizes(classes);
  sizes.insert(sizes.begin() + axis, depth);
  if (type.isDynamicDim(axis)) b.requireShape(sizes);
  const Value off = b.load(values, b.index(0)), on = b.load(values, b.index(1));
  b.set(op->getResult(0), b.compute(sizes, off.getType(), [&](ValueRange at) {
    Values place(at);
    place.erase(place.begin() + axis);
    const Value wanted = b.toIndex(emitCast(b, b.load(classes, place), classElement, i64));
    const Value fromEnd = b.add(wanted, depth);
    const Value hot = b.select(b.less(wanted, b.index(0)), fromEnd, wanted);
    return b.select(b.equal(hot, at[axis]), on, off);
  }));
  return success();
}

LogicalResult lowerEyeLike(KernelBuilder& b, Operation* op) {
  auto eye = cast<ir::EyeLikeOp>(op);
  const Type element = kernelElement(elementOf(op->getResult(0)));
  b.set(op->getResult(0), b.compute(b.sizes(b.get(eye.getInput())), element, [&](ValueRange at) {
    const Value onDiagonal = b.equal(b.sub(at[1], at[0]), b.index(eye.getK()));
    return b.select(onDiagonal, b.scalar(element, 1), b.scalar(element, 0));
  }));
  return success();
}

LogicalResult lowerTrilu(KernelBuilder& b, Operation* op) {
  auto trilu = cast<ir::TriluOp>(op);
  const Value input = b.get(trilu.getInput());
  const Type element = typeOf(input).getElementType();
  const int64_t rank = typeOf(input).getRank();
  const Value k = trilu.getK() ? b.toIndex(onlyElement(b, trilu.getK())) : b.index(0);
  b.set(op->getResult(0), b.compute(b.sizes(input), element, [&](ValueRange at) {
    const Value diagonal = b.sub(at[rank - 1], at[rank - 2]);
    const Value isGone = trilu.getUpper() ? b.less(diagonal, k) : b.less(k, diagonal);
    return b.select(isGone, b.scalar(element, 0), b.load(input, at));
  }));
  return success();
}

std::optional<std::string> refuseCumsum(Operation* op) {
  if (!ir::constantInts(op->getOperand(1))) return "the axis is not constant";
  return std::nullopt;
}

LogicalResult lowerCumsum(KernelBuilder& b, Operation* op) {
  auto sum = cast<ir::CumsumOp>(op);
  const Value input = b.get(sum.getX());
  const Type element = typeOf(input).getElementType();
  const int64_t axis = (*ir::spec::constantAxes(sum.getAxis(), typeOf(input).getRank()))[0];
  const Values sizes = b.sizes(input);
  Values lines = sizes;
  lines.erase(lines.begin() + axis);
  const Values result =
      b.forEach(lines, b.empty(element, sizes), [&](ValueRange line, ValueRange outer) -> Values {
        const Value length = sizes[axis];
        const Values last = b.forEach(
            length, {outer[0], b.scalar(element, 0)},
            [&](ValueRange step, ValueRange state) -> Values {
              Values place(line);
              place.insert(place.begin() + axis,
                           sum.getReverse() ? b.sub(b.sub(length, 1), step[0]) : step[0]);
              const Value next = emitAdd(b, state[1], b.load(input, place));
              return {
                  b.create<tensor::InsertOp>(sum.getExclusive() ? state[1] : next, state[0], place),
                  next};
            });
        return {last[0]};
      });
  b.set(op->getResult(0), result[0]);
  return success();
}

}  // namespace tessera::backend_native
