// Greedy choice of an owner for each operator.
#include "compiler/ir/host_views.h"
#include "compiler/partition/answers.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"

namespace tessera::partition {

#define GEN_PASS_DEF_ANNOTATETARGETSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::Owner;

static bool needsOwner(Operation& op) {
  return !backend_api::ownerOf(&op) && !isa<ir::ConstantOp, func::CallOp>(op) &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

namespace {

struct AnnotateTargets : impl::AnnotateTargetsPassBase<AnnotateTargets> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    const auto visit = [&](Block& block) { return annotate(block, *owners); };
    if (failed(forEachHostBlock(getOperation(), visit))) signalPassFailure();
  }

  static LogicalResult annotate(Block& block, const OwnerIndex& owners) {
    SmallVector<Operation*> ops;
    for (Operation& op : block) {
      if (needsOwner(op)) ops.push_back(&op);
    }
    for (auto [op, answers] : llvm::zip_equal(ops, askOwners(ops, owners))) {
      const Owner* owner =
          ir::isRename(op) ? ownerOfView(op, answers, owners) : firstTaker(answers, owners);
      if (owner) {
        op->setAttr(backend_api::kTargetAttribute, owners.attribute(*owner));
      } else if (!ir::isRename(op) && !isControlFlow(op)) {
        return op->emitError() << "no target takes " << op->getName() << " ("
                               << reasonsOf(answers, owners) << ")";
      }
    }
    return success();
  }

  /// Elsewhere than with its operand it would lie at a region's border, and go back to the host
  /// program.
  static const Owner* ownerOfView(Operation* view, const Answers& answers,
                                  const OwnerIndex& owners) {
    Operation* producer = view->getOperand(0).getDefiningOp();
    const Owner* owner = producer ? owners.of(producer) : nullptr;
    if (!owner || !owners.rules(*owner).takesViews) return nullptr;
    return backend_api::isSupported(answers[owners.indexOf(*owner)]) ? owner : nullptr;
  }
};

}  // namespace

}  // namespace tessera::partition
