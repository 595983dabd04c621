// Squares of vectors, transposed or summed up in registers.
#pragma once

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// Of `lanes` vectors of as many elements: vector i has element i of each.
llvm::SmallVector<mlir::Value> transposeSquare(IndexBuilder& b, llvm::ArrayRef<mlir::Value> rows);
/// Of the same: element i is the sum of the elements of vector i.
mlir::Value sumsOfRows(IndexBuilder& b, llvm::ArrayRef<mlir::Value> rows);

}  // namespace tessera::lowering
