// Arithmetic of elementwise operators on single elements.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// True for operators whose result element depends on the elements of (broadcast) operands at the
/// same place only, and that emitScalar knows.
bool isScalarOp(mlir::Operation* op);
/// Their names with the dialect: "tsr.add".
std::vector<llvm::StringRef> scalarOpNames();

/// The element of result 0 from one element of each operand, in the operator's order. Elements may
/// be scalars or vectors of equal length; they have kernelElement types, and are read as the types
/// of the operands say. Operands that are constant in the IR may be looked at.
mlir::Value emitScalar(KernelBuilder& b, mlir::Operation* op, Elements elements);

}  // namespace tessera::backend_native
