// Numbers in order, by vectors.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// `count` elements of a tensor of rank 1 from `at` on, any position, as a vector, and the tensor
/// with a vector there; none is outside.
mlir::Value readVector(KernelBuilder& b, mlir::Value tensor, const Index& at, int64_t count);
mlir::Value writeVector(KernelBuilder& b, mlir::Value tensor, const Index& at, mlir::Value vector);

/// Parts of a tensor of rank 1 whose elements are signed integers, as the values that stand for it
/// one after the other. All sizes and offsets are index values and, where nothing else is said,
/// multiples of `lanes`.
class SortedNumbers {
 public:
  /// `lanes`, a power of two: numbers that are compared at once.
  SortedNumbers(KernelBuilder& b, int64_t lanes) : b_(b), lanes_(lanes) {}

  /// `tensor` with its elements [from, from + size), a power of two, in ascending order.
  /// O(size log(size)^2 / lanes).
  mlir::Value sort(mlir::Value tensor, Index from, Index size);
  /// `tensor` whose first `size` elements, a power of two, are the least of those and of the
  /// `size` behind them, in order; both halves are in order before.
  mlir::Value keepLeast(mlir::Value tensor, Index size);

 private:
  using Stage = llvm::function_ref<mlir::Value(Index, mlir::Value)>;
  mlir::Value forEachIndex(Index count, mlir::Value tensor, Stage body);
  mlir::Value exchange(mlir::Value vector, int64_t mask);
  mlir::Value sortLanes(mlir::Value vector);
  mlir::Value halveStrides(mlir::Value vector);
  mlir::Value exchangeAcross(mlir::Value tensor, Index from, Index size, Index exponent,
                             bool isMirrored);
  mlir::Value finishBlocks(mlir::Value tensor, Index from, Index size, Index exponent);
  mlir::Value reversed(mlir::Value vector);

  KernelBuilder& b_;
  int64_t lanes_;
};

/// The least power of two that is no less than a positive number, and its exponent. What is known
/// folds.
Index ceilToPowerOfTwo(KernelBuilder& b, mlir::Value number);
Index exponentOf(KernelBuilder& b, mlir::Value powerOfTwo);

}  // namespace tessera::backend_native
