// Rows that are summed up while those before them are written.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tessera::lowering {

/// Of shorter rows what lies between sums and elements takes longer than both, and many of them
/// are summed up several at a time; of longer ones two for each thread, 2 MiB of f32 each, do not
/// stay in the last level of caches.
inline constexpr int64_t kLeastElementsOfRow = 256, kMostElementsOfRow = 1 << 19;

/// Nests that are to be emitted in the loop of the one right before (emitBeside).
using RowPairs = llvm::DenseSet<mlir::Operation*>;

/// Where all rows of a part are summed up before they are written, as normalisations do, takes
/// turns instead: the sums of the first row; for each other row its sums, and beside them the
/// elements of the row before; the elements of the last row.
RowPairs pipelineRows(mlir::func::FuncOp function, int64_t lanes);

}  // namespace tessera::lowering
