#include "tools/tessera-opt/owner_passes.h"

#include <cstdlib>

#include "compiler/backend_registry/registry.h"
#include "compiler/codegen/passes.h"
#include "compiler/partition/passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::tools {

using target::Phase;

static llvm::cl::opt<std::string>& targetsOption() {
  static llvm::cl::opt<std::string> option(
      "targets", llvm::cl::desc("targets, most preferred first: \"native -mcpu=x86-64-v3\""));
  return option;
}

/// Passes are made after the command line was read, except once for their names.
static backend_api::Owners owners() {
  auto owners = backend_registry::parseOwners(targetsOption());
  if (owners) return std::move(*owners);
  llvm::WithColor::error() << owners.error().message << "\n";
  std::exit(2);
}

static void addOwnersPasses(Phase phase, mlir::OpPassManager& manager) {
  for (const backend_api::Owner& owner : owners())
    owner.backend->addPasses(phase, manager, owner.target);
}

void registerOwnerPasses() {
  (void)targetsOption();
  mlir::registerPass([] { return partition::createAnnotateTargetsPass(owners()); });
  mlir::registerPass([] { return partition::createAssignLayoutsPass(owners()); });
  mlir::registerPass([] { return partition::createFuseRegionsPass(owners()); });
  mlir::registerPass(partition::createMergeEqualRegionsPass);
  mlir::registerPass(partition::createExposeRegionsPass);
  mlir::registerPass(codegen::createBuildHostProgramPass);
  mlir::registerPass([] { return codegen::createPlanMemoryPass(owners()); });
  for (size_t i = 0; i < target::kPhaseNames.size(); ++i) {
    const auto phase = static_cast<Phase>(i);
    mlir::OpPassManager own;
    addOwnersPasses(phase, own);
    if (own.empty()) continue;
    const std::string name(target::phaseName(phase));
    mlir::registerPassPipeline(
        "tessera-owners-" + name, "what the targets run in phase " + name,
        [phase](mlir::OpPassManager& manager, llvm::StringRef,
                llvm::function_ref<mlir::LogicalResult(const llvm::Twine&)>) {
          addOwnersPasses(phase, manager);
          return mlir::success();
        },
        [](auto) {});
  }
}

}  // namespace tessera::tools
