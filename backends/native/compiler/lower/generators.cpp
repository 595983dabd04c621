// Operators that make a tensor from a shape, a few numbers or a position.
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

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
  const Element start = onlyElement(b, range.getStart()), delta = onlyElement(b, range.getDelta());
  const Condition isZero = delta == 0;
  b.require(!isZero, b.index(0), b.index(0), "the delta is 0");
  Value count;
  if (isa<FloatType>(element)) {
    const Element distance = widened(onlyElement(b, range.getLimit())) - widened(start);
    const Element steps = ceil(distance / widened(delta));
    b.require(steps < static_cast<double>(kMaxElements), b.index(0), b.index(kMaxElements),
              "the number of elements is not below {1}");
    count = larger(b.toIndex(convert(steps, b.getI64Type())), 0);
  } else {
    const Index from = b.toIndex(start), to = b.toIndex(onlyElement(b, range.getLimit()));
    const Index step = b.toIndex(delta), zero = b.term(0), one = b.term(1);
    // Distance and step as unsigned numbers, which hold every difference of two signed ones.
    const Condition ascends = zero < step;
    const Index distance = select(ascends, to - from, from - to);
    const Value isSome = b.select(ascends, from < to, to < from);
    // A divisor of 0 is refused, but the division may be done before that.
    const Index stride = select(ascends, step, zero - step);
    const Index divisor = select(isZero, one, stride);
    count = b.select(isSome, b.ceilDivUnsigned(distance, divisor), zero);
    b.requireShape(count);
  }
  count = b.declaredOr(count, type.getDimSize(0), "the number of elements");
  b.set(op->getResult(0), b.compute(count, element, [&](ValueRange at) {
    return start + b.fromIndex(at[0], element) * delta;
  }));
  return success();
}

LogicalResult lowerOneHot(KernelBuilder& b, Operation* op) {
  auto oneHot = cast<ir::OneHotOp>(op);
  const Value classes = b.get(oneHot.getIndices()), values = b.get(oneHot.getValues());
  const Type classElement = elementOf(oneHot.getIndices()), i64 = b.getI64Type();
  const int64_t axis = oneHot.getAxisNormalized();
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const Element given = onlyElement(b, oneHot.getDepth());
  Value depth = b.toIndex(convert(given.as(signednessOf(elementOf(oneHot.getDepth()))), i64));
  b.requireAtLeast(depth, 0, "the depth");
  depth = b.declaredOr(depth, type.getDimSize(axis), "the depth");
  b.requireEqual(b.size(values, 0), b.index(2), "the number of values");
  Values sizes = b.sizes(classes);
  sizes.insert(sizes.begin() + axis, depth);
  if (type.isDynamicDim(axis)) b.requireShape(sizes);
  const Element off = b.load(values, b.index(0)), on = b.load(values, b.index(1));
  b.set(op->getResult(0), b.compute(sizes, off.type(), [&](ValueRange at) {
    Values place(at);
    place.erase(place.begin() + axis);
    const Element label = b.load(classes, place).as(signednessOf(classElement));
    const Index wanted = b.toIndex(convert(label, i64));
    const Index fromEnd = wanted + depth;
    const Index hot = select(wanted < 0, fromEnd, wanted);
    return select(hot == b.term(at[axis]), on, off);
  }));
  return success();
}

LogicalResult lowerEyeLike(KernelBuilder& b, Operation* op) {
  auto eye = cast<ir::EyeLikeOp>(op);
  const Type element = kernelElement(elementOf(op->getResult(0)));
  b.set(op->getResult(0), b.compute(b.sizes(b.get(eye.getInput())), element, [&](ValueRange at) {
    const Condition onDiagonal = b.term(at[1]) - at[0] == static_cast<int64_t>(eye.getK());
    return select(onDiagonal, b.scalar(element, 1), 0);
  }));
  return success();
}

LogicalResult lowerTrilu(KernelBuilder& b, Operation* op) {
  auto trilu = cast<ir::TriluOp>(op);
  const Value input = b.get(trilu.getInput());
  const Type element = typeOf(input).getElementType();
  const int64_t rank = typeOf(input).getRank();
  const Index k = trilu.getK() ? b.toIndex(onlyElement(b, trilu.getK())) : b.term(0);
  b.set(op->getResult(0), b.compute(b.sizes(input), element, [&](ValueRange at) {
    const Value diagonal = b.sub(at[rank - 1], at[rank - 2]);
    const Condition isGone = trilu.getUpper() ? b.less(diagonal, k) : b.less(k, diagonal);
    return select(isGone, 0, b.load(input, at));
  }));
  return success();
}

}  // namespace tessera::backend_native
