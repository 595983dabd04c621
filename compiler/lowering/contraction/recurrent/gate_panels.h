// Weights and biases of recurrent layers in the order that emitRecurrent reads.
#pragma once

#include "compiler/lowering/contraction/recurrent/recurrent.h"

namespace tessera::lowering {

/// Elements of weights with rows of `rowSize`, and of a bias, in the order that emitRecurrent
/// reads.
int64_t gatePanelsSize(const RecurrentShape& shape, int64_t rowSize, int64_t lanes);
int64_t gateBiasSize(const RecurrentShape& shape, int64_t lanes);

/// Emits target = `weights` ([D, gates * H, rowSize], flat) in that order.
void emitGatePanels(mlir::OpBuilder& b, mlir::Location loc, const RecurrentShape& shape,
                    int64_t rowSize, mlir::Value weights, mlir::Value target, int64_t lanes);
/// The same of a bias [D, 2 * gates * H], its two halves added up.
void emitGateBias(mlir::OpBuilder& b, mlir::Location loc, const RecurrentShape& shape,
                  mlir::Value bias, mlir::Value target, int64_t lanes);

}  // namespace tessera::lowering
