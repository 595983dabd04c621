// Owners' last word on their regions, before they become code.
#include "compiler/partition/owner_index.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"

namespace tessera::partition {

#define GEN_PASS_DEF_CHECKREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

namespace {

struct CheckRegions : impl::CheckRegionsPassBase<CheckRegions> {
  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    for (auto region : getOperation().getOps<func::FuncOp>()) {
      const backend_api::Owner* owner = owners->of(region);
      if (owner && !region.isExternal() && !region->hasAttr(kRegionClass))
        check(region, *owner, owners->attribute(*owner));
    }
  }

  void check(func::FuncOp region, const backend_api::Owner& owner, ir::TargetAttr target) {
    const std::string name = regionClass(region);
    region->setAttr(kRegionClass, StringAttr::get(&getContext(), name));
    std::optional<std::string> reason = whyExcluded(getOperation(), name, target);
    if (!reason) {
      const backend_api::Support support = owner.backend->supportsRegion(region, owner.target);
      if (const auto* declined = std::get_if<backend_api::Declined>(&support)) {
        reason = declined->reason;
        addExclusion(getOperation(), {.regionClass = name,
                                      .target = target,
                                      .reason = *reason,
                                      .node = firstNodeOf(region)});
      }
    }
    if (reason) noteRefusal(getOperation(), operatorNumbers(region), target, *reason);
  }
};

}  // namespace

}  // namespace tessera::partition
