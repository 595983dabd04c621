// Conversions between physical orders.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// A tensor in the memory order of `from` in that of `to`; the rest of the last blocks is zero.
mlir::Value relayout(KernelBuilder& b, mlir::Value input, mlir::RankedTensorType from,
                     mlir::RankedTensorType to);

/// Whether a type has blocks along one dimension, and the others in their order.
bool hasOneBlock(mlir::RankedTensorType type);

/// What stands for a tsr value, in row-major order whatever the layout of its type; null for an
/// absent one.
mlir::Value plainOf(KernelBuilder& b, mlir::Value value);
/// Declares a row-major tensor for a tsr value whose type may have a layout.
void setPlain(KernelBuilder& b, mlir::Value value, mlir::Value tensor);

}  // namespace tessera::backend_native
