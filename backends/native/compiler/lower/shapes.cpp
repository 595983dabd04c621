// Operators that change or read the shape of a tensor.
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/shape_range.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

/// The sizes of tsr.reshape's result: 0 copies, -1 is what is left.
static Values reshapeSizes(KernelBuilder& b, ir::ReshapeOp op) {
  const Values from = b.sizes(b.get(op.getData()));
  Values to = b.readInts(op.getShape(), cast<RankedTensorType>(op.getType()).getRank());
  Index known = b.term(1), numLeft = b.term(0);
  SmallVector<Value> isLeft;
  for (auto [i, size] : llvm::enumerate(to)) {
    b.requireAtLeast(size, -1, "a size of the shape");
    const bool canCopy = op.getAllowzero() == 0 && i < from.size();
    if (canCopy) size = select(b.term(size) == 0, b.term(from[i]), size);
    isLeft.push_back(b.less(size, 0));
    known = known * b.select(isLeft.back(), b.index(1), size);
    numLeft = numLeft + b.select(isLeft.back(), b.index(1), b.index(0));
  }
  b.requireAtMost(numLeft, b.index(1), "the number of sizes -1");
  const Condition isTold = (numLeft == 0) | (b.term(0) < known);
  b.require(isTold, b.index(-1), known, "the size {0} is not told by others whose product is {1}");
  const Index left = floorDiv(b.term(b.product(from)), larger(known, 1));
  for (auto [size, leave] : llvm::zip_equal(to, isLeft)) size = b.select(leave, left, size);
  if (!ir::constantInts(op.getShape())) b.requireShape(to);
  return to;
}

static Values squeezeSizes(KernelBuilder& b, ir::SqueezeOp op) {
  const Value data = b.get(op.getData());
  const RankedTensorType type = typeOf(data);
  const auto axes = ir::spec::constantAxes(op.getAxes(), type.getRank());
  Values sizes;
  for (auto [i, size] : llvm::enumerate(b.sizes(data))) {
    const auto dim = static_cast<int64_t>(i);
    const bool isGone = axes ? llvm::is_contained(*axes, dim) : type.getDimSize(i) == 1;
    if (isGone) {
      b.requireEqual(size, b.index(1), "removed dimension " + Twine(i));
      continue;
    }
    // The rank of the result was settled when the size was not known.
    if (!axes && type.isDynamicDim(i))
      b.require(!b.equal(size, 1), size, b.index(2),
                "dimension " + Twine(i) +
                    " is {0}, so that it goes without axes, but the rank was settled before");
    sizes.push_back(size);
  }
  return sizes;
}

static Values unsqueezeSizes(KernelBuilder& b, ir::UnsqueezeOp op) {
  Values sizes = b.sizes(b.get(op.getData()));
  const int64_t rank = cast<RankedTensorType>(op.getExpanded().getType()).getRank();
  SmallVector<int64_t> axes = *ir::spec::constantAxes(op.getAxes(), rank);
  llvm::sort(axes);
  for (const int64_t axis : axes) sizes.insert(sizes.begin() + axis, b.index(1));
  return sizes;
}

static Values flattenSizes(KernelBuilder& b, ir::FlattenOp op) {
  const Values sizes = b.sizes(b.get(op.getInput()));
  const int64_t axis = op.getAxisNormalized();
  return {b.product(ArrayRef(sizes).take_front(axis)), b.product(ArrayRef(sizes).drop_front(axis))};
}

LogicalResult lowerReshape(KernelBuilder& b, Operation* op) {
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Values sizes;
  if (type.hasStaticShape()) {
    for (const int64_t extent : type.getShape()) sizes.push_back(b.index(extent));
  } else if (auto reshape = dyn_cast<ir::ReshapeOp>(op)) {
    sizes = reshapeSizes(b, reshape);
  } else if (auto squeeze = dyn_cast<ir::SqueezeOp>(op)) {
    sizes = squeezeSizes(b, squeeze);
  } else if (auto unsqueeze = dyn_cast<ir::UnsqueezeOp>(op)) {
    sizes = unsqueezeSizes(b, unsqueeze);
  } else {
    sizes = flattenSizes(b, cast<ir::FlattenOp>(op));
  }
  for (auto [i, size, extent] : llvm::enumerate(sizes, type.getShape()))
    size = b.declaredOr(size, extent, "dimension " + Twine(i));
  b.set(op->getResult(0), b.reshape(b.get(op->getOperand(0)), sizes));
  return success();
}

std::optional<std::string> refuseReshape(Operation* op) {
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.hasStaticShape()) return std::nullopt;
  const bool hasAxes = isa<ir::SqueezeOp, ir::UnsqueezeOp>(op) && op->getNumOperands() > 1;
  if (hasAxes && !ir::constantInts(op->getOperand(1))) return "axes are not constant";
  return std::nullopt;
}

static Value tensorOfSizes(KernelBuilder& b, ValueRange sizes) {
  Values elements;
  for (const Value size : sizes) elements.push_back(b.fromIndex(size, b.getI64Type()));
  const auto type = RankedTensorType::get({static_cast<int64_t>(elements.size())}, b.getI64Type());
  return b.create<tensor::FromElementsOp>(type, elements);
}

LogicalResult lowerShape(KernelBuilder& b, Operation* op) {
  auto shape = cast<ir::ShapeOp>(op);
  const auto range = ir::spec::shapeRange(shape);
  const Values sizes = b.sizes(b.get(shape.getData()));
  b.set(shape.getShape(), tensorOfSizes(b, ArrayRef(sizes).slice(range.start, range.length)));
  return success();
}

LogicalResult lowerSize(KernelBuilder& b, Operation* op) {
  const Value count = b.fromIndex(b.product(b.sizes(b.get(op->getOperand(0)))), b.getI64Type());
  b.set(op->getResult(0),
        b.create<tensor::FromElementsOp>(RankedTensorType::get({}, b.getI64Type()), count));
  return success();
}

}  // namespace tessera::backend_native
