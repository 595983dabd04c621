// From one phase to another, with a second try for what a target refuses to compile.
#pragma once

#include "compiler/driver/pipeline.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera::driver {

/// A module on its way, and as it was before phase partition while a target may refuse a region.
struct ModuleInPhases {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OwningOpRef<mlir::ModuleOp> unplaced;  ///< Null when there is nobody else to take a region.
};

struct RunOptions {
  PhaseServices services = {};
  /// A refusal of a region is an error, of a finished one (phase partition) or of its code (emit).
  bool isStrict = false;
  std::function<void(target::Phase)> finished;  ///< Called after each phase. May be empty.
};

/// Runs the phases after the module's present one up to and including `last`. A region that its
/// target refuses in phase emit is excluded (partition::addExclusion), and phases run again, from
/// partition on, without that target for regions of its class. Errors: those of the phases; the
/// refusal (kTargetFailed) when it is the host target's, when the module came here partitioned, or,
/// one of phase partition included, with isStrict.
Status runPhases(ModuleInPhases& module, target::Phase last, PassDoor& door,
                 const RunOptions& options);

}  // namespace tessera::driver
