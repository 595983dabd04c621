// The CPU's maximum gives its second operand where one of both is NaN: a NaN of the first, which in
// reductions is what there is so far, stays by itself, and whether the second one is NaN is not
// waited for from step to step. LLVM would make one chain of comparisons and masks of all three,
// and take vectors apart lane by lane.
#include "compiler/lowering/passes/expand_extremes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

static bool isConstantFloat(Value value) { return matchPattern(value, m_Constant()); }

// NaN of all bits, which makes its selection one `or` where masks are vectors.
static Value nanLike(OpBuilder& b, Location loc, Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  const APFloat nan(element.getFloatSemantics(), APInt::getAllOnes(element.getWidth()));
  const TypedAttr one = b.getFloatAttr(element, nan);
  const auto shaped = dyn_cast<ShapedType>(type);
  return b.create<arith::ConstantOp>(loc, shaped ? DenseElementsAttr::get(shaped, one) : one);
}

namespace {

template <typename Extreme, arith::CmpFPredicate kReplaces>
struct ExpandExtreme : OpRewritePattern<Extreme> {
  using OpRewritePattern<Extreme>::OpRewritePattern;

  LogicalResult matchAndRewrite(Extreme op, PatternRewriter& rewriter) const override {
    const Location loc = op.getLoc();
    Value before = op.getLhs(), next = op.getRhs();
    if (isConstantFloat(before)) std::swap(before, next);  // Of a constant nothing is asked.
    const Value replaces = rewriter.create<arith::CmpFOp>(loc, kReplaces, next, before);
    const Value extreme = rewriter.create<arith::SelectOp>(loc, replaces, next, before);
    const Value isNan =
        rewriter.createOrFold<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, next, next);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNan, nanLike(rewriter, loc, op.getType()),
                                                 extreme);
    return success();
  }
};

// Halves of the lanes, until one is left.
struct ExpandReduction : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op, PatternRewriter& rewriter) const override {
    const bool isMaximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
    const int64_t lanes = op.getSourceVectorType().getNumElements();
    if ((!isMaximum && op.getKind() != vector::CombiningKind::MINIMUMF) || op.getAcc() ||
        !llvm::isPowerOf2_64(static_cast<uint64_t>(lanes)))
      return rewriter.notifyMatchFailure(op, "no extreme of lanes that can be halved");
    const auto extremeOf = [&](Value a, Value b) -> Value {
      if (isMaximum) return rewriter.create<arith::MaximumFOp>(op.getLoc(), a, b);
      return rewriter.create<arith::MinimumFOp>(op.getLoc(), a, b);
    };
    Value all = op.getVector();
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
      const auto partFrom = [&](int64_t first) -> Value {
        const auto part = llvm::to_vector(llvm::seq<int64_t>(first, first + half));
        return rewriter.create<vector::ShuffleOp>(op.getLoc(), all, all, part);
      };
      const Value first = partFrom(0), second = partFrom(half);
      all = extremeOf(first, second);
    }
    rewriter.replaceOpWithNewOp<vector::ExtractOp>(op, all, ArrayRef<int64_t>{0});
    return success();
  }
};

}  // namespace

void populateExpandExtremesPatterns(RewritePatternSet& patterns) {
  // In front of MLIR's own.
  const PatternBenefit benefit = 2;
  patterns.add<ExpandExtreme<arith::MaximumFOp, arith::CmpFPredicate::OGT>,
               ExpandExtreme<arith::MinimumFOp, arith::CmpFPredicate::OLT>, ExpandReduction>(
      patterns.getContext(), benefit);
}

}  // namespace tessera::lowering
