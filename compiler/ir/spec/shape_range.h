// The dimensions that Shape tells.
#pragma once

#include "compiler/ir/spec/slice.h"
#include "compiler/ir/tsr.h"

namespace tessera::ir::spec {

/// The dimensions whose sizes the operator returns: `length` of them from `start` on.
inline SliceRange<int64_t> shapeRange(ShapeOp op) {
  const int64_t rank = llvm::cast<mlir::RankedTensorType>(op.getData().getType()).getRank();
  return sliceRange<int64_t>(rank, static_cast<int64_t>(op.getStart()),
                             static_cast<int64_t>(op.getEnd().value_or(rank)), 1);
}

}  // namespace tessera::ir::spec
