// Results that are written past the caches.
#pragma once

#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/vectorize/plan.h"

namespace tessera::lowering {

/// Whether a nest writes results of a kernel that are larger than caches and that the kernel itself
/// does not read again: such lines need not be read before they are written, nor push out others.
/// Whole vectors can be written so where `startsOnVector` holds.
bool writesPastCaches(mlir::linalg::LinalgOp op, const VectorPlan& plan);

/// Where a nest writes its result.
struct StreamedResult {
  mlir::Value buffer;          ///< A view of its own, which no pass folds into stores.
  mlir::Value startsOnVector;  ///< i1: its address is a multiple of a vector's size.
};
StreamedResult streamedResult(IndexBuilder& b, mlir::linalg::LinalgOp op, const VectorPlan& plan);

}  // namespace tessera::lowering
