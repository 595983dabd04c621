#include "compiler/driver/pipeline.h"

#include <mutex>
#include <set>

#include "compiler/backend_api/registry.h"
#include "compiler/codegen/passes.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"
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

/// The common passes of a phase.
static void buildCommonPasses(Phase phase, mlir::OpPassManager& manager,
                              const PhaseServices& services) {
  switch (phase) {
    case Phase::kImport:
      manager.addPass(createImportOnnxPass(services.import));
      return;
    case Phase::kSimplify:
      return transforms::buildSimplifyPipeline(manager);
    case Phase::kPartition:
      return partition::buildGreedyPartition(manager, [](mlir::OpPassManager& nested) {
        nested.addPass(transforms::createFoldConstantsPass());
      });
    case Phase::kEmit:
      manager.addPass(codegen::createEmitRegionsPass(services.emit));
      return;
    case Phase::kLink:
      manager.addPass(codegen::createBuildHostProgramPass());
      manager.addPass(codegen::createPlanMemoryPass());
      return;
    case Phase::kPrePartition:
    case Phase::kPostPartition:
    case Phase::kLower:
    case Phase::kOptimize:
      return;  // Targets' own.
  }
}

static bool hasHooks(const backend_api::Owners& owners, Phase phase, HookPoint point) {
  return llvm::any_of(owners, [&](const backend_api::Owner& owner) {
    return !hookPipeline(owner, phase, point).empty();
  });
}

void buildPhase(Phase phase, const backend_api::Owners& owners, const PhaseServices& services,
                mlir::OpPassManager& manager) {
  if (hasHooks(owners, phase, HookPoint::kBefore))
    manager.addPass(createRunHooksPass(phase, HookPoint::kBefore));
  buildCommonPasses(phase, manager, services);
  if (hasHooks(owners, phase, HookPoint::kAfter))
    manager.addPass(createRunHooksPass(phase, HookPoint::kAfter));
}

/// Makes all passes that a phase may run known by name.
static void registerPasses(const backend_api::BackendRegistry& registry) {
  registerDriverPasses();
  codegen::registerCodegenPasses();
  partition::registerPartitionPasses();
  transforms::registerTransformsPasses();
  for (const backend_api::Backend* backend : registry.backends()) backend->registerPasses();
}

Status checkPassNames(const backend_api::BackendRegistry& registry,
                      const PassDoorOptions& options) {
  if (options.disabledPasses.empty() && options.printAfter.empty()) return {};
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
  return {};
}

Status runPhase(mlir::ModuleOp module, Phase phase, const PhaseServices& services, PassDoor& door,
                mlir::ModuleOp backup) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  const auto runPasses = [&](mlir::ModuleOp attempt) {
    return door.run(attempt, phase, [&](mlir::OpPassManager& manager) {
      buildPhase(phase, owners, services, manager);
    });
  };
  TESSERA_TRY_VOID(phase == Phase::kPartition ? partition::placeUntilAccepted(module, runPasses)
                                              : runPasses(module));
  setPhase(module, phase);
  releaseUnusedConstants(module, backup);
  return {};
}

}  // namespace tessera::driver
