// Squares of vectors, transposed or summed up in registers.
#pragma once

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// Elements that the cheapest shuffles move among themselves: those of 32 bits in 128.
inline constexpr int64_t kQuarter = 4;

/// Of `lanes` vectors of as many elements: vector i has element i of each.
llvm::SmallVector<mlir::Value> transposeSquare(IndexBuilder& b, llvm::ArrayRef<mlir::Value> rows);
/// Vectors by fours: four elements of each, side by side, become the transposed square of what they
/// were.
void transposeQuarters(IndexBuilder& b, llvm::SmallVector<mlir::Value>& vectors);
/// Of those of transposeSquare: element i is the sum of the elements of vector i.
mlir::Value sumsOfRows(IndexBuilder& b, llvm::ArrayRef<mlir::Value> rows);

}  // namespace tessera::lowering
