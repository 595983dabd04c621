// States of recurrent layers between steps: [D][N][blocks * c], rows filled up with zeros.
#pragma once

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// The rows of a state, here and in ONNX's order: [D, N, H], or [N, D, H].
struct StateRows {
  int64_t directions = 1;
  mlir::Value batch;
  int64_t hidden = 1, lanes = 8;
  bool isBatchFirst = false;

  int64_t blocks() const { return llvm::divideCeilSigned(hidden, lanes); }
  /// Offset of [direction][entry][block].
  Index offsetOf(IndexBuilder& b, mlir::Value direction, mlir::Value entry,
                 mlir::Value block) const;
  /// The lanes of the block that are units.
  mlir::Value unitMask(IndexBuilder& b, mlir::Value block) const;
};

/// state = given, in ONNX's order and flat, or zeros where it is null and for entries of which
/// `counts` gives a condition that does not hold (null: they count).
void readStates(IndexBuilder& b, const StateRows& rows, mlir::Value given, mlir::Value state,
                llvm::function_ref<mlir::Value(mlir::Value entry)> counts);
/// result, in ONNX's order and flat, = state from `offset` on.
void writeStates(IndexBuilder& b, const StateRows& rows, mlir::Value state, mlir::Value offset,
                 mlir::Value result);

}  // namespace tessera::lowering
