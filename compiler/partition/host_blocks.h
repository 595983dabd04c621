// The part of a module that no target has yet.
#pragma once

#include "compiler/ir/tsr.h"

namespace tessera::partition {

/// tsr.if, tsr.loop and tsr.scan: unless an owner takes the whole, their bodies are blocks of the
/// host program.
bool isControlFlow(mlir::Operation* op);

/// The blocks of functions without an owner, in the order of the module.
llvm::SmallVector<mlir::Block*> functionBlocks(mlir::ModuleOp module);

/// Every block of the host program: those of functions without an owner, and bodies of control flow
/// without an owner in them; outer blocks first.
llvm::SmallVector<mlir::Block*> hostBlocks(mlir::ModuleOp module);

/// Calls `visit` for each value that `op` or an operation inside of it reads from outside of `op`.
void forEachOutsideOperand(mlir::Operation* op, llvm::function_ref<void(mlir::OpOperand&)> visit);

}  // namespace tessera::partition
