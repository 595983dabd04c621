#include "tools/tessera-opt/owner_passes.h"

#include <cstdlib>

#include "compiler/backend_registry/registry.h"
#include "compiler/partition/passes.h"
#include "compiler/placement/passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::tools {

static llvm::cl::opt<std::string>& targetsOption() {
  static llvm::cl::opt<std::string> option(
      "targets", llvm::cl::desc("targets of modules that name none, most preferred first, "
                                "separated by commas; see `tessera backends`"));
  return option;
}

static backend_api::BackendRegistry& registry() {
  static auto* made = [] {
    auto* registry = new backend_api::BackendRegistry();
    // `tessera backends` names those that are missing.
    (void)backend_registry::addBuiltinBackends(*registry);
    return registry;
  }();
  return *made;
}

/// Asked for once the command line was read.
static backend_api::Owners owners() {
  auto owners = backend_registry::parseOwners(registry(), targetsOption());
  if (owners) return std::move(*owners);
  llvm::WithColor::error() << owners.error().message << "\n";
  std::exit(2);
}

void registerOwnerPasses(mlir::DialectRegistry& dialects) {
  (void)targetsOption();
  dialects.addExtension(+[](mlir::MLIRContext* context, ir::TsrDialect*) {
    registry().setDefaultOwners(owners());
    backend_api::attachRegistry(*context, registry());
  });
  partition::registerPartitionPasses();
  placement::registerPlacementPasses();
  for (const backend_api::Backend* backend : registry().backends()) backend->registerPasses();
}

}  // namespace tessera::tools
