// Channels of blocked activations in another order: concatenations, shuffles and choices of
// channels.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// Where a channel of the result comes from.
struct ChannelSource {
  size_t input = 0;
  int64_t channel = 0;
};

/// The channels of a result, and the elements of one channel.
struct ChannelMoves {
  int64_t positions = 1;
  llvm::SmallVector<ChannelSource> channels;
};

/// Emits output = epilogue(channels of `inputs`) at `b`, [N, C/c, positions..., c] all, parallel
/// over images and positions. What lies behind the last channel of the output is 0 to the epilogue.
void emitChannelMoves(mlir::OpBuilder& b, mlir::Location loc, const ChannelMoves& moves,
                      mlir::ValueRange inputs, mlir::Value output, const CpuTarget& cpu,
                      const Epilogue& epilogue = nullptr);

}  // namespace tessera::lowering
