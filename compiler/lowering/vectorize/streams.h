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

/// Calls `emit` for code that writes `output`, a flat result of a kernel in rows of `width`
/// elements that it does not read again: twice where it is larger than caches and rows are whole
/// vectors, once for writing past the caches by vector.store with nontemporal. `target` is what to
/// write.
void emitStreamed(
    const IndexBuilder& at, mlir::Value output, int64_t width, int64_t lanes,
    llvm::function_ref<void(IndexBuilder b, mlir::Value target, bool isStreamed)> emit);

}  // namespace tessera::lowering
