#include "compiler/lowering/series/choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

static Value reduced(const Condition& condition, vector::CombiningKind kind) {
  const Value lanes = condition;
  if (!isa<VectorType>(lanes.getType())) return lanes;
  return condition.builder().create<vector::ReductionOp>(kind, lanes);
}

Value holdsAnywhere(const Condition& condition) {
  return reduced(condition, vector::CombiningKind::OR);
}
Value holdsEverywhere(const Condition& condition) {
  return reduced(condition, vector::CombiningKind::AND);
}

Element chooseUsual(const Condition& condition, llvm::function_ref<Element()> usual,
                    llvm::function_ref<Element()> any) {
  ImplicitLocOpBuilder& b = condition.builder();
  const Value yes = b.create<arith::ConstantOp>(b.getBoolAttr(true));
  const Value isUsual = b.create<LLVM::ExpectOp>(holdsEverywhere(condition), yes);
  const OpBuilder::InsertionGuard guard(b);
  const auto emit = [&](llvm::function_ref<Element()> formula) {
    return [&b, formula](OpBuilder& branch, Location loc) {
      const OpBuilder::InsertionGuard outside(b);
      b.restoreInsertionPoint(branch.saveInsertionPoint());
      const Element value = formula();
      branch.restoreInsertionPoint(b.saveInsertionPoint());
      branch.create<scf::YieldOp>(loc, Value(value));
    };
  };
  return {b, b.create<scf::IfOp>(isUsual, emit(usual), emit(any)).getResult(0)};
}

}  // namespace tessera::lowering
