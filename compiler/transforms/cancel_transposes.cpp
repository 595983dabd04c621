#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_CANCELTRANSPOSESPASS
#include "compiler/transforms/passes.h.inc"

using Permutation = llvm::SmallVector<int64_t>;

static Permutation permutationOf(ir::TransposeOp op) {
  if (op.getPerm()) return Permutation(*op.getPerm());
  const int64_t rank = tensorType(op.getData()).getRank();
  Permutation reversed;
  for (int64_t d = rank - 1; d >= 0; --d) reversed.push_back(d);
  return reversed;
}

namespace {

struct ComposeTransposes : OpRewritePattern<ir::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::TransposeOp op, PatternRewriter& rewriter) const override {
    auto inner = op.getData().getDefiningOp<ir::TransposeOp>();
    if (!inner) return rewriter.notifyMatchFailure(op, "reads no transpose");
    const Permutation first = permutationOf(inner);
    Permutation composed;
    for (const int64_t axis : permutationOf(op)) composed.push_back(first[axis]);
    const bool isIdentity = llvm::is_sorted(composed);
    if (isIdentity && canReplace(op.getTransposed(), inner.getData())) {
      rewriter.replaceOp(op, inner.getData());
      return success();
    }
    rewriter.replaceOp(op, rewriter.create<ir::TransposeOp>(
                               fusedLocation({inner, op}), op.getType(), inner.getData(),
                               rewriter.getDenseI64ArrayAttr(composed)));
    return success();
  }
};

struct TransposeOfUnitDims : OpRewritePattern<ir::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::TransposeOp op, PatternRewriter& rewriter) const override {
    const RankedTensorType type = tensorType(op.getData());
    Permutation moved;
    for (const int64_t axis : permutationOf(op)) {
      if (type.getDimSize(axis) != 1) moved.push_back(axis);
    }
    if (!llvm::is_sorted(moved)) {
      return rewriter.notifyMatchFailure(op, "dimensions larger than 1 change their order");
    }
    const Value reshaped =
        createReshape(rewriter, op.getLoc(), op.getData(), tensorType(op.getTransposed()));
    if (!reshaped) return rewriter.notifyMatchFailure(op, "more than one size is dynamic");
    rewriter.replaceOp(op, reshaped);
    return success();
  }
};

struct CancelTransposes : impl::CancelTransposesPassBase<CancelTransposes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ComposeTransposes, TransposeOfUnitDims>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
