#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_INLINEBRANCHESPASS
#include "compiler/transforms/passes.h.inc"

namespace {

struct InlineConstantIf : OpRewritePattern<ir::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::IfOp op, PatternRewriter& rewriter) const override {
    const std::optional<double> condition = ir::constantScalar(op.getCondition());
    if (!condition) return rewriter.notifyMatchFailure(op, "the condition is not constant");
    Block& body = (*condition != 0 ? op.getThenBranch() : op.getElseBranch()).front();
    Operation* yield = body.getTerminator();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), yield->getOperands())) {
      if (!canReplace(result, value)) {
        return rewriter.notifyMatchFailure(op, "users need the declared result type");
      }
    }
    const llvm::SmallVector<Value> values(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&body, op);
    rewriter.replaceOp(op, values);
    return success();
  }
};

struct InlineBranches : impl::InlineBranchesPassBase<InlineBranches> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<InlineConstantIf>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
