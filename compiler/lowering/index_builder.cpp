#include "compiler/lowering/index_builder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tessera::lowering {

Value IndexBuilder::index(int64_t value) { return create<arith::ConstantIndexOp>(value); }
Value IndexBuilder::add(Value a, Value b) { return createOrFold<arith::AddIOp>(a, b); }
Value IndexBuilder::sub(Value a, Value b) { return createOrFold<arith::SubIOp>(a, b); }
Value IndexBuilder::mul(Value a, Value b) { return createOrFold<arith::MulIOp>(a, b); }
Value IndexBuilder::floorDiv(Value a, Value b) { return createOrFold<arith::FloorDivSIOp>(a, b); }
Value IndexBuilder::ceilDiv(Value a, Value b) { return createOrFold<arith::CeilDivSIOp>(a, b); }
Index IndexBuilder::ceilDivUnsigned(Value a, Value b) {
  return term(createOrFold<arith::CeilDivUIOp>(a, b));
}
Value IndexBuilder::rem(Value a, Value b) { return createOrFold<arith::RemSIOp>(a, b); }
Value IndexBuilder::smaller(Value a, Value b) { return createOrFold<arith::MinSIOp>(a, b); }
Value IndexBuilder::larger(Value a, Value b) { return createOrFold<arith::MaxSIOp>(a, b); }
Condition IndexBuilder::less(Value a, Value b) {
  return {*this, createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b)};
}
Condition IndexBuilder::equal(Value a, Value b) {
  return {*this, createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b)};
}
Condition IndexBuilder::isInside(Value a, Value b) {
  // As unsigned numbers, negative ones are huge.
  return {*this, createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, a, b)};
}
Value IndexBuilder::select(Value condition, Value a, Value b) {
  return createOrFold<arith::SelectOp>(condition, a, b);
}

Index IndexBuilder::sum(std::initializer_list<Value> terms) {
  Index total;
  for (const Value value : terms) total = total ? total + value : term(value);
  return total;
}

}  // namespace tessera::lowering
