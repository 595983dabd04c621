// Which nests write their results past the caches.
#pragma once

#include "compiler/lowering/vectorize/plan.h"

namespace tessera::lowering {

/// Whether a nest writes results of a kernel that are larger than caches and that the kernel itself
/// does not read again: such lines need not be read before they are written, nor push out others.
/// Whole vectors can be written so where StreamedResult::startsOnVector holds.
bool writesPastCaches(mlir::linalg::LinalgOp op, const VectorPlan& plan);

}  // namespace tessera::lowering
