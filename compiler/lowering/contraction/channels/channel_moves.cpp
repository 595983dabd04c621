// A piece of the positions goes through all blocks of the result. A vector of the result is
// permuted from those vectors of the inputs at its position that have a channel of it: one
// permutation for each of them but the first.
#include "compiler/lowering/contraction/channels/channel_moves.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/loops.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

// A divisor of the positions: long enough that what a block needs is set up rarely, short enough
// that threads have something to share.
static int64_t pieceSize(int64_t positions) {
  constexpr int64_t kMost = 32, kLeast = 7;
  for (int64_t size = std::min(kMost, positions); size >= kLeast; --size)
    if (positions % size == 0) return size;
  return positions;
}

namespace {

class ChannelMover {
 public:
  ChannelMover(const IndexBuilder& b, const ChannelMoves& moves, ArrayRef<int64_t> numBlocks,
               int64_t lanes, const Epilogue& epilogue)
      : b_(b),
        moves_(moves),
        numBlocks_(numBlocks),
        lanes_(lanes),
        epilogue_(epilogue),
        vector_(VectorType::get({lanes_}, b_.getF32Type())) {}

  SmallVector<Value> inputs;  // flat
  Value output;               // flat

  /// Block `block` of the result at one position.
  void emitVector(Value image, int64_t block, Index position);

 private:
  /// A block of an input, and the lane of it for each lane of the result; -1 for none.
  using Sources = llvm::MapVector<std::pair<size_t, int64_t>, SmallVector<int64_t>>;

  Sources sourcesOf(int64_t block) const;
  Value load(Value image, std::pair<size_t, int64_t> source, Index position);
  Value zeros() { return b_.create<arith::ConstantOp>(b_.getZeroAttr(vector_)); }

  IndexBuilder b_;
  const ChannelMoves& moves_;
  ArrayRef<int64_t> numBlocks_;  ///< Of each input.
  int64_t lanes_;
  const Epilogue& epilogue_;
  VectorType vector_;
};

}  // namespace

ChannelMover::Sources ChannelMover::sourcesOf(int64_t block) const {
  Sources sources;
  const auto numChannels = static_cast<int64_t>(moves_.channels.size());
  for (int64_t lane = 0; lane < std::min(lanes_, numChannels - block * lanes_); ++lane) {
    const ChannelSource& source = moves_.channels[block * lanes_ + lane];
    auto& from = sources[{source.input, source.channel / lanes_}];
    from.resize(lanes_, -1);
    from[lane] = source.channel % lanes_;
  }
  return sources;
}

Value ChannelMover::load(Value image, std::pair<size_t, int64_t> source, Index position) {
  const auto [input, block] = source;
  const Index plane = b_.term(image) * numBlocks_[input] + block;
  return b_.create<vector::LoadOp>(vector_, inputs[input],
                                   Value((plane * moves_.positions + position) * lanes_));
}

void ChannelMover::emitVector(Value image, int64_t block, Index position) {
  Value result;
  for (const auto& [source, from] : sourcesOf(block)) {
    const Value vector = load(image, source, position);
    // Lanes that no channel is for are 0, in the first vector already.
    const Value before = result ? result : zeros();
    SmallVector<int64_t> places;
    bool isWhole = true;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      places.push_back(from[lane] < 0 ? lane : lanes_ + from[lane]);
      isWhole &= from[lane] == lane;
    }
    result = isWhole ? vector : Value(b_.create<vector::ShuffleOp>(before, vector, places));
  }
  const int64_t numBlocks = static_cast<int64_t>(moves_.channels.size() + lanes_ - 1) / lanes_;
  const Index plane = b_.term(image) * numBlocks + block;
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = result,
               .outputOffset = (plane * moves_.positions + position) * lanes_,
               .channelOffset = b_.index(block * lanes_),
               .batch = image,
               .row = nullptr,
               .lanes = lanes_,
               .validLanes = lanes_},
              epilogue_, output);
}

void emitChannelMoves(OpBuilder& at, Location loc, const ChannelMoves& moves, ValueRange inputs,
                      Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  IndexBuilder b(loc, at);
  const int64_t lanes = cpu.vectorLanes, piece = pieceSize(moves.positions);
  const auto numBlocks = llvm::map_to_vector(
      inputs, [](Value input) { return cast<MemRefType>(input.getType()).getDimSize(1); });
  const OpFoldResult images = memref::getMixedSize(at, loc, output, 0);
  SmallVector<Value> flat;
  for (const Value input : inputs) flat.push_back(flattenMemRef(at, loc, input));
  const Value target = flattenMemRef(at, loc, output);
  scf::ForallOp forall = openForall(b, {images, b.getIndexAttr(moves.positions / piece)});
  const auto numbers = forall.getInductionVars();
  const Index first = b.term(numbers[1]) * piece;
  for (int64_t block = 0; block * lanes < static_cast<int64_t>(moves.channels.size()); ++block) {
    emitLoop(b, piece, [&](Index position) {
      ChannelMover mover(b, moves, numBlocks, lanes, epilogue);
      mover.inputs = flat;
      mover.output = target;
      mover.emitVector(numbers[0], block, first + position);
    });
  }
}

}  // namespace tessera::lowering
