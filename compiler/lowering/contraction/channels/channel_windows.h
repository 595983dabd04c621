// Sums over windows of channels, of activations in channel blocks.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// Around each channel a window of those from `before` in front of it to `after` behind it, as far
/// as there are any; both are at most a block.
struct ChannelWindows {
  int64_t channels = 1;
  int64_t positions = 1;  ///< Elements of one channel.
  int64_t before = 0, after = 0;
};

/// Emits output = epilogue(sum of the squares of `input` in the window) at `b`, [N, C/c,
/// positions..., c] both, parallel over images and positions. Lanes behind the last channel of the
/// input do not matter.
void emitSquareSums(mlir::OpBuilder& b, mlir::Location loc, const ChannelWindows& windows,
                    mlir::Value input, mlir::Value output, const CpuTarget& cpu,
                    const Epilogue& epilogue = nullptr);

}  // namespace tessera::lowering
