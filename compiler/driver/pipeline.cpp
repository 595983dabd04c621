#include "compiler/driver/pipeline.h"

#include <set>
#include <utility>

#include "compiler/codegen/passes.h"
#include "compiler/lowering/pipeline.h"
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

/// The common passes of a phase.
static void buildCommonPasses(Phase phase, mlir::OpPassManager& manager,
                              const backend_api::Owners& owners) {
  switch (phase) {
    case Phase::kSimplify:
      return transforms::buildSimplifyPipeline(manager);
    case Phase::kPartition:
      return partition::buildGreedyPartition(manager, owners, [](mlir::OpPassManager& nested) {
        nested.addPass(transforms::createFoldConstantsPass());
      });
    case Phase::kLink:
      manager.addPass(codegen::createBuildHostProgramPass());
      manager.addPass(codegen::createPlanMemoryPass(owners));
      return;
    default:
      return;
  }
}

/// The passes of a phase: the common ones, behind them those of the owners.
static void buildPasses(Phase phase, mlir::OpPassManager& manager,
                        const backend_api::Owners& owners) {
  buildCommonPasses(phase, manager, owners);
  for (const backend_api::Owner& owner : owners)
    owner.backend->addPasses(phase, manager, owner.target);
}

/// Names in a textual pipeline such as `builtin.module(a{x=1 y=2},func.func(b))`, without options.
static std::set<std::string> namesInPipeline(llvm::StringRef text) {
  std::set<std::string> names;
  int depth = 0;
  std::string name;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth == 0 && (llvm::isAlnum(c) || c == '-' || c == '_' || c == '.')) {
      name += c;
    } else if (depth == 0 || c == '{') {
      names.insert(std::exchange(name, {}));
    }
  }
  names.insert(name);
  return names;
}

Status checkPassNames(mlir::MLIRContext& context, const PassDoorOptions& options,
                      const backend_api::Owners& owners) {
  if (options.disabledPasses.empty() && options.printAfter.empty()) return {};
  mlir::PassManager manager(&context);
  for (size_t phase = 0; phase < target::kPhaseNames.size(); ++phase)
    buildPasses(static_cast<Phase>(phase), manager, owners);
  lowering::buildTensorKernelPipeline(manager, {});  // Owners run these on each kernel.
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  const std::set<std::string> passes = namesInPipeline(text);
  for (const std::string& name : options.disabledPasses) {
    if (!passes.contains(name)) return usageError("no pass is named '" + name + "'");
  }
  for (const std::string& name : options.printAfter) {
    if (!passes.contains(name) && !target::parsePhase(name))
      return usageError("no pass or phase is named '" + name + "'");
  }
  return {};
}

Status runPhase(mlir::ModuleOp module, Phase phase, const backend_api::Owners& owners,
                PassDoor& door) {
  TESSERA_TRY_VOID(door.run(
      module, phase, [&](mlir::OpPassManager& manager) { buildPasses(phase, manager, owners); }));
  setPhase(module, phase);
  releaseUnusedConstants(module);
  return {};
}

}  // namespace tessera::driver
