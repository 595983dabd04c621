#include "compiler/lowering/prepare_linalg.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class GeneralizeLinalgPass : public PassWrapper<GeneralizeLinalgPass, OperationPass<func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GeneralizeLinalgPass)
  StringRef getArgument() const override { return "tessera-generalize-linalg"; }
  StringRef getDescription() const override {
    return "turn named linalg operations but fill into linalg.generic";
  }
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op)) named.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);  // Stays named when it has no generic form.
    }
  }
};

class CollapseDimsPass : public PassWrapper<CollapseDimsPass, OperationPass<func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CollapseDimsPass)
  StringRef getArgument() const override { return "tessera-collapse-dims"; }
  StringRef getDescription() const override {
    return "merge loops that all operands walk contiguously";
  }
  void runOnOperation() override;
};

class RelaxFloatMathPass : public PassWrapper<RelaxFloatMathPass, OperationPass<func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RelaxFloatMathPass)
  StringRef getArgument() const override { return "tessera-relax-float-math"; }
  StringRef getDescription() const override {
    return "allow fused multiply-add and reordered reductions";
  }
  void runOnOperation() override;
};

}  // namespace

// Maximal runs of loops of one kind that appear side by side, in order, in every operand.
static SmallVector<ReassociationIndices> mergeableLoops(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
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
  bool isStatic = llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
  return isStatic && llvm::all_of(op.getIndexingMapsArray(),
                                  [](AffineMap map) { return map.isProjectedPermutation(); });
}

void CollapseDimsPass::runOnOperation() {
  SmallVector<linalg::GenericOp> ops;
  getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (linalg::GenericOp op : ops) {
    if (!isCollapsible(op)) continue;
    SmallVector<ReassociationIndices> runs = mergeableLoops(op);
    if (runs.empty()) continue;
    rewriter.setInsertionPoint(op);
    auto collapsed =
        linalg::collapseOpIterationDims(cast<linalg::LinalgOp>(op.getOperation()), runs, rewriter);
    if (succeeded(collapsed)) rewriter.replaceOp(op, collapsed->results);
  }
}

// What lets LLVM accumulate in several lanes. Not both flags for a sum: with them LLVM takes sums
// apart and drops x - x, which is NaN where x is infinite.
static arith::FastMathFlags flagsOfReductionStep(Operation* op) {
  if (isa<arith::AddFOp, arith::MulFOp>(op)) return arith::FastMathFlags::reassoc;
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op)) return arith::FastMathFlags::nsz;
  return arith::FastMathFlags::none;
}

void RelaxFloatMathPass::runOnOperation() {
  getOperation().walk([&](arith::ArithFastMathInterface op) {
    auto flags = arith::FastMathFlags::contract;
    auto generic = op->getParentOfType<linalg::GenericOp>();
    if (generic && generic.getNumReductionLoops() > 0) flags = flags | flagsOfReductionStep(op);
    if (const arith::FastMathFlagsAttr present = op.getFastMathFlagsAttr())
      flags = flags | present.getValue();
    op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(&getContext(), flags));
  });
}

std::unique_ptr<Pass> createGeneralizeLinalgPass() {
  return std::make_unique<GeneralizeLinalgPass>();
}

std::unique_ptr<Pass> createCollapseDimsPass() { return std::make_unique<CollapseDimsPass>(); }

std::unique_ptr<Pass> createRelaxFloatMathPass() { return std::make_unique<RelaxFloatMathPass>(); }

}  // namespace tessera::lowering
