// Pools on activations in channel blocks, and on row-major ones.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// What a pool makes of the elements in a window.
struct Pool {
  bool isMaximum = true;       ///< NaN where there is one; else the mean.
  bool countsPadding = false;  ///< The mean is over elements of the padding, too, which are 0.
  /// Where the padding that counts ends.
  int64_t padBack = 0, padBottom = 0, padRight = 0;
  /// Set by emitters: half vectors are compared into masks that are registers of their own, as
  /// whole ones of AVX-512 are.
  bool masksHalves = false;
};

/// Emits output = epilogue(pool of input) at `b`, [N, C/c, D, H, W, c] both, parallel over images,
/// channel blocks, planes and rows. `shape` is that of a depthwise convolution with the same
/// windows.
void emitPool(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape, const Pool& pool,
              mlir::Value input, mlir::Value output, const CpuTarget& cpu,
              const Epilogue& epilogue = nullptr);

/// The same of [N, C, D, H, W], for shapes that isForPlainPool: parallel over channels, planes and
/// rows. To the epilogue channels are rows and positions in them columns.
void emitPlainPool(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape, const Pool& pool,
                   mlir::Value input, mlir::Value output, const CpuTarget& cpu,
                   const Epilogue& epilogue = nullptr);

/// Whether rows of the result fill half of a vector of 8 lanes, and windows move by few elements.
bool isForPlainPool(const ConvShape& shape, int64_t lanes);

}  // namespace tessera::lowering
