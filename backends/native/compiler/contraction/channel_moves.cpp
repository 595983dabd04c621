#include "backends/native/compiler/contraction/channel_moves.h"

#include "backends/native/compiler/blocked.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::ChannelMoves;

/// Each block of channels of the result has code of its own.
static constexpr int64_t kMostChannels = 2048;

static std::optional<ChannelMoves> movesOf(ir::ConcatOp concat) {
  if (concat.getAxisNormalized() != 1) return std::nullopt;
  ChannelMoves moves;
  for (const auto& [number, input] : llvm::enumerate(concat.getInputs())) {
    const int64_t channels = cast<RankedTensorType>(input.getType()).getDimSize(1);
    for (int64_t channel = 0; channel < channels; ++channel)
      moves.channels.push_back({.input = number, .channel = channel});
  }
  return moves;
}

static std::optional<ChannelMoves> movesOf(ir::GatherOp gather) {
  const auto indices = cast<RankedTensorType>(gather.getIndices().getType());
  const int64_t channels = cast<RankedTensorType>(gather.getData().getType()).getDimSize(1);
  if (gather.getAxisNormalized() != 1 || indices.getRank() != 1) return std::nullopt;
  const auto chosen = ir::constantInts(gather.getIndices());
  if (!chosen) return std::nullopt;
  ChannelMoves moves;
  for (const int64_t index : *chosen) {
    if (!ir::spec::isAxis(index, channels)) return std::nullopt;  // Indices count as axes do.
    moves.channels.push_back({.input = 0, .channel = ir::spec::normalizedAxis(index, channels)});
  }
  return moves;
}

OperandRange movedImages(Operation* op) {
  return isa<ir::GatherOp>(op) ? op->getOperands().take_front() : op->getOperands();
}

std::optional<ChannelMoves> channelMovesOf(Operation* op) {
  if (!isa<ir::ConcatOp, ir::GatherOp>(op)) return std::nullopt;
  const auto areImages = [](RankedTensorType type) {
    return type.getRank() >= 3 && type.getElementType().isF32() && hasKnownImage(type) &&
           imageElements(type) > 0;
  };
  const auto y = cast<RankedTensorType>(op->getResult(0).getType());
  if (!areImages(y) || y.getDimSize(1) > kMostChannels) return std::nullopt;
  for (const Type type : movedImages(op).getTypes())
    if (!areImages(cast<RankedTensorType>(type))) return std::nullopt;
  auto moves =
      isa<ir::GatherOp>(op) ? movesOf(cast<ir::GatherOp>(op)) : movesOf(cast<ir::ConcatOp>(op));
  if (moves) moves->positions = imageElements(y) / y.getDimSize(1);
  return moves;
}

bool movesBlockedChannels(Operation* op) {
  if (!isa<ir::ConcatOp, ir::GatherOp>(op)) return false;
  const ir::LayoutAttr layout = ir::layoutOf(cast<RankedTensorType>(op->getResult(0).getType()));
  if (!layout || layout.getBlockDims() != ArrayRef<int64_t>(1)) return false;
  if (isa<ir::GatherOp>(op)) return true;
  return llvm::any_of(op->getOperandTypes(), [&](Type type) {
    return cast<RankedTensorType>(type).getDimSize(1) % layout.getBlockSizes()[0] != 0;
  });
}

}  // namespace tessera::backend_native
