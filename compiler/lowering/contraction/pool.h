// Pools on activations in channel blocks, and on row-major ones.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// What a pool makes of the elements in a window.
struct Pool {
  bool isMaximum = true;       ///< NaN where there is one; else the mean.
  bool countsPadding = false;  ///< The mean is over elements of the padding, too, which are 0.
  int64_t padBottom = 0, padRight = 0;  ///< Where the padding that counts ends.
};

/// Emits output = epilogue(pool of input) at `b`, [N, C/c, H, W, c] both, parallel over images,
/// channel blocks and rows. `shape` is that of a depthwise convolution with the same windows, 2-D
/// or less.
void emitPool(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape, const Pool& pool,
              mlir::Value input, mlir::Value output, const CpuTarget& cpu,
              const Epilogue& epilogue = nullptr);

/// The same of [N, C, H, W], for shapes that isForPlainPool: parallel over planes and rows. To the
/// epilogue planes are rows and positions in them columns.
void emitPlainPool(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape, const Pool& pool,
                   mlir::Value input, mlir::Value output, const CpuTarget& cpu,
                   const Epilogue& epilogue = nullptr);

/// Whether rows of the result fill vectors, and windows move by few elements.
bool isForPlainPool(const ConvShape& shape, int64_t lanes);

}  // namespace tessera::lowering
