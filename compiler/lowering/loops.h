// Loops of generated code.
#pragma once

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// Emits `for at = from; at < to; at += step` at `b`, which carries `state`: `body` builds inside
/// of the loop and gives the next state. Gives the last one; `b` is behind the loop then.
llvm::SmallVector<mlir::Value> emitLoop(
    IndexBuilder& b, mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange state,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(Index at, mlir::ValueRange state)> body);

/// The same without a state.
void emitLoop(IndexBuilder& b, mlir::Value from, mlir::Value to, int64_t step,
              llvm::function_ref<void(Index at)> body);
/// Over [0, count).
void emitLoop(IndexBuilder& b, mlir::Value count, llvm::function_ref<void(Index at)> body);
void emitLoop(IndexBuilder& b, int64_t count, llvm::function_ref<void(Index at)> body);

}  // namespace tessera::lowering
