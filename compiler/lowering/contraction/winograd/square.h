// Squares of results and of the elements that they read, and their transforms. Not for other
// folders.
#pragma once

#include "mlir/IR/Value.h"

namespace tessera::lowering {

inline constexpr int64_t kResults = 4, kElements = 6, kProducts = kElements * kElements;
// The interpolation points are 0, a, -a, b, -b and infinity. The usual ones, 1 and 2, lose three
// bits more (found by trying; Barabasz et al., "Error Analysis and Improving the Accuracy of
// Winograd Convolution", TOMS 2020, say why), and these have squares and cubes that are exact in
// f32.
inline constexpr double kA = 0.75, kB = 1.5, kA2 = kA * kA, kB2 = kB * kB;

using Square = llvm::SmallVector<mlir::Value>;  ///< Row-major.

/// A 1-D transform of the rows of a square, then of its columns.
inline Square transformSquare(llvm::ArrayRef<mlir::Value> square, int64_t width,
                              llvm::function_ref<Square(llvm::ArrayRef<mlir::Value>)> transform) {
  const auto height = static_cast<int64_t>(square.size()) / width;
  llvm::SmallVector<Square> rows;
  for (int64_t row = 0; row < height; ++row)
    rows.push_back(transform(square.slice(row * width, width)));
  const auto newWidth = static_cast<int64_t>(rows.front().size());
  llvm::SmallVector<Square> columns;
  for (int64_t column = 0; column < newWidth; ++column) {
    Square values;
    for (const Square& row : rows) values.push_back(row[column]);
    columns.push_back(transform(values));
  }
  Square result;
  for (size_t row = 0; row < columns.front().size(); ++row) {
    for (const Square& column : columns) result.push_back(column[row]);
  }
  return result;
}

}  // namespace tessera::lowering
