#include "compiler/lowering/extremes.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tessera::lowering {

Value extremeOrSecond(OpBuilder& b, Location loc, Extreme which, Value first, Value second) {
  const auto predicate =
      which == Extreme::kMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  const Value wins = b.create<arith::CmpFOp>(loc, predicate, first, second);
  return b.create<arith::SelectOp>(loc, wins, first, second);
}

Value withNan(OpBuilder& b, Location loc, Value isNan, Value value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  const APFloat nan(element.getFloatSemantics(), APInt::getAllOnes(element.getWidth()));
  const TypedAttr one = b.getFloatAttr(element, nan);
  const auto shaped = dyn_cast<ShapedType>(value.getType());
  const Value everywhere =
      b.create<arith::ConstantOp>(loc, shaped ? DenseElementsAttr::get(shaped, one) : one);
  return b.create<arith::SelectOp>(loc, isNan, everywhere, value);
}

}  // namespace tessera::lowering
