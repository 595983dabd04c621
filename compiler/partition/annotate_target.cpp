// Greedy choice of an owner for each operator.
#include "compiler/ir/host_views.h"
#include "compiler/partition/answers.h"
#include "compiler/partition/exclusions.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"

namespace tessera::partition {

#define GEN_PASS_DEF_ANNOTATETARGETPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::Owner;

static bool needsOwner(Operation& op) {
  return !backend_api::ownerOf(&op) && !isa<ir::ConstantOp, func::CallOp>(op) &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

/// What a person calls the operator.
static std::string nameOf(Operation* op) {
  auto custom = dyn_cast<ir::CustomOp>(op);
  if (!custom) return op->getName().getStringRef().str();
  const std::string domain = custom.getDomain().str();
  return "the ONNX operator " + (domain.empty() ? "" : domain + ".") + custom.getOpType().str();
}

namespace {

struct AnnotateTarget : impl::AnnotateTargetPassBase<AnnotateTarget> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    const auto visit = [&](Block& block) { return annotate(block, *owners); };
    if (failed(forEachHostBlock(getOperation(), visit))) signalPassFailure();
  }

  static LogicalResult annotate(Block& block, const OwnerIndex& owners) {
    if (failed(checkMarked(block, owners))) return failure();
    SmallVector<Operation*> ops;
    for (Operation& op : block) {
      if (needsOwner(op)) ops.push_back(&op);
    }
    const std::vector<Answers> all = askOwners(ops, owners);
    noteFailures(ops, all, owners);
    for (auto [op, answers] : llvm::zip_equal(ops, all)) {
      noteWilling(op, answers, owners);
      const Owner* owner =
          ir::isRename(op) ? ownerOfView(op, answers, owners) : preferredTaker(op, answers, owners);
      const bool isTheHosts = isControlFlow(op) && !op->hasAttr(kMustAttribute);
      if (owner) {
        op->setAttr(backend_api::kTargetAttribute, owners.attribute(*owner));
      } else if (!ir::isRename(op) && !isTheHosts) {
        return op->emitError() << "no target takes " << nameOf(op) << " ("
                               << reasonsOf(answers, owners) << ")";
      }
    }
    notePartsOfComposites(block, owners);
    return success();
  }

  /// Tells people which targets could not answer, and why, once for each.
  static void noteFailures(ArrayRef<Operation*> ops, ArrayRef<Answers> all,
                           const OwnerIndex& owners) {
    for (size_t i = 0; i < owners.size(); ++i) {
      const auto failed = llvm::find_if(all, [&](const Answers& answers) {
        const auto* declined = std::get_if<backend_api::Declined>(&answers[i]);
        return declined != nullptr && declined->isFailure;
      });
      if (failed == all.end()) continue;
      Operation* op = ops[failed - all.begin()];
      addExclusion(op->getParentOfType<ModuleOp>(),
                   {.regionClass = "",
                    .target = owners.attribute(owners[i]),
                    .reason = std::get<backend_api::Declined>((*failed)[i]).reason,
                    .node = firstNodeOf(op)});
    }
  }

  /// Owners that marks gave, now that pattern tables have seen what was marked.
  static LogicalResult checkMarked(Block& block, const OwnerIndex& owners) {
    for (Operation& op : block) {
      const Owner* owner = op.hasAttr(kRegionNumber) ? owners.of(&op) : nullptr;
      if (!owner) continue;
      const backend_api::Support support = askOwner({&op}, *owner, owners).front();
      if (const auto* declined = std::get_if<backend_api::Declined>(&support))
        return op.emitError() << "is marked for target '" << owner->target.toString()
                              << "', which does not take it: " << declined->reason;
    }
    return success();
  }

  static void noteWilling(Operation* op, const Answers& answers, const OwnerIndex& owners) {
    if (owners.size() < 2) return;
    SmallVector<Attribute> willing;
    for (auto [i, answer] : llvm::enumerate(answers)) {
      if (backend_api::isSupported(answer)) willing.push_back(owners.attribute(owners[i]));
    }
    op->setAttr(kWillingAttribute, ArrayAttr::get(op->getContext(), willing));
  }

  /// Whoever takes a whole, its parts stay on offer to others.
  static void notePartsOfComposites(Block& block, const OwnerIndex& owners) {
    if (owners.size() < 2) return;
    SmallVector<Operation*> parts;
    for (auto composite : block.getOps<ir::CompositeOp>()) {
      composite.getBody().walk([&](Operation* op) {
        if (!isa<ir::ConstantOp>(op) && !op->hasTrait<OpTrait::IsTerminator>()) parts.push_back(op);
      });
    }
    for (auto [op, answers] : llvm::zip_equal(parts, askOwners(parts, owners)))
      noteWilling(op, answers, owners);
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
