// Loops and branches of generated code.
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

/// Emits code at `b` that does what `then` builds where `condition` holds, else what `otherwise`
/// builds, or nothing; `b` is behind both then. Functions are called in this order.
void emitIf(IndexBuilder& b, mlir::Value condition, llvm::function_ref<void()> then);
void emitIf(IndexBuilder& b, mlir::Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise);

/// The same with results of such types, which either branch gives.
llvm::SmallVector<mlir::Value> emitIf(
    IndexBuilder& b, mlir::Value condition, mlir::TypeRange types,
    llvm::function_ref<llvm::SmallVector<mlir::Value>()> then,
    llvm::function_ref<llvm::SmallVector<mlir::Value>()> otherwise);

}  // namespace tessera::lowering
