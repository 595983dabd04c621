// Result types as precise as the operands allow.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::transforms {

/// Infers the result types of `op` and narrows the present ones; layouts and memory spaces stay.
/// Emits an error and fails when the operands do not fit each other.
mlir::LogicalResult refineResultTypes(mlir::Operation& op);

/// Visits the operations of every function in order, those of regions after the operation that
/// holds them, with region arguments and function results brought in line. `visit` may erase its
/// operation.
mlir::LogicalResult refineModule(mlir::ModuleOp module,
                                 llvm::function_ref<mlir::LogicalResult(mlir::Operation&)> visit);

}  // namespace tessera::transforms
