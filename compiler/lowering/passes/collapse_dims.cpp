#include "compiler/lowering/passes.h"

#include "compiler/lowering/passes/reduced.h"
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

// Whether something that reads what a reduction made of `result`, or was made by one itself,
// reduces one of two of its dimensions, which both are loops so far, and keeps the other.
static bool areReadApart(Value result, unsigned one, unsigned other, bool isReduced) {
  return llvm::any_of(result.getUses(), [&](OpOperand& use) {
    auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!reader || !reader.getMatchingIndexingMap(&use).isProjectedPermutation()) return false;
    const AffineMap map = reader.getMatchingIndexingMap(&use);
    const AffineExpr first = map.getResult(one), second = map.getResult(other);
    const auto kinds = reader.getIteratorTypesArray();
    const auto kindOf = [&](AffineExpr loop) {
      return kinds[cast<AffineDimExpr>(loop).getPosition()];
    };
    if (kindOf(first) != kindOf(second)) return isReduced;
    return llvm::any_of(reader->getResults(), [&](OpResult made) {
      const AffineMap output = reader.getIndexingMapMatchingResult(made);
      const auto dim = output.getResultPosition(first), next = output.getResultPosition(second);
      return dim && next &&
             areReadApart(made, *dim, *next, isReduced || reader.getNumReductionLoops() > 0);
    });
  });
}

// Whether two loops are to stay apart, as groups and their channels: what is made of whole groups
// then shares tiles with what is made of each channel.
static bool areKeptApart(linalg::GenericOp op, int64_t one, int64_t other) {
  return llvm::any_of(op->getResults(), [&](OpResult result) {
    const AffineMap map = op.getIndexingMapMatchingResult(result);
    const auto dim = map.getResultPosition(getAffineDimExpr(one, op.getContext())),
               next = map.getResultPosition(getAffineDimExpr(other, op.getContext()));
    return dim && next && areReadApart(result, *dim, *next, isMadeByReduction(result));
  });
}

// Maximal runs of loops of one kind that appear side by side, in order, in every operand.
static SmallVector<ReassociationIndices> mergeableLoops(linalg::GenericOp op) {
  const SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<ReassociationIndices> runs;
  for (int64_t i = 0; i < static_cast<int64_t>(op.getNumLoops()); ++i) {
    if (!runs.empty() && kinds[i] == kinds[runs.back().back()] &&
        !areKeptApart(op, runs.back().back(), i)) {
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
  // All together, as who reads a result counts.
  const auto all = llvm::map_to_vector(ops, [](linalg::GenericOp op) {
    return isCollapsible(op) ? mergeableLoops(op) : SmallVector<ReassociationIndices>();
  });
  for (const auto& [op, runs] : llvm::zip_equal(ops, all)) {
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
