#include "compiler/lowering/passes.h"

#include <limits>

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_EXPANDMATHPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct ExpandMath : impl::ExpandMathPassBase<ExpandMath> {
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

// The polynomial for log takes denormal numbers for the smallest normal one: they are scaled by
// 2^23 before, and 23 * log(2) is taken off after.
static void scaleDenormalLogs(ModuleOp module) {
  SmallVector<math::LogOp> logs;
  module.walk([&](math::LogOp log) {
    if (isF32(log)) logs.push_back(log);
  });
  for (math::LogOp log : logs) {
    OpBuilder b(log);
    const Location loc = log.getLoc();
    const Value x = log.getOperand();
    const auto constant = [&](float value) -> Value {
      TypedAttr attribute = b.getF32FloatAttr(value);
      if (const auto vector = dyn_cast<VectorType>(x.getType()))
        attribute = DenseElementsAttr::get(vector, value);
      return b.create<arith::ConstantOp>(loc, attribute);
    };
    const Value isDenormal = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x,
                                                     constant(std::numeric_limits<float>::min()));
    const Value scaled = b.create<arith::MulFOp>(loc, x, constant(0x1p23f));
    const Value normal = b.create<arith::SelectOp>(loc, isDenormal, scaled, x);
    const Value shift =
        b.create<arith::SelectOp>(loc, isDenormal, constant(15.9423847f), constant(0));
    const Value ofNormal = b.create<math::LogOp>(loc, normal);
    log.replaceAllUsesWith(b.create<arith::SubFOp>(loc, ofNormal, shift).getResult());
    log.erase();
  }
}

void ExpandMath::runOnOperation() {
  ModuleOp module = getOperation();
  bool hasMath = false;
  module.walk([&](Operation* op) {
    hasMath |= isa<math::MathDialect>(op->getDialect()) && !isLlvmIntrinsic(op);
  });
  if (!hasMath) return;
  scaleDenormalLogs(module);

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

}  // namespace tessera::lowering
