#include <limits>

#include "compiler/lowering/element.h"
#include "compiler/lowering/passes.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  return isa<math::ExpOp, math::TanhOp, math::ErfOp, math::LogOp, math::Log1pOp>(op) && isF32(op);
}

// exp(x) - 1 in f32, to 2 units in the last place. x = k log(2) + r with |r| <= log(2) / 2, and
// exp(x) - 1 = 2^k (exp(r) - 1) + (2^k - 1), where exp(r) - 1 is its Taylor series to r^8. Powers
// of 2 are halved so that the greatest one is a number.
static Element expm1Series(const Element& argument) {
  constexpr double kLog2 = 0.693147180559945, kLog2High = 0.693359375, kLog2Low = -2.12194440e-4;
  ImplicitLocOpBuilder& b = argument.builder();
  // Beyond these it is -1 and infinite.
  const Element x = larger(smaller(argument, 89.0), -40.0);
  const Element k = floor(x * (1 / kLog2) + 0.5);
  const Element r = (x - k * kLog2High) - k * kLog2Low;
  Element series = literal(r, 1.0 / 40320);
  for (const double factor : {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5})
    series = series * r + factor;
  series = r + r * r * series;
  const auto integers = [&](Type type) -> Type {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(b.getI32Type())) : Type(b.getI32Type());
  };
  const Element exponent(b, b.create<arith::FPToSIOp>(integers(k.type()), Value(k)));
  const Element bits(b,
                     b.create<arith::ShLIOp>(Value(exponent + 126), Value(literal(exponent, 23))));
  const Element halfPower(b, b.create<arith::BitcastOp>(x.type(), Value(bits)));
  const Element half = halfPower * series + (halfPower - 0.5);
  return select(isNan(argument), argument, half + half);
}

static void expandExpm1(ModuleOp module) {
  SmallVector<math::ExpM1Op> ops;
  module.walk([&](math::ExpM1Op op) {
    if (isF32(op)) ops.push_back(op);
  });
  for (math::ExpM1Op op : ops) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(Value(expm1Series(Element(b, op.getOperand()))));
    op.erase();
  }
}

// The polynomial for log takes denormal numbers for the smallest normal one: they are scaled by
// 2^23 before, and 23 * log(2) is taken off after.
static void scaleDenormalLogs(ModuleOp module) {
  SmallVector<math::LogOp> logs;
  module.walk([&](math::LogOp op) {
    if (isF32(op)) logs.push_back(op);
  });
  for (math::LogOp op : logs) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    const Element x(b, op.getOperand());
    const Condition isDenormal = x < std::numeric_limits<float>::min();
    const Element normal = select(isDenormal, x * 0x1p23, x);
    const Element shift = select(isDenormal, literal(x, 15.9423847), 0);
    op.replaceAllUsesWith(Value(log(normal) - shift));
    op.erase();
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
  expandExpm1(module);

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
