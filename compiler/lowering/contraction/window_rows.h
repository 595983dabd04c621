// Windows at the borders of an image: which rows and columns of one lie inside. Not for other
// folders.
#pragma once

#include "compiler/lowering/contraction/pool.h"
#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// Rows of a window: input row first + k * dilation lies inside for k of [low, high).
struct WindowRows {
  mlir::Value first, low, high;

  /// The number of rows that a mean is over, at least 1.
  Index count(IndexBuilder& b, const ConvShape& shape, const Pool& pool) const;
};

/// Those of the windows of output row `row`.
WindowRows windowRows(IndexBuilder& b, const ConvShape& shape, Index row);

/// Columns that the mean of output column `column` is over, at least 1.
int64_t countColumns(const ConvShape& shape, const Pool& pool, int64_t column);

/// The maximum, or sum, of two vectors.
mlir::Value combine(IndexBuilder& b, const Pool& pool, mlir::Value accumulated, mlir::Value value);

}  // namespace tessera::lowering
