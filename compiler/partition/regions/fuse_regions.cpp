// Fusion groups become functions with an owner.
#include "compiler/ir/host_views.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/border_views.h"
#include "compiler/partition/regions/canonical_order.h"
#include "compiler/partition/regions/fusion_groups.h"
#include "compiler/partition/regions/outline.h"

namespace tessera::partition {

#define GEN_PASS_DEF_FUSEREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

namespace {

/// Which lone operators of a block the host program realises instead of their owners. Decided in
/// canonical order: a value can be computed into one concatenation only, and which one it is does
/// not depend on how independent operators are ordered.
class HostViews {
 public:
  HostViews(Block& block, const std::vector<FusionGroup>& groups) {
    llvm::DenseSet<Operation*> lone;
    for (const FusionGroup& group : groups) {
      if (group.size() == 1) lone.insert(group.front());
    }
    for (Operation* op : canonicalOrder(block)) {
      if (lone.contains(op) && isView(op)) views_.insert(op);
    }
  }
  bool contains(Operation* op) const { return views_.contains(op); }

 private:
  bool isView(Operation* op) {
    if (ir::isRename(op)) return true;
    if (!ir::contiguousParts(op)) return false;
    if (!isa<ir::ConcatOp>(op)) return true;
    llvm::SmallDenseSet<Value> parts;
    const auto willBeInRegion = [&](Operation* other) {
      return backend_api::ownerOf(other) && !views_.contains(other);
    };
    for (const Value operand : op->getOperands()) {
      const Value part = ir::placeableValue(operand, willBeInRegion);
      if (!part || placed_.contains(part) || !parts.insert(part).second) return false;
    }
    placed_.insert(parts.begin(), parts.end());
    return true;
  }

  llvm::DenseSet<Operation*> views_;
  llvm::DenseSet<Value> placed_;  ///< Parts of concatenations in the host program.
};

struct FuseRegions : impl::FuseRegionsPassBase<FuseRegions> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    SymbolTable symbols(getOperation());
    RegionNames names(symbols);
    for (Block* block : hostBlocks(getOperation())) {
      std::vector<FusionGroup> groups = computeFusionGroups(*block, *owners);
      releaseViews(groups);
      const HostViews views(*block, groups);
      for (const FusionGroup& group : groups) {
        if (views.contains(group.front())) {
          group.front()->removeAttr(backend_api::kTargetAttribute);
          continue;
        }
        const backend_api::Owner* owner = owners->of(group.front());
        outlineRegion(group, names.next(owner->target.kind), *owner, *owners, symbols);
      }
    }
    for (Block* block : hostBlocks(getOperation())) {
      for (Operation& op : llvm::make_early_inc_range(llvm::reverse(*block))) {
        if (isa<ir::ConstantOp>(op) && op.use_empty()) op.erase();
      }
    }
  }

  /// Lone ones are left to HostViews.
  static void releaseViews(std::vector<FusionGroup>& groups) {
    for (FusionGroup& group : groups) {
      if (group.size() == 1) continue;
      llvm::SetVector<Operation*> members(group.begin(), group.end());
      releaseBorderViews(members);
      group.assign(members.begin(), members.end());
    }
    llvm::erase_if(groups, [](const FusionGroup& group) { return group.empty(); });
  }
};

}  // namespace

}  // namespace tessera::partition
