// Arithmetic of elementwise operators on single elements.
#pragma once

#include "backends/native/compiler/kernel_builder.h"

namespace tessera::backend_native {

/// True for operators whose result element depends on the elements of (broadcast) operands at the
/// same place only, and that emitScalar knows.
bool isScalarOp(mlir::Operation* op);
/// Their names with the dialect: "tsr.add".
std::vector<llvm::StringRef> scalarOpNames();

/// The element of result 0 from one element of each operand, in the operator's order. Elements may
/// be scalars or vectors of equal length; they have kernelElement types. Operands that are constant
/// in the IR may be looked at.
mlir::Value emitScalar(KernelBuilder& b, mlir::Operation* op, mlir::ValueRange elements);

/// Conversion of one element as tsr.cast does it: floats to integers truncate and saturate, NaN
/// becomes 0.
mlir::Value emitCast(KernelBuilder& b, mlir::Value element, mlir::Type from, mlir::Type to);

/// Maximum and minimum; NaN when either is.
mlir::Value emitMax(KernelBuilder& b, mlir::Value a, mlir::Value c, bool isUnsignedElement);
mlir::Value emitMin(KernelBuilder& b, mlir::Value a, mlir::Value c, bool isUnsignedElement);

// Arithmetic on floats or integers, whichever the values are.
mlir::Value emitAdd(KernelBuilder& b, mlir::Value a, mlir::Value c);
mlir::Value emitSub(KernelBuilder& b, mlir::Value a, mlir::Value c);
mlir::Value emitMul(KernelBuilder& b, mlir::Value a, mlir::Value c);
/// Integers: rounds towards zero; 0 for a division by zero.
mlir::Value emitDiv(KernelBuilder& b, mlir::Value a, mlir::Value c, bool isUnsignedElement);
mlir::Value emitSigmoid(KernelBuilder& b, mlir::Value x);
mlir::Value emitSoftplus(KernelBuilder& b, mlir::Value x);
mlir::Value emitRelu(KernelBuilder& b, mlir::Value x);

/// Comparison of floats or integers.
enum class Compare { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
mlir::Value emitCompare(KernelBuilder& b, Compare compare, mlir::Value a, mlir::Value c,
                        bool isUnsignedElement = false);

}  // namespace tessera::backend_native
