#include "compiler/lowering/math_expansion.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class ExpandMathPass : public PassWrapper<ExpandMathPass, OperationPass<ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMathPass)
  StringRef getArgument() const override { return "tessera-expand-math"; }
  StringRef getDescription() const override { return "expand transcendental functions"; }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry
        .insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;
};

}  // namespace

// Operators that LLVM turns into instructions or vectorises itself.
static bool isLlvmIntrinsic(Operation* op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
             math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

static bool isF32(Operation* op) {
  return getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

static bool isApproximated(Operation* op) {
  return isa<math::ExpOp, math::TanhOp, math::ErfOp, math::LogOp>(op) && isF32(op);
}

void ExpandMathPass::runOnOperation() {
  ModuleOp module = getOperation();
  bool hasMath = false;
  module.walk([&](Operation* op) {
    hasMath |= isa<math::MathDialect>(op->getDialect()) && !isLlvmIntrinsic(op);
  });
  if (!hasMath) return;

  RewritePatternSet libm(&getContext());
  populateMathToLibmConversionPatterns(libm);
  ConversionTarget target(getContext());
  target.addLegalDialect<arith::ArithDialect, func::FuncDialect, vector::VectorDialect,
                         BuiltinDialect>();
  target.addDynamicallyLegalDialect<math::MathDialect>([](Operation* op) {
    // rsqrt and integer powers have no libm function; MathToLLVM knows them.
    return isLlvmIntrinsic(op) || isApproximated(op) ||
           isa<math::RsqrtOp, math::FPowIOp, math::IPowIOp>(op);
  });
  target.markUnknownOpDynamicallyLegal([](Operation*) { return true; });
  if (failed(applyPartialConversion(module, target, std::move(libm)))) return signalPassFailure();

  RewritePatternSet approximations(&getContext());
  populateMathPolynomialApproximationPatterns(approximations);
  if (failed(applyPatternsAndFoldGreedily(module, std::move(approximations)))) signalPassFailure();
}

std::unique_ptr<Pass> createExpandMathPass() { return std::make_unique<ExpandMathPass>(); }

}  // namespace tessera::lowering
