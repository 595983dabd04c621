// Windows at the borders of an image: which rows and columns of one lie inside. Not for other
// folders.
#pragma once

#include "compiler/lowering/contraction/open/open_axis.h"
#include "compiler/lowering/contraction/pool.h"
#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// Rows, or planes, of a window: number first + k * dilation of the input lies inside for k of
/// [low, high).
struct WindowRows {
  mlir::Value first, low, high;

  /// The number of them that a mean is over, at least 1; the padding that counts has `padEnd` at
  /// its end.
  Index count(IndexBuilder& b, const ConvAxis& axis, bool countsPadding, int64_t padEnd) const;
};

/// Those of the windows of output number `output`.
WindowRows windowRows(IndexBuilder& b, const ConvAxis& axis, Index output);
WindowRows windowRows(IndexBuilder& b, const OpenAxis& axis, Index output);

/// Whether the windows of `count` outputs from number `output` on have all of their rows inside.
Condition areWindowsInside(IndexBuilder& b, const ConvAxis& axis, const Index& output,
                           int64_t count);
Condition areWindowsInside(IndexBuilder& b, const OpenAxis& axis, const Index& output,
                           int64_t count);

/// Whether the rows of a window that lie past the input may be read from the one at its edge, which
/// is in the window, too: a maximum is the same.
bool standsForOutside(const ConvAxis& axis, const Pool& pool);

/// Columns that the mean of output column `column` is over, at least 1.
int64_t countColumns(const ConvShape& shape, const Pool& pool, int64_t column);

/// A vector that changes no combination.
mlir::Value startOf(IndexBuilder& b, const Pool& pool, int64_t lanes);
/// The maximum, or sum, of two vectors.
mlir::Value combine(IndexBuilder& b, const Pool& pool, mlir::Value accumulated, mlir::Value value);
/// Of several, in fewer instructions than one after the other.
mlir::Value combineAll(IndexBuilder& b, const Pool& pool, llvm::ArrayRef<mlir::Value> values);

/// Two vectors that several windows have in common.
struct WindowPair {
  mlir::Value value;
  mlir::Value isNan;  ///< Of a maximum: lanes in which one of them is NaN and `value` may not be.
};
WindowPair combinePair(IndexBuilder& b, const Pool& pool, mlir::Value first, mlir::Value second);
/// Both and a third one.
mlir::Value combine(IndexBuilder& b, const Pool& pool, const WindowPair& pair, mlir::Value third);

}  // namespace tessera::lowering
