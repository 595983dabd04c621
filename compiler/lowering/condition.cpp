#include "compiler/lowering/condition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tessera::lowering {

Condition operator&(const Condition& a, Value b) {
  return {*a.b_, a.b_->createOrFold<arith::AndIOp>(a.value_, b)};
}
Condition operator|(const Condition& a, Value b) {
  return {*a.b_, a.b_->createOrFold<arith::OrIOp>(a.value_, b)};
}
Condition operator^(const Condition& a, Value b) {
  return {*a.b_, a.b_->createOrFold<arith::XOrIOp>(a.value_, b)};
}
Condition operator!(const Condition& a) {
  const Value yes = a.b_->create<arith::ConstantOp>(a.b_->getOneAttr(a.value_.getType()));
  return a ^ yes;
}

}  // namespace tessera::lowering
