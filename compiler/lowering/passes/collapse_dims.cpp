#include "compiler/lowering/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_COLLAPSEDIMSPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct CollapseDims : impl::CollapseDimsPassBase<CollapseDims> {
  void runOnOperation() override;
};

}  // namespace

// Maximal runs of loops of one kind that appear side by side, in order, in every operand.
static SmallVector<ReassociationIndices> mergeableLoops(linalg::GenericOp op) {
  const SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<ReassociationIndices> runs;
  for (int64_t i = 0; i < static_cast<int64_t>(op.getNumLoops()); ++i) {
    if (!runs.empty() && kinds[i] == kinds[runs.back().back()]) {
      ReassociationIndices longer = runs.back();
      longer.push_back(i);
      if (linalg::areDimSequencesPreserved(maps, {longer})) {
        runs.back() = longer;
        continue;
      }
    }
    runs.push_back({i});
  }
  llvm::erase_if(runs, [](const ReassociationIndices& run) { return run.size() == 1; });
  return runs;
}

static bool isCollapsible(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics()) return false;
  // Merged dynamic dimensions need their product at run time and gain little.
  const bool isStatic = llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
  return isStatic && llvm::all_of(op.getIndexingMapsArray(),
                                  [](AffineMap map) { return map.isProjectedPermutation(); });
}

void CollapseDims::runOnOperation() {
  SmallVector<linalg::GenericOp> ops;
  getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (linalg::GenericOp op : ops) {
    if (!isCollapsible(op)) continue;
    const SmallVector<ReassociationIndices> runs = mergeableLoops(op);
    if (runs.empty()) continue;
    rewriter.setInsertionPoint(op);
    auto collapsed =
        linalg::collapseOpIterationDims(cast<linalg::LinalgOp>(op.getOperation()), runs, rewriter);
    if (succeeded(collapsed)) rewriter.replaceOp(op, collapsed->results);
  }
  // A reshape of nothing is nothing of another shape; only that gives way to a kernel's output,
  // which is then written without a copy.
  RewritePatternSet patterns(&getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
}

}  // namespace tessera::lowering
