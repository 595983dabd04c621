// Reductions over some dimensions and what is computed from them: the parts of softmax and the
// normalisations.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// A tensor with fewer dimensions, read at some of the loops over another one.
struct LineOperand {
  mlir::Value tensor;
  llvm::SmallVector<int64_t> loops;  ///< Loop of each of its dimensions; -1: index 0.
};

/// y[i] = body(x[i], operands[loops(i)]...).
mlir::Value mapLines(KernelBuilder& b, mlir::Value x, llvm::ArrayRef<LineOperand> operands,
                     mlir::Type element, ElementBody body);

/// Reduces `dims` of x: body(x element, operand elements..., accumulator).
mlir::Value reduceLines(KernelBuilder& b, mlir::Value x, llvm::ArrayRef<LineOperand> operands,
                        llvm::ArrayRef<int64_t> dims, mlir::Value init, ElementBody body);

/// The dimensions of a tensor of rank `rank` that are not in `dims`.
llvm::SmallVector<int64_t> otherDims(int64_t rank, llvm::ArrayRef<int64_t> dims);
/// from, from + 1, ..., to - 1.
llvm::SmallVector<int64_t> dimRange(int64_t from, int64_t to);

/// The greatest or least element of x over `dims`, NaN where there is one; `element` says how
/// integers are read.
mlir::Value extremeOfLines(KernelBuilder& b, mlir::Value x, llvm::ArrayRef<int64_t> dims,
                           bool wantMax, mlir::Type element);
/// Sum of x over `dims`.
mlir::Value sumLines(KernelBuilder& b, mlir::Value x, llvm::ArrayRef<int64_t> dims);
/// Sum of (x - shift)^2 over `dims`; of x^2 where there is no shift.
mlir::Value sumSquares(KernelBuilder& b, mlir::Value x, llvm::ArrayRef<int64_t> dims,
                       mlir::Value shift);
/// The number of elements along `dims` as a float of type `element`.
Element countLines(KernelBuilder& b, mlir::Value x, llvm::ArrayRef<int64_t> dims,
                   mlir::Type element);

/// A tensor reduced over `dims` of `like` with those dimensions back as size 1.
mlir::Value keepDims(KernelBuilder& b, mlir::Value reduced, mlir::ValueRange sizesBefore,
                     llvm::ArrayRef<int64_t> dims);

}  // namespace tessera::backend_native
