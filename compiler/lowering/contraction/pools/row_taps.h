// The columns of windows over a row, as vectors. Not for other folders.
#pragma once

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// The elements of each of `count` taps, `stride` apart in neighbouring lanes, where the first tap
/// of the first lane is element `first` of the vectors in `row`; null ones stand for `start`.
llvm::SmallVector<mlir::Value> rowTaps(IndexBuilder& b, llvm::ArrayRef<mlir::Value> row,
                                       int64_t first, int64_t count, int64_t stride,
                                       mlir::Value start);

}  // namespace tessera::lowering
