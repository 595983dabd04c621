// What the lanes behind the last channel of blocked values hold.
#pragma once

#include "compiler/backend_api/backend.h"

namespace tessera::backend_native {

/// Completes the layouts chosen for `op`. Kernels need finite numbers in padding, so blocked
/// operands are taken with the padding they come with (`available`); results say `finite` where
/// they do not hold zeros. Values of this backend alone are never converted.
void settlePadding(mlir::Operation* op, llvm::ArrayRef<mlir::RankedTensorType> available,
                   backend_api::LayoutChoice& choice);

/// True when both types are equal but for what padding holds.
bool isSameButPadding(mlir::Type a, mlir::Type b);

}  // namespace tessera::backend_native
