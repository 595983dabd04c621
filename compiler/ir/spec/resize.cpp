#include "compiler/ir/spec/resize.h"

#include "compiler/ir/spec/constant_axes.h"

namespace tessera::ir::spec {

bool isGiven(mlir::Value operand) {
  if (!operand) return false;
  const auto type = llvm::cast<mlir::RankedTensorType>(operand.getType());
  return !type.hasStaticShape() || type.getNumElements() > 0;
}

llvm::SmallVector<int64_t> resizedDims(ResizeOp op) {
  const int64_t rank = llvm::cast<mlir::RankedTensorType>(op.getX().getType()).getRank();
  const bool hasAxes = op.getAxes() && !op.getAxes()->empty();
  return hasAxes ? normalizedAxes(*op.getAxes(), rank) : allAxes(rank);
}

}  // namespace tessera::ir::spec
