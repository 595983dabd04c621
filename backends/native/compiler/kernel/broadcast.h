// Loops over a result to which operands broadcast.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// A tensor and the tsr type it stands for (logical shape and layout; the element type does not
/// matter).
struct BroadcastOperand {
  mlir::Value tensor;
  mlir::RankedTensorType type;
};

/// One result element from the elements of all operands at the same (broadcast) place. `resultType`
/// gives logical shape and layout; operands have its layout, or are plain with size 1 in blocked
/// dimensions. Element types are those of memory. `sizes`, of a plain result, default to the
/// broadcast of the operands' sizes.
mlir::Value broadcast(KernelBuilder& b, llvm::ArrayRef<BroadcastOperand> operands,
                      mlir::RankedTensorType resultType, mlir::Type element, ElementBody body,
                      mlir::ValueRange sizes = {});

/// The operand as lowered so far.
inline BroadcastOperand operandOf(KernelBuilder& b, mlir::Value value) {
  return {.tensor = b.get(value), .type = llvm::cast<mlir::RankedTensorType>(value.getType())};
}

/// A vector along dimension `axis` of tensors of type `like`, as an operand that broadcasts to
/// them. `like` may be blocked along `axis`: then the vector is too, or is cut into blocks here.
BroadcastOperand alongAxis(KernelBuilder& b, mlir::Value vector, mlir::RankedTensorType like,
                           int64_t axis);

/// The position in a dimension of `size` elements that broadcasts: 0 where it has one element.
mlir::Value openPosition(KernelBuilder& b, mlir::Value position, mlir::Value size);

/// Sizes of the numpy broadcast of shapes, if they fit.
Values broadcastSizes(KernelBuilder& b, llvm::ArrayRef<Values> shapes);

/// The sizes of operand number `operand` are 1 or those of the result.
void requireBroadcast(KernelBuilder& b, mlir::ValueRange shape, mlir::ValueRange sizes,
                      size_t operand);

}  // namespace tessera::backend_native
