// Questions that a target answers while a module is placed, tried out in its process.
#pragma once

#include <memory>

#include "compiler/backend_api/registry.h"
#include "compiler/isolation/remote.h"
#include "mlir/Pass/Pass.h"

namespace tessera::isolation {

/// A pass on modules that nothing is placed in yet: the process places the module over the target
/// and the host target alone, so that the target is asked there first what it is asked here then.
/// When that ends the process, all operators are withdrawn from the target, and the module says why
/// (`tessera.exclusions`). `remote` outlives the pass.
std::unique_ptr<mlir::Pass> createRehearsePass(Remote& remote, const target::Target& target);

/// All operators of a module that nothing is placed in yet are withdrawn from a target that a
/// process did not outlive, `ending` says how; the module says why (`tessera.exclusions`).
void withdrawAll(mlir::ModuleOp module, const target::Target& target, const std::string& ending);

/// What the process does: places `module` over `target` and the host target. What comes of it, or
/// why nothing does, is of no interest.
void rehearse(mlir::ModuleOp module, const backend_api::Owner& owner,
              const backend_api::BackendRegistry& registry);

}  // namespace tessera::isolation
