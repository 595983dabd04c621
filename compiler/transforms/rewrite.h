// What the rewrites of this folder share.
#pragma once

#include "compiler/evaluate/tensor_value.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera::transforms {

/// Applies `patterns` to every operation of `module` until nothing changes; operations inside
/// composites are rewritten too.
mlir::LogicalResult applyPatterns(mlir::ModuleOp module, mlir::RewritePatternSet patterns);

using ir::fusedLocation;

/// True when users of `old` accept `replacement`: equal types, or types that differ in dimension
/// names only and no user insists on equal types (returns, calls, regions).
bool canReplace(mlir::Value old, mlir::Value replacement);

/// True when numpy broadcasting of `operand`'s owner is all that its shape counts for: one with
/// other sizes of 1 in front, or before elements are repeated, gives the same result.
bool isBroadcast(mlir::OpOperand& operand);

/// The static type of `value`, null when a size is dynamic.
mlir::RankedTensorType staticType(mlir::Value value);
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
bool isConstant(mlir::Value value);
/// True when every element of the constant `value` equals `number`.
bool isConstantOf(mlir::Value value, double number);

/// The f32 elements of a constant; nothing for other values and types.
struct Floats {
  evaluate::TensorValue tensor;
  std::span<const float> values() const { return tensor.view().as<float>(); }
};
std::optional<Floats> constantFloats(mlir::Value value);

/// An f32 constant of the given shape.
mlir::Value createFloats(mlir::OpBuilder& builder, mlir::Location loc,
                         llvm::ArrayRef<int64_t> shape, std::span<const float> values);

/// Whether the shape of a reshape between the two types can be said: at most one size is open, or
/// all open ones are those of the same dimensions of `from`.
bool canReshape(mlir::RankedTensorType from, mlir::RankedTensorType to);
/// A tsr.reshape of `value` to `type`; null where canReshape says that there is none.
mlir::Value createReshape(mlir::OpBuilder& builder, mlir::Location loc, mlir::Value value,
                          mlir::RankedTensorType type);

}  // namespace tessera::transforms
