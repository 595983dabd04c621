// The part of a module that no target has yet.
#pragma once

#include "compiler/ir/tsr.h"

namespace tessera::partition {

/// tsr.if, tsr.loop and tsr.scan: unless an owner takes the whole, their bodies are blocks of the
/// host program.
bool isControlFlow(mlir::Operation* op);

/// Calls `visit` for every block of the host program: those of functions without an owner, in the
/// order of the module, and bodies of control flow in them that has no owner and is not `isTaken`,
/// asked after the visit; outer blocks first. Fails with the first visit that does.
mlir::LogicalResult forEachHostBlock(
    mlir::ModuleOp module, llvm::function_ref<mlir::LogicalResult(mlir::Block&)> visit,
    llvm::function_ref<bool(mlir::Operation*)> isTaken = [](mlir::Operation*) { return false; });

/// These blocks.
llvm::SmallVector<mlir::Block*> hostBlocks(mlir::ModuleOp module);

/// Calls `visit` for each value that `op` or an operation inside of it reads from outside of `op`.
void forEachOutsideOperand(mlir::Operation* op, llvm::function_ref<void(mlir::OpOperand&)> visit);

}  // namespace tessera::partition
