#include "backends/native/compiler/contraction/channel_moves.h"

#include "backends/native/compiler/blocked.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/slice.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// `count` channels from `start` on, `step` apart.
static ChannelMoves movesOfRange(int64_t start, int64_t count, int64_t step) {
  ChannelMoves moves;
  for (int64_t i = 0; i < count; ++i)
    moves.channels.push_back({.input = 0, .channel = start + i * step});
  return moves;
}

/// Other dimensions are whole where the sizes of the result say so and no step turns them round.
static std::optional<ChannelMoves> movesOf(ir::SliceOp slice) {
  const auto x = cast<RankedTensorType>(slice.getData().getType()),
             y = cast<RankedTensorType>(slice->getResult(0).getType());
  const auto starts = ir::constantInts(slice.getStarts()), ends = ir::constantInts(slice.getEnds());
  const auto axes = slice.getAxes() ? ir::spec::constantAxes(slice.getAxes(), x.getRank())
                                    : std::optional(ir::spec::allAxes(x.getRank()));
  const auto steps =
      slice.getSteps() ? ir::constantInts(slice.getSteps()) : std::optional(SmallVector<int64_t>());
  if (!starts || !ends || !axes || !steps || axes->size() < starts->size()) return std::nullopt;
  ir::spec::SliceRange<int64_t> range{.start = 0, .length = x.getDimSize(1)};
  int64_t channelStep = 1;
  for (const auto& [i, start] : llvm::enumerate(*starts)) {
    const int64_t axis = (*axes)[i], step = steps->empty() ? 1 : (*steps)[i];
    if (axis == 1) {
      if (step == 0) return std::nullopt;
      range = ir::spec::sliceRange(x.getDimSize(1), start, (*ends)[i], step);
      channelStep = step;
    } else if (step != 1 || !ir::isEqualSize(x, axis, y, axis)) {
      return std::nullopt;
    }
  }
  if (range.length != y.getDimSize(1)) return std::nullopt;
  return movesOfRange(range.start, range.length, channelStep);
}

static std::optional<ChannelMoves> movesOf(ir::SplitOp split, unsigned number) {
  if (split.getAxisNormalized() != 1) return std::nullopt;
  const auto channels = [&](unsigned part) {
    return cast<RankedTensorType>(split->getResult(part).getType()).getDimSize(1);
  };
  int64_t start = 0, all = 0;
  for (unsigned part = 0; part < split->getNumResults(); ++part) {
    if (ShapedType::isDynamic(channels(part))) return std::nullopt;
    if (part < number) start += channels(part);
    all += channels(part);
  }
  // What a list of lengths says is refused at run time where it does not fit.
  if (all != cast<RankedTensorType>(split.getInput().getType()).getDimSize(1)) return std::nullopt;
  if (split.getSplit() && !ir::constantInts(split.getSplit())) return std::nullopt;
  return movesOfRange(start, channels(number), 1);
}

static bool movesChannels(Operation* op) {
  return isa<ir::ConcatOp, ir::GatherOp, ir::SliceOp, ir::SplitOp>(op);
}

OperandRange movedImages(Operation* op) {
  return isa<ir::ConcatOp>(op) ? op->getOperands() : op->getOperands().take_front();
}

std::optional<ChannelMoves> channelMovesOf(Operation* op, unsigned number) {
  if (!movesChannels(op)) return std::nullopt;
  const auto areImages = [](RankedTensorType type) {
    return type.getRank() >= 3 && type.getElementType().isF32() && hasKnownImage(type) &&
           imageElements(type) > 0;
  };
  const auto y = cast<RankedTensorType>(op->getResult(number).getType());
  if (!areImages(y) || y.getDimSize(1) > kMostChannels) return std::nullopt;
  for (const Type type : movedImages(op).getTypes())
    if (!areImages(cast<RankedTensorType>(type))) return std::nullopt;
  std::optional<ChannelMoves> moves =
      llvm::TypeSwitch<Operation*, std::optional<ChannelMoves>>(op)
          .Case([&](ir::SplitOp split) { return movesOf(split, number); })
          .Case<ir::ConcatOp, ir::GatherOp, ir::SliceOp>([](auto each) { return movesOf(each); });
  if (moves) moves->positions = imageElements(y) / y.getDimSize(1);
  return moves;
}

bool movesBlockedChannels(Operation* op) {
  if (!movesChannels(op)) return false;
  const ir::LayoutAttr layout = ir::layoutOf(cast<RankedTensorType>(op->getResult(0).getType()));
  if (!layout || layout.getBlockDims() != ArrayRef<int64_t>(1)) return false;
  if (!isa<ir::ConcatOp>(op)) return true;
  return llvm::any_of(op->getOperandTypes(), [&](Type type) {
    return cast<RankedTensorType>(type).getDimSize(1) % layout.getBlockSizes()[0] != 0;
  });
}

}  // namespace tessera::backend_native
