// The CPU's maximum gives its second operand where one of both is NaN: a NaN of the first, which in
// reductions is what there is so far, stays by itself, and whether the second one is NaN is not
// waited for from step to step. LLVM would make one chain of comparisons and masks of all three,
// and take vectors apart lane by lane.
#include "compiler/lowering/passes/expand_extremes.h"

#include "compiler/lowering/extremes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

template <typename Op, Extreme kWhich>
struct ExpandExtreme : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter& rewriter) const override {
    const Location loc = op.getLoc();
    Value before = op.getLhs(), next = op.getRhs();
    // Of a constant nothing is asked.
    if (matchPattern(before, m_Constant())) std::swap(before, next);
    const Value extreme = extremeOrSecond(rewriter, loc, kWhich, next, before);
    if (bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nnan)) {
      rewriter.replaceOp(op, extreme);
      return success();
    }
    const Value isNan =
        rewriter.createOrFold<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, next, next);
    rewriter.replaceOp(op, withNan(rewriter, loc, isNan, extreme));
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
      const auto flags = op.getFastmath();
      if (isMaximum) return rewriter.create<arith::MaximumFOp>(op.getLoc(), a, b, flags);
      return rewriter.create<arith::MinimumFOp>(op.getLoc(), a, b, flags);
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
  patterns.add<ExpandExtreme<arith::MaximumFOp, Extreme::kMaximum>,
               ExpandExtreme<arith::MinimumFOp, Extreme::kMinimum>, ExpandReduction>(
      patterns.getContext(), benefit);
}

}  // namespace tessera::lowering
