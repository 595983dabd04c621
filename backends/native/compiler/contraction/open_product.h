// MatMul and Gemm of matrices whose sizes are known at run time only.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/lowering/contraction/open/open_product.h"

namespace tessera::backend_native {

struct OpenProduct {
  lowering::OpenProduct product;  ///< Rows may be those of all entries of the batch.
  Values sizes;                   ///< Of the operator's result.
};

/// The product that `op` is of row-major matrices in these buffers. What it relies on is required
/// at `b`.
OpenProduct openProductOf(KernelBuilder& b, mlir::Operation* op, mlir::Value left,
                          mlir::Value right);

/// The rows of operand 1 are as many as the columns of operand 0; a product that was an Einsum
/// names its letter.
void requireSummed(KernelBuilder& b, mlir::Operation* product, mlir::Value rows,
                   mlir::Value columns);

}  // namespace tessera::backend_native
