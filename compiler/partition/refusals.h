// Regions that their owner does not take after all, and placing a module until there are none.
#pragma once

#include "compiler/partition/exclusions.h"
#include "tessera/status.h"

namespace tessera::partition {

/// Which operators of the module before the phase `root`, a region function or an operator, holds.
llvm::SmallVector<int64_t> operatorNumbers(mlir::Operation* root);
/// Notes in the module that `target` does not run these operators: they are placed without it.
/// The rest of the phase runs, but in vain.
void noteRefusal(mlir::ModuleOp module, llvm::ArrayRef<int64_t> operators, ir::TargetAttr target,
                 llvm::StringRef reason);
/// Whether one was noted.
bool hasRefusals(mlir::ModuleOp module);

/// Runs phase partition: `runPasses` on `module`, whose content is put back in between, each time
/// without the owners that refused the regions of the time before. Ends because an operator loses
/// an owner each time. What was refused is in `tessera.exclusions` of the module then. Errors:
/// those of runPasses, and (kTargetFailed) a refused region without operators or whose owner is the
/// only one.
Status placeUntilAccepted(mlir::ModuleOp module,
                          llvm::function_ref<Status(mlir::ModuleOp)> runPasses);

}  // namespace tessera::partition
