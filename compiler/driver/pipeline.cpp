#include "compiler/driver/pipeline.h"

#include <set>

#include "compiler/codegen/passes.h"
#include "compiler/partition/passes.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/simplify.h"

namespace tessera::driver {

using target::Phase;

target::Phase phaseOf(mlir::ModuleOp module) {
  const auto name = module->getAttrOfType<mlir::StringAttr>(kPhaseAttribute);
  const auto phase = name ? target::parsePhase(std::string_view(name.getValue())) : std::nullopt;
  return phase.value_or(Phase::kImport);
}

void setPhase(mlir::ModuleOp module, Phase phase) {
  module->setAttr(kPhaseAttribute,
                  mlir::StringAttr::get(module.getContext(), target::phaseName(phase)));
}

void releaseUnusedConstants(mlir::ModuleOp module) {
  std::set<std::string, std::less<>> live;
  module.walk([&](mlir::Operation* op) {
    for (const mlir::NamedAttribute attribute : op->getAttrs()) {
      if (const auto blob = llvm::dyn_cast<ir::BlobAttr>(attribute.getValue()))
        live.insert(blob.getHash().str());
    }
  });
  module.getContext()->getLoadedDialect<ir::TsrDialect>()->constants().retain(
      [&](std::string_view hash) { return live.contains(hash); });
}

/// The common passes of a phase; the owners add theirs behind them.
static void buildCommonPasses(Phase phase, mlir::OpPassManager& manager,
                              const backend_api::Owners& owners) {
  switch (phase) {
    case Phase::kSimplify:
      return transforms::buildSimplifyPipeline(manager);
    case Phase::kPartition:
      return partition::buildGreedyPartition(manager, owners, [](mlir::OpPassManager& nested) {
        nested.addPass(transforms::createFoldConstantsPass());
      });
    default:
      return;
  }
}

Status runPhase(mlir::ModuleOp module, Phase phase, const backend_api::Owners& owners,
                PassDoor& door) {
  TESSERA_TRY_VOID(door.run(module, phase, [&](mlir::OpPassManager& manager) {
    buildCommonPasses(phase, manager, owners);
    for (const backend_api::Owner& owner : owners)
      owner.backend->addPasses(phase, manager, owner.target);
  }));
  setPhase(module, phase);
  releaseUnusedConstants(module);
  return {};
}

Status runLink(mlir::ModuleOp module, const backend_api::Owners& owners, PassDoor& door) {
  TESSERA_TRY_VOID(door.run(module, Phase::kLink, [&](mlir::OpPassManager& manager) {
    manager.addPass(codegen::createBuildHostProgramPass());
    manager.addPass(codegen::createPlanMemoryPass(owners));
  }));
  setPhase(module, Phase::kLink);
  return {};
}

}  // namespace tessera::driver
