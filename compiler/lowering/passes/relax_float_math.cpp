#include "compiler/lowering/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_RELAXFLOATMATHPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct RelaxFloatMath : impl::RelaxFloatMathPassBase<RelaxFloatMath> {
  void runOnOperation() override;
};

}  // namespace

// What lets LLVM accumulate in several lanes. Not both flags for a sum: with them LLVM takes sums
// apart and drops x - x, which is NaN where x is infinite.
static arith::FastMathFlags flagsOfReductionStep(Operation* op) {
  if (isa<arith::AddFOp, arith::MulFOp>(op)) return arith::FastMathFlags::reassoc;
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op)) return arith::FastMathFlags::nsz;
  return arith::FastMathFlags::none;
}

void RelaxFloatMath::runOnOperation() {
  getOperation().walk([&](arith::ArithFastMathInterface op) {
    auto flags = arith::FastMathFlags::contract;
    auto generic = op->getParentOfType<linalg::GenericOp>();
    if (generic && generic.getNumReductionLoops() > 0) flags = flags | flagsOfReductionStep(op);
    if (const arith::FastMathFlagsAttr present = op.getFastMathFlagsAttr())
      flags = flags | present.getValue();
    op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(&getContext(), flags));
  });
}

}  // namespace tessera::lowering
