// What loops of much arithmetic have fetched meanwhile. Not for other folders.
#pragma once

#include "compiler/lowering/vectorize/plan.h"

namespace tessera::lowering {

/// Gives plans that compute much for each element, in loops over parts, what to fetch beside: the
/// next part of an operand that is read before in each part, at the speed of memory, and where the
/// results are written behind them. `plans` belong to `ops`; none for what is no vectors.
void addPrefetches(llvm::ArrayRef<mlir::linalg::LinalgOp> ops,
                   llvm::MutableArrayRef<std::optional<VectorPlan>> plans);

}  // namespace tessera::lowering
