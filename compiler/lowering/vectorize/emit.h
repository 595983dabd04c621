// Loop nests on memory as loops over vectors.
#pragma once

#include "compiler/lowering/vectorize/plan.h"

namespace tessera::lowering {

/// Emits `op` in front of itself as `plan` says and erases it. Returns what is to be erased, too:
/// each linalg.fill right before it that was its initial value.
llvm::SmallVector<mlir::Operation*> emitVectorLoops(mlir::linalg::LinalgOp op,
                                                    const VectorPlan& plan);

/// Emits two nests that `pipelineRows` put side by side in the loop of `row`, and erases them.
void emitBeside(mlir::linalg::LinalgOp row, const VectorPlan& ofRow, mlir::linalg::LinalgOp sums,
                const VectorPlan& ofSums);

}  // namespace tessera::lowering
