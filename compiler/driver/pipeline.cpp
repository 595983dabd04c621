#include "compiler/driver/pipeline.h"

#include <mutex>
#include <set>

#include "compiler/backend_api/registry.h"
#include "compiler/codegen/passes.h"
#include "compiler/driver/added_passes.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"
#include "compiler/placement/passes.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/transforms/forms.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/simplify.h"
#include "mlir/Pass/PassRegistry.h"

namespace tessera::driver {

using target::HookPoint;
using target::Phase;

target::Phase phaseOf(mlir::ModuleOp module) {
  const auto name = module->getAttrOfType<mlir::StringAttr>(ir::kPhaseAttribute);
  const auto phase = name ? target::parsePhase(std::string_view(name.getValue())) : std::nullopt;
  return phase.value_or(Phase::kImport);
}

void setPhase(mlir::ModuleOp module, Phase phase) {
  module->setAttr(ir::kPhaseAttribute,
                  mlir::StringAttr::get(module.getContext(), target::phaseName(phase)));
}

/// Drops the constants of the context's store that neither module names; `backup` may be null.
static void releaseUnusedConstants(mlir::ModuleOp module, mlir::ModuleOp backup) {
  std::set<std::string> live = ir::blobHashes(module);
  if (backup) live.merge(ir::blobHashes(backup));
  module.getContext()->getLoadedDialect<ir::TsrDialect>()->constants().retain(
      [&](std::string_view hash) { return live.contains(std::string(hash)); });
}

/// What all targets need, once.
static std::vector<std::string> neededForms(const backend_api::Owners& owners) {
  std::vector<std::string> forms;
  for (const backend_api::Owner& owner : owners)
    llvm::append_range(forms, owner.backend->needs(owner.target));
  return forms;
}

static void addFolding(mlir::OpPassManager& manager) {
  manager.addPass(transforms::createFoldConstantsPass());
}

/// The common passes of a phase.
static void buildCommonPasses(Phase phase, const backend_api::Owners& owners,
                              const PhaseServices& services, bool hasPlan,
                              mlir::OpPassManager& manager) {
  switch (phase) {
    case Phase::kImport:
      manager.addPass(createImportOnnxPass(services.import));
      return;
    case Phase::kSimplify:
      return transforms::buildSimplifyPipeline(manager);
    case Phase::kPartition:
      return hasPlan ? placement::buildPlannedPartition(manager, addFolding)
                     : partition::buildGreedyPartition(manager, addFolding);
    case Phase::kEmit:
      manager.addPass(codegen::createEmitRegionsPass(services.emit));
      manager.addPass(codegen::createAttachFallbacksPass());
      manager.addPass(codegen::createUpdateConstantsPass());
      return;
    case Phase::kLink:
      manager.addPass(codegen::createBuildHostProgramPass());
      manager.addPass(codegen::createPlanMemoryPass());
      manager.addPass(codegen::createAssignEventsPass());
      return;
    case Phase::kPrePartition:
      return transforms::addForms(neededForms(owners), manager);
    case Phase::kPostPartition:
      manager.addPass(createCleanRegionsPass());
      manager.addPass(codegen::createAddFallbacksPass());
      if (services.findSchedule) manager.addPass(createChooseSchedulesPass(services.findSchedule));
      return;
    case Phase::kLower:
    case Phase::kOptimize:
      return;  // Targets' own.
  }
}

/// Whether targets had their turn behind the phase's common passes already.
static bool isPartDone(mlir::ModuleOp module, Phase phase) {
  const auto hooked = module->getAttrOfType<mlir::DictionaryAttr>(kHookedAttribute);
  const auto at = hooked ? hooked.getAs<mlir::StringAttr>("phase") : mlir::StringAttr();
  return at && std::string_view(at.getValue()) == target::phaseName(phase);
}

static bool hasHooks(const backend_api::Owners& owners, Phase phase, HookPoint point) {
  return llvm::any_of(owners, [&](const backend_api::Owner& owner) {
    return !hookPipeline(owner, phase, point).empty();
  });
}

void buildPhase(Phase phase, const backend_api::Owners& owners, const PhaseServices& services,
                mlir::OpPassManager& manager, const PhasePart& part) {
  if (!part.isResumed) {
    if (hasHooks(owners, phase, HookPoint::kBefore))
      manager.addPass(createRunHooksPass(phase, HookPoint::kBefore));
    buildCommonPasses(phase, owners, services, part.hasPlan, manager);
  }
  if (hasHooks(owners, phase, HookPoint::kAfter) || !part.lastTarget.empty())
    manager.addPass(createRunHooksPass(phase, HookPoint::kAfter, part.lastTarget));
}

/// Makes all passes that a phase may run known by name.
static void registerPasses(const backend_api::BackendRegistry& registry) {
  registerDriverPasses();
  codegen::registerCodegenPasses();
  partition::registerPartitionPasses();
  placement::registerPlacementPasses();
  transforms::registerTransformsPasses();
  for (const backend_api::Backend* backend : registry.backends()) backend->registerPasses();
}

Status checkPassNames(const backend_api::BackendRegistry& registry,
                      const PassDoorOptions& options) {
  if (options.disabledPasses.empty() && options.printAfter.empty() && options.addedPasses.empty())
    return {};
  static std::mutex tableOfPasses;  // MLIR has one for the process, and no lock for it.
  const std::lock_guard lock(tableOfPasses);
  registerPasses(registry);
  for (const std::string& name : options.disabledPasses) {
    if (mlir::PassInfo::lookup(name) == nullptr)
      return usageError("no pass is named '" + name + "'");
  }
  for (const std::string& name : options.printAfter) {
    if (mlir::PassInfo::lookup(name) == nullptr && !target::parsePhase(name))
      return usageError("no pass or phase is named '" + name + "'");
  }
  for (const auto& [phase, text] : options.addedPasses) {
    mlir::OpPassManager scratch(mlir::ModuleOp::getOperationName());
    TESSERA_TRY_VOID(addPipeline(text, scratch));
  }
  return {};
}

static Status checkNeeds(const backend_api::Owners& owners) {
  std::string known;
  for (const transforms::Form& form : transforms::forms())
    known += (known.empty() ? "" : ", ") + std::string(form.name);
  for (const backend_api::Owner& owner : owners) {
    for (const std::string& name : owner.backend->needs(owner.target)) {
      if (!transforms::findForm(name))
        return targetFailed("target '" + owner.target.toString() + "' needs modules in form '" +
                            name + "', expected one of " + known);
    }
  }
  return {};
}

Status runPhase(mlir::ModuleOp module, Phase phase, const PhaseServices& services, PassDoor& door,
                mlir::ModuleOp backup) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  TESSERA_TRY_VOID(checkNeeds(owners));
  const PhasePart part{.isResumed = isPartDone(module, phase),
                       .hasPlan = module->hasAttr(placement::kPlanAttribute)};
  const auto runPasses = [&](mlir::ModuleOp attempt) {
    return door.run(attempt, phase, [&](mlir::OpPassManager& manager) {
      buildPhase(phase, owners, services, manager, part);
    });
  };
  TESSERA_TRY_VOID(phase == Phase::kPartition ? partition::placeUntilAccepted(module, runPasses)
                                              : runPasses(module));
  module->removeAttr(kHookedAttribute);
  setPhase(module, phase);
  releaseUnusedConstants(module, backup);
  return {};
}

Status runPartOfPhase(mlir::ModuleOp module, Phase phase, const std::string& lastTarget,
                      const PhaseServices& services, PassDoor& door) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  const auto isNamed = [&](const backend_api::Owner& owner) {
    return owner.target.toString() == lastTarget || owner.target.kind == lastTarget;
  };
  const auto last = llvm::find_if(owners, isNamed);
  if (last == owners.end())
    return usageError("cannot stop after target '" + lastTarget +
                      "', which is none of the module's");
  const PhasePart part{.isResumed = isPartDone(module, phase),
                       .lastTarget = last->target.toString(),
                       .hasPlan = module->hasAttr(placement::kPlanAttribute)};
  return door.run(module, phase, [&](mlir::OpPassManager& manager) {
    buildPhase(phase, owners, services, manager, part);
  });
}

}  // namespace tessera::driver
