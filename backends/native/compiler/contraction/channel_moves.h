// Operators that give the channels of images in another order.
#pragma once

#include "compiler/ir/tsr.h"
#include "compiler/lowering/contraction/channels/channel_moves.h"

namespace tessera::backend_native {

/// What a concatenation along dimension 1, or a Gather, Slice or Split along it by constants, does
/// to f32 tensors [N, C, spatial...] whose sizes but N are known, for result `number`; nothing for
/// others. Inputs are the operands by number.
std::optional<lowering::ChannelMoves> channelMovesOf(mlir::Operation* op, unsigned number = 0);

/// The operands of such an operator that are images, first ones.
mlir::OperandRange movedImages(mlir::Operation* op);

/// Whether it does so to channels in blocks, and a concatenation not to whole ones.
bool movesBlockedChannels(mlir::Operation* op);

}  // namespace tessera::backend_native
