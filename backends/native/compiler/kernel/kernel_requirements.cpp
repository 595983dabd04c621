// The requirements of KernelBuilder.
#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/lowering/requirement.h"
#include "compiler/support/check.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

void KernelBuilder::leaveLoops() {
  if (getInsertionBlock() == body_) return;
  Operation* loop = body_->findAncestorOpInBlock(*getInsertionBlock()->getParentOp());
  TESSERA_CHECK(loop, "a requirement outside of its kernel");
  setInsertionPoint(loop);
}

void KernelBuilder::require(Value condition, Value found, Value expected, const Twine& text) {
  if (getConstantIntValue(condition).value_or(0) != 0) return;
  // A kernel can be left at its top level only. What loops inside require is known before them.
  const OpBuilder::InsertionGuard guard(*this);
  leaveLoops();
  lowering::buildRequirement(*this, getLoc(), body_->getParentOp()->getParentOfType<ModuleOp>(),
                             condition, toIndex(found), toIndex(expected),
                             {.text = text.str(), .node = node_});
}

Value KernelBuilder::leaderOf(Value size) const {
  for (Value next = equalTo_.lookup(size); next; next = equalTo_.lookup(size)) size = next;
  return size;
}

bool KernelBuilder::isSameSize(Value a, Value b) const {
  const Value x = leaderOf(a), y = leaderOf(b);
  if (x == y) return true;
  const std::optional<int64_t> known = getConstantIntValue(x);
  return known && known == getConstantIntValue(y);
}

void KernelBuilder::requireEqual(Value found, Value expected, const Twine& what) {
  if (isSameSize(found, expected)) return;
  const OpBuilder::InsertionGuard guard(*this);
  leaveLoops();
  require(equal(found, expected), found, expected, what + " is {0}, expected {1}");
  // Constants lead, so that what is equal to one is known.
  Value from = leaderOf(found), to = leaderOf(expected);
  if (getConstantIntValue(from)) std::swap(from, to);
  if (!getConstantIntValue(from)) equalTo_[from] = to;
}

Value KernelBuilder::declaredOr(Value found, int64_t declared, const Twine& what) {
  if (ShapedType::isDynamic(declared)) return found;
  requireEqual(found, index(declared), what);
  return index(declared);
}

void KernelBuilder::requireOneOr(Value found, Value expected, const Twine& what) {
  if (isSameSize(found, expected) || isSameSize(found, index(1))) return;
  const OpBuilder::InsertionGuard guard(*this);
  leaveLoops();
  const Value isOne = equal(found, index(1));
  require(select(isOne, isOne, equal(found, expected)), found, expected,
          what + " is {0}, expected 1 or {1}");
}

void KernelBuilder::requireAtLeast(Value found, int64_t least, const Twine& what) {
  const OpBuilder::InsertionGuard guard(*this);
  leaveLoops();
  require(lessOrEqual(index(least), found), found, index(least),
          what + " is {0}, expected at least {1}");
}

void KernelBuilder::requireAtMost(Value found, Value most, const Twine& what) {
  const OpBuilder::InsertionGuard guard(*this);
  leaveLoops();
  require(lessOrEqual(found, most), found, most, what + " is {0}, expected at most {1}");
}

/// A number of elements, or one that is too large, which an integer holds.
static Element countable(const Element& count) { return smaller(count, 0x1p62); }

void KernelBuilder::requireShape(ValueRange sizes) {
  const OpBuilder::InsertionGuard guard(*this);
  leaveLoops();
  const Type f64 = getF64Type();
  Element count = scalar(f64, 1);
  for (const Value size : sizes) {
    requireAtLeast(size, 0, "a size of the shape");
    requireAtMost(size, index(kMaxElements), "a size of the shape");
    count = count * fromIndex(size, f64);
  }
  const Condition fits = count <= static_cast<double>(kMaxElements);
  require(fits, toIndex(create<arith::FPToSIOp>(getI64Type(), Value(countable(count)))),
          index(kMaxElements), "the number of elements of the shape is {0}, expected at most {1}");
}

void KernelBuilder::requireInside(ValueRange offsets, ValueRange part, ValueRange whole) {
  const OpBuilder::InsertionGuard guard(*this);
  leaveLoops();
  for (auto [offset, size, extent] : llvm::zip_equal(offsets, part, whole)) {
    const bool isWhole = isSameSize(size, extent) && getConstantIntValue(offset) == 0;
    if (isWhole || offset.getParentBlock() != body_) continue;
    requireAtMost(add(offset, size), extent, "the end of a part");
  }
}

}  // namespace tessera::backend_native
