#include "compiler/transforms/strength_reduction.h"

#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/transforms/recognize/signs.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

namespace {

/// Powers to a half of -inf and -0.0 are +inf and 0, the roots NaN and -0.0: a root needs an
/// operand that is neither.
struct ReducePower : OpRewritePattern<ir::PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::PowOp op, PatternRewriter& rewriter) const override {
    const std::optional<double> exponent = ir::constantScalar(op.getB());
    const Value x = op.getA();
    const Type type = op.getType();
    if (!exponent || type != x.getType() || !isa<FloatType>(tensorType(x).getElementType())) {
      return rewriter.notifyMatchFailure(op, "no floating-point power with one constant exponent");
    }
    const bool needsRoot = *exponent == 0.5 || *exponent == -0.5;
    if (needsRoot && !isPositiveOrZero(x)) {
      return rewriter.notifyMatchFailure(op, "the operand may be -inf or -0.0");
    }
    const Location loc = op.getLoc();
    if (*exponent == 2 || *exponent == 3) {
      Value power = rewriter.create<ir::MulOp>(loc, type, x, x);
      if (*exponent == 3) power = rewriter.create<ir::MulOp>(loc, type, power, x);
      rewriter.replaceOp(op, power);
    } else if (*exponent == 0.5) {
      rewriter.replaceOpWithNewOp<ir::SqrtOp>(op, type, x);
    } else if (*exponent == -1) {
      rewriter.replaceOpWithNewOp<ir::ReciprocalOp>(op, type, x);
    } else if (*exponent == -0.5) {
      const Value root = rewriter.create<ir::SqrtOp>(loc, type, x);
      rewriter.replaceOpWithNewOp<ir::ReciprocalOp>(op, type, root);
    } else {
      return rewriter.notifyMatchFailure(op, "the exponent needs a real power");
    }
    return success();
  }
};

struct DivideOne : OpRewritePattern<ir::DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::DivOp op, PatternRewriter& rewriter) const override {
    const bool isFloat = isa<FloatType>(tensorType(op.getC()).getElementType());
    if (!isFloat || !isConstantOf(op.getA(), 1) || op.getType() != op.getB().getType()) {
      return rewriter.notifyMatchFailure(op, "does not divide 1");
    }
    rewriter.replaceOpWithNewOp<ir::ReciprocalOp>(op, op.getType(), op.getB());
    return success();
  }
};

/// Cast to B and on to C is a cast to C where B holds every value of the operand's type A.
struct MergeCasts : OpRewritePattern<ir::CastOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool holdsAll(Type wide, Type narrow) {
    const ElementType to = ir::toElementType(wide);
    const ElementType from = ir::toElementType(narrow);
    if (from == ElementType::kBool) return true;
    if (to == ElementType::kBool || isFloat(from) != isFloat(to)) return false;
    if (isFloat(from))
      return to == ElementType::kF64 || (to == ElementType::kF32 && from != ElementType::kF64);
    // A signed type holds a narrower unsigned one, never the other way round.
    const bool isSameSign = wide.isUnsignedInteger() == narrow.isUnsignedInteger();
    const unsigned toBits = wide.getIntOrFloatBitWidth();
    const unsigned fromBits = narrow.getIntOrFloatBitWidth();
    return isSameSign ? toBits >= fromBits : narrow.isUnsignedInteger() && toBits > fromBits;
  }

  LogicalResult matchAndRewrite(ir::CastOp op, PatternRewriter& rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ir::CastOp>();
    if (!inner) return rewriter.notifyMatchFailure(op, "casts no cast");
    const auto elementOf = [](Value value) { return tensorType(value).getElementType(); };
    if (!holdsAll(elementOf(inner.getOutput()), elementOf(inner.getInput()))) {
      return rewriter.notifyMatchFailure(op, "the first cast loses something");
    }
    const Location loc = fusedLocation({inner, op});
    rewriter.replaceOp(op, rewriter.create<ir::CastOp>(loc, op.getType(), inner.getInput(),
                                                       op.getSaturateAttr(), op.getToAttr()));
    return success();
  }
};

}  // namespace

void addStrengthReductions(RewritePatternSet& patterns) {
  patterns.add<DivideOne, MergeCasts, ReducePower>(patterns.getContext());
}

}  // namespace tessera::transforms
