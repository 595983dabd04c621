#include <limits>

#include "compiler/lowering/element.h"
#include "compiler/lowering/passes.h"
#include "compiler/lowering/series/choice.h"
#include "compiler/lowering/series/remainder.h"
#include "compiler/lowering/series/series.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
  return isa<math::TanhOp, math::LogOp, math::Log1pOp>(op) && isF32(op);
}

// What computes an operator of any x; null where there is no series.
static Element seriesOf(Operation* op, const Element& x) {
  return llvm::TypeSwitch<Operation*, Element>(op)
      .Case([&](math::AcosOp) { return acosSeries(x); })
      .Case([&](math::AcoshOp) { return acoshSeries(x); })
      .Case([&](math::AsinOp) { return asinSeries(x); })
      .Case([&](math::AsinhOp) { return asinhSeries(x); })
      .Case([&](math::AtanOp) { return atanSeries(x); })
      .Case([&](math::AtanhOp) { return atanhSeries(x); })
      .Case([&](math::CoshOp) { return coshSeries(x); })
      .Case([&](math::ErfOp) { return erfSeries(x); })
      .Case([&](math::ExpM1Op) { return expm1Series(x); })
      .Case([&](math::ExpOp exp) {
        if (exp->hasAttr(kUpToOneAttr)) return expUpToOneSeries(x);
        return expSeries(x, bitEnumContainsAll(exp.getFastmath(), arith::FastMathFlags::ninf));
      })
      .Case([&](math::SinhOp) { return sinhSeries(x); })
      .Default([](Operation*) { return Element(); });
}

static void expandSeries(ModuleOp module) {
  SmallVector<Operation*> ops;
  module.walk([&](Operation* op) {
    if (isa<math::MathDialect>(op->getDialect()) && op->getNumOperands() == 1 && isF32(op))
      ops.push_back(op);
  });
  for (Operation* op : ops) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    const Element y = seriesOf(op, Element(b, op->getOperand(0)));
    if (!y) continue;
    op->replaceAllUsesWith(ValueRange{y});
    op->erase();
  }
}

// The operator on x, lane by lane, each of which libm computes.
static Value emitLanes(ImplicitLocOpBuilder& b, StringAttr name, Value x) {
  const auto emitOne = [&](Value lane) {
    OperationState state(b.getLoc(), name, lane, lane.getType());
    return b.create(state)->getResult(0);
  };
  const auto type = dyn_cast<VectorType>(x.getType());
  if (!type) return emitOne(x);
  const auto index = [&](int64_t number) -> Value {
    return b.create<arith::ConstantIndexOp>(number);
  };
  auto loop = b.create<scf::ForOp>(index(0), index(type.getNumElements()), index(1), x);
  const OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  const Value all = loop.getRegionIterArg(0), lane = loop.getInductionVar();
  const Value y = emitOne(b.create<vector::ExtractElementOp>(all, lane));
  b.create<scf::YieldOp>(ValueRange(b.create<vector::InsertElementOp>(y, all, lane)));
  return loop.getResult(0);
}

static bool isScalarOrRow(Type type) {
  const auto vector = dyn_cast<VectorType>(type);
  return !vector || vector.getRank() == 1;
}

static Element seriesOfAngle(Operation* op, const Element& x) {
  if (isa<math::SinOp>(op)) return sinSeries(x);
  return isa<math::CosOp>(op) ? cosSeries(x) : tanSeries(x);
}

// Angles that the series do not take, infinities and NaN among them, are rare: they are libm's.
static Element expandAngle(Operation* op, ImplicitLocOpBuilder& b) {
  const Element x(b, op->getOperand(0));
  return chooseUsual(
      abs(x) <= kGreatestAngle, [&] { return seriesOfAngle(op, x); },
      [&] { return Element(b, emitLanes(b, op->getName().getIdentifier(), x)); });
}

static Element expandPower(Operation* op, ImplicitLocOpBuilder& b) {
  const Element x(b, op->getOperand(0)), y(b, op->getOperand(1));
  const double infinity = std::numeric_limits<double>::infinity();
  return chooseUsual((x > 0) & (x < infinity) & (abs(y) < infinity),
                     [&] { return powOfNumbersSeries(x, y); }, [&] { return powSeries(x, y); });
}

// What has one formula for the usual numbers and another for any.
static void expandWithChoice(ModuleOp module) {
  SmallVector<Operation*> ops;
  module.walk([&](Operation* op) {
    if (!isa<math::CosOp, math::SinOp, math::TanOp, math::PowFOp, arith::RemFOp>(op)) return;
    if (isF32(op) && isScalarOrRow(op->getResult(0).getType())) ops.push_back(op);
  });
  for (Operation* op : ops) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Element y;
    if (isa<math::PowFOp>(op))
      y = expandPower(op, b);
    else if (isa<arith::RemFOp>(op))
      y = remainderOf(Element(b, op->getOperand(0)), Element(b, op->getOperand(1)));
    else
      y = expandAngle(op, b);
    op->replaceAllUsesWith(ValueRange{y});
    op->erase();
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
    hasMath |= isa<arith::RemFOp>(op) ||
               (isa<math::MathDialect>(op->getDialect()) && !isLlvmIntrinsic(op));
  });
  if (!hasMath) return;
  scaleDenormalLogs(module);
  expandSeries(module);
  expandWithChoice(module);

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
