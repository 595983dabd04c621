// The order of the phases and what each runs.
#pragma once

#include "compiler/backend_api/registry.h"
#include "compiler/codegen/passes.h"
#include "compiler/driver/pass_door.h"
#include "compiler/driver/passes.h"

namespace tessera::driver {

/// What phases need beyond the module.
struct PhaseServices {
  ImportRequest import = {};        ///< Phase import.
  FindSchedule findSchedule = {};   ///< Phase post_partition; may be empty.
  codegen::EmitServices emit = {};  ///< Phase emit.
};

/// What of a phase to run.
struct PhasePart {
  bool isResumed = false;    ///< Only targets' passes behind the common ones are left.
  std::string lastTarget{};  ///< Targets behind this one wait; none does when it is empty.
  bool hasPlan = false;      ///< Phase partition: the module says who runs what.
};

/// Adds the passes of one phase: what its targets run before the common ones, the common ones, what
/// its targets run after them.
void buildPhase(target::Phase phase, const backend_api::Owners& owners,
                const PhaseServices& services, mlir::OpPassManager& manager,
                const PhasePart& part = {});

/// Runs the passes of one phase on the module; those that are left, where a part of it ran before.
/// Then records the phase in the module and releases constants that neither it nor `backup`, an
/// earlier state of it or null, refers to. Errors (kTargetFailed): a pass fails, a target needs a
/// form that there is not.
Status runPhase(mlir::ModuleOp module, target::Phase phase, const PhaseServices& services,
                PassDoor& door, mlir::ModuleOp backup = {});

/// Runs a phase up to what `lastTarget`, a target's text or kind, does behind the common passes.
/// The module says so (`tessera.hooked`) and stays in the phase before. Errors (kUsage): no such
/// target.
Status runPartOfPhase(mlir::ModuleOp module, target::Phase phase, const std::string& lastTarget,
                      const PhaseServices& services, PassDoor& door);

/// A usage error when the options name a pass that neither a phase nor a backend has. MLIR has one
/// table of passes for the process: those of `registry` are in it from then on, beside those of
/// every registry that was asked about before. A name is no promise that the pass runs: its backend
/// may be no target of the module.
Status checkPassNames(const backend_api::BackendRegistry& registry, const PassDoorOptions& options);

/// The last phase that ran on the module.
target::Phase phaseOf(mlir::ModuleOp module);
void setPhase(mlir::ModuleOp module, target::Phase phase);

}  // namespace tessera::driver
