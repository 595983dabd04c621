#include "compiler/ir/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_UNIFYRESHAPESPASS
#include "compiler/transforms/passes.h.inc"

/// True when the shape operand is what createReshape would make.
static bool isUnified(ir::ReshapeOp op) {
  const auto shape = ir::constantInts(op.getShape());
  if (!shape) return false;
  for (auto [wanted, size] : llvm::zip_equal(*shape, tensorType(op.getReshaped()).getShape())) {
    if (wanted != (ShapedType::isDynamic(size) ? -1 : size)) return false;
  }
  return true;
}

namespace {

/// Operand 0 of an operation that keeps the order of elements, as a reshape.
struct WriteAsReshape : RewritePattern {
  explicit WriteAsReshape(MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const override {
    if (!isa<ir::ReshapeOp, ir::SqueezeOp, ir::UnsqueezeOp, ir::FlattenOp>(op)) return failure();
    llvm::SmallVector<Operation*> merged{op};
    Value source = op->getOperand(0);
    while (Operation* inner = source.getDefiningOp()) {
      if (!isa<ir::ReshapeOp, ir::SqueezeOp, ir::UnsqueezeOp, ir::FlattenOp>(inner)) break;
      merged.insert(merged.begin(), inner);
      source = inner->getOperand(0);
    }
    auto reshape = dyn_cast<ir::ReshapeOp>(op);
    if (reshape && merged.size() == 1 && isUnified(reshape)) {
      return rewriter.notifyMatchFailure(op, "has its final form");
    }
    const Value unified =
        createReshape(rewriter, fusedLocation(merged), source, tensorType(op->getResult(0)));
    if (!unified) return rewriter.notifyMatchFailure(op, "more than one size is dynamic");
    rewriter.replaceOp(op, unified);
    return success();
  }
};

struct UnifyReshapes : impl::UnifyReshapesPassBase<UnifyReshapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<WriteAsReshape>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
