// Requirements and sizes move in front of the loops of a kernel on tensors.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::lowering {

/// Moves the definition of `value`, a size, and what it needs as early as their operands allow, so
/// that the memory of a result exists before the loops that compute it.
void hoistToDefinitions(mlir::Value value);

/// Moves the requirements (requirement.h) on sizes before the loops, in their order. A requirement
/// on what a loop computes stays where it is, and so do those behind it. Returns the last one
/// moved; null when there is none.
mlir::Operation* hoistRequirements(mlir::func::FuncOp kernel);

}  // namespace tessera::lowering
