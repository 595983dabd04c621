// The order of the phases and what each runs.
#pragma once

#include "compiler/backend_api/registry.h"
#include "compiler/driver/pass_door.h"

namespace tessera::driver {

/// Module attributes that make a saved module complete: how far it has come and what it is compiled
/// for.
inline constexpr llvm::StringLiteral kPhaseAttribute = "tessera.phase";
using backend_api::kTargetsAttribute;
inline constexpr llvm::StringLiteral kPlacementAttribute = "tessera.placement";
inline constexpr llvm::StringLiteral kThreadsAttribute = "tessera.threads";

/// Runs the passes of one phase on the module, then records it in the module and releases
/// constants that nothing refers to any more.
Status runPhase(mlir::ModuleOp module, target::Phase phase, const backend_api::Owners& owners,
                PassDoor& door);

/// A usage error when the options name a pass that neither a phase nor a kernel's pipeline runs.
Status checkPassNames(mlir::MLIRContext& context, const PassDoorOptions& options,
                      const backend_api::Owners& owners);

/// The last phase that ran on the module.
target::Phase phaseOf(mlir::ModuleOp module);
void setPhase(mlir::ModuleOp module, target::Phase phase);

/// Drops the constants of the context's store that `module` does not name.
void releaseUnusedConstants(mlir::ModuleOp module);

}  // namespace tessera::driver
