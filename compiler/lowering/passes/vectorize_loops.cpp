#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/passes.h"
#include "compiler/lowering/vectorize/emit.h"
#include "compiler/lowering/vectorize/prefetches.h"
#include "compiler/lowering/vectorize/row_pipeline.h"
#include "compiler/lowering/vectorize/streams.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_VECTORIZELOOPSPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct VectorizeLoops : impl::VectorizeLoopsPassBase<VectorizeLoops> {
  using VectorizeLoopsPassBase::VectorizeLoopsPassBase;
  void runOnOperation() override;
};

}  // namespace

/// Indices that tiling moved are sums again, as the rest of a body.
static void expandIndices(linalg::LinalgOp op) {
  op.getBlock()->walk([](affine::AffineApplyOp apply) {
    OpBuilder b(apply);
    const auto values =
        affine::expandAffineMap(b, apply.getLoc(), apply.getAffineMap(), apply.getMapOperands());
    if (!values) return;
    apply.replaceAllUsesWith(values->front());
    apply.erase();
  });
}

void VectorizeLoops::runOnOperation() {
  const auto module = getOperation()->getParentOfType<ModuleOp>();
  const auto given = module->getAttrOfType<IntegerAttr>(kVectorLanesAttr);
  const int64_t numLanes = given ? given.getInt() : lanes;
  const RowPairs pairs = pipelineRows(getOperation(), numLanes);
  SmallVector<linalg::LinalgOp> ops;
  getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  llvm::for_each(ops, expandIndices);
  // All together, as who else writes a result counts.
  auto plans = llvm::map_to_vector(ops, [&](linalg::LinalgOp op) {
    std::optional<VectorPlan> plan = planVectors(op, numLanes);
    if (plan) plan->isStreamed = writesPastCaches(op, *plan);
    return plan;
  });
  addPrefetches(ops, plans);
  DenseSet<Operation*> done;
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (!pairs.contains(op) || !plans[i - 1] || !plans[i]) continue;
    emitBeside(ops[i - 1], *plans[i - 1], op, *plans[i]);
    done.insert(ops[i - 1]);
    done.insert(op);
  }
  // From the last one on: a nest takes the fill before it along.
  DenseSet<Operation*> superfluous;
  for (auto [op, plan] : llvm::reverse(llvm::zip_equal(ops, plans))) {
    if (done.contains(op) || superfluous.contains(op) || !plan) continue;
    for (Operation* other : emitVectorLoops(op, *plan)) superfluous.insert(other);
  }
  for (Operation* op : superfluous) op->erase();
}

}  // namespace tessera::lowering
