#include "compiler/driver/run_phases.h"

#include "compiler/backend_api/unobserved.h"
#include "compiler/partition/exclusions.h"

namespace tessera::driver {

using namespace mlir;
using target::Phase;

static Error refusalError(func::FuncOp region) {
  Error error = targetFailed(
      "target '" + backend_api::fromAttribute(backend_api::ownerOf(region)).toString() +
      "' has no code for region '" + region.getName().str() +
      "': " + region->getAttrOfType<StringAttr>(backend_api::kRefusedAttribute).str());
  error.node = partition::firstNodeOf(region);
  return error;
}

/// Whether targets refused regions of `module`; these are excluded in `unplaced` then.
static Result<bool> excludeRefused(ModuleOp module, ModuleOp unplaced) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  bool isRefused = false;
  for (auto region : module.getOps<func::FuncOp>()) {
    const auto reason = region->getAttrOfType<StringAttr>(backend_api::kRefusedAttribute);
    if (!reason) continue;
    isRefused = true;
    const ir::TargetAttr target = backend_api::ownerOf(region);
    const auto name = region->getAttrOfType<StringAttr>(partition::kRegionClass);
    const bool isHost = backend_api::findOwner(owners, target) == backend_api::hostOf(owners);
    // A class that was excluded before and comes back would come back for ever.
    if (!unplaced || isHost || !name || partition::whyExcluded(unplaced, name.getValue(), target))
      return refusalError(region);
    partition::addExclusion(unplaced, {.regionClass = name.str(),
                                       .target = target,
                                       .reason = reason.str(),
                                       .node = partition::firstNodeOf(region)});
  }
  return isRefused;
}

/// Of refusals in a phase, beyond the `numKnown` that the module came with.
static Status checkNothingRefused(ModuleOp module, size_t numKnown) {
  const std::vector<partition::Exclusion> exclusions = partition::exclusionsOf(module);
  const auto found =
      std::ranges::find_if(exclusions.begin() + static_cast<ptrdiff_t>(numKnown), exclusions.end(),
                           [](const partition::Exclusion& each) { return !each.isPruned; });
  if (found == exclusions.end()) return {};
  const partition::Exclusion& first = *found;
  Error error = targetFailed("target '" + backend_api::fromAttribute(first.target).toString() +
                             "' refuses a region: " + first.reason);
  error.node = first.node;
  return error;
}

/// Tells owners before phase `next` whether somebody looks at what they make of their regions.
static void tellUnobserved(ModuleOp module, Phase next, Phase last, const PassDoor& door) {
  if (next == Phase::kOptimize && last >= Phase::kEmit && door.isPlain())
    module->setAttr(backend_api::kUnobservedAttribute, UnitAttr::get(module.getContext()));
}

Status runPhases(ModuleInPhases& module, Phase last, PassDoor& door, const RunOptions& options) {
  // A saved module may say anything.
  module.module->getOperation()->removeAttr(backend_api::kUnobservedAttribute);
  while (phaseOf(*module.module) < last) {
    const auto next = static_cast<Phase>(static_cast<int>(phaseOf(*module.module)) + 1);
    if (next == Phase::kPartition && !options.isStrict) {
      TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(*module.module));
      if (owners.size() > 1) module.unplaced = module.module->clone();
    }
    tellUnobserved(*module.module, next, last, door);
    const size_t numKnown = partition::exclusionsOf(*module.module).size();
    TESSERA_TRY_VOID(runPhase(*module.module, next, options.services, door, module.unplaced.get()));
    if (options.isStrict) TESSERA_TRY_VOID(checkNothingRefused(*module.module, numKnown));
    if (options.finished) options.finished(next);
    if (next != Phase::kEmit) continue;
    module.module->getOperation()->removeAttr(backend_api::kUnobservedAttribute);
    TESSERA_TRY(const bool isRefused, excludeRefused(*module.module, module.unplaced.get()));
    if (isRefused)
      module.module = module.unplaced->clone();
    else
      module.unplaced = {};
  }
  return {};
}

}  // namespace tessera::driver
