// Loops that threads share out, and what a thread has for itself.
#pragma once

#include "compiler/lowering/index_builder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::lowering {

/// A loop over all of [0, ends), whose last dimension changes fastest; `b` builds in it from then
/// on.
mlir::scf::ForallOp openForall(IndexBuilder& b, llvm::ArrayRef<mlir::OpFoldResult> ends);

/// A dimension of a size of the run cut into blocks.
struct OpenBlocks {
  Index size, count;
};

/// Of `extent`, at most `most` in a block, or so few that there are `wanted` blocks; multiples of
/// `unit`, as `most` is.
OpenBlocks cutOpen(Index extent, int64_t most, Index wanted, int64_t unit);

/// Flat memory of the thread that runs the loop's body, aligned for any vector.
mlir::Value allocateFloats(IndexBuilder& b, int64_t count);
mlir::Value allocateFloats(IndexBuilder& b, mlir::Value count);

}  // namespace tessera::lowering
