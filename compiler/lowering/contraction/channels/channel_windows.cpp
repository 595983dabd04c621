// A piece of the positions goes through all blocks, so that the neighbours of a block, which it
// reads as well, are in the first level of caches. What a window has of one offset is a permutation
// of the squares of two blocks.
#include "compiler/lowering/contraction/channels/channel_windows.h"

#include <array>

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

// Positions of a piece.
static constexpr int64_t kPiece = 256;

namespace {

/// A block and its neighbours.
class WindowSummer {
 public:
  /// `plane` is the number of the block among those of all images, `block` among those of its own.
  WindowSummer(IndexBuilder& b, const ChannelWindows& windows, Index plane, Index block,
               int64_t numBlocks, int64_t lanes)
      : b_(b),
        windows_(windows),
        lanes_(lanes),
        zeros_(
            b.create<arith::ConstantOp>(b.getZeroAttr(VectorType::get({lanes}, b.getF32Type())))) {
    for (const int64_t offset : {-1, 0, 1}) {
      // One that is not there has no lanes, and is not touched: a load without lanes from memory
      // that is not there takes hundreds of cycles.
      const Index wanted = block + offset;
      const Index there = larger(smaller(wanted, numBlocks - 1), 0);
      const Index left = smaller(b.term(windows.channels) - there * lanes, lanes);
      const Value count = b.select(b.equal(wanted, there), left, b.index(0));
      neighbours_[offset + 1] = {.plane = plane + there - block,
                                 .lanes = lanesBelow(b, b.getLoc(), lanes, count)};
    }
  }

  /// Sums at one position.
  Value sum(Value input, Index position) const {
    std::array<Value, 3> squares;
    for (const auto& [square, neighbour] : llvm::zip_equal(squares, neighbours_)) {
      const Index at = (b_.term(neighbour.plane) * windows_.positions + position) * lanes_;
      const Value x =
          loadMasked(b_, b_.getLoc(), input, Value(at), lanes_, neighbour.lanes, zeros_);
      square = b_.create<arith::MulFOp>(x, x);
    }
    Value sum;
    for (int64_t offset = -windows_.before; offset <= windows_.after; ++offset) {
      const Value part = shifted(squares, offset);
      sum = sum ? Value(b_.create<arith::AddFOp>(sum, part)) : part;
    }
    return sum;
  }

 private:
  struct Neighbour {
    Value plane;
    Value lanes;  ///< A mask.
  };

  /// Of each lane's channel the one `offset` behind it.
  Value shifted(const std::array<Value, 3>& blocks, int64_t offset) const {
    if (offset == 0) return blocks[1];
    const size_t first = offset < 0 ? 0 : 1;
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < lanes_; ++lane)
      places.push_back(lane + offset + (offset < 0 ? lanes_ : 0));
    return b_.create<vector::ShuffleOp>(blocks[first], blocks[first + 1], places);
  }

  IndexBuilder& b_;
  const ChannelWindows& windows_;
  int64_t lanes_;
  Value zeros_;
  std::array<Neighbour, 3> neighbours_;  ///< In front, itself, and behind.
};

}  // namespace

void emitSquareSums(OpBuilder& at, Location loc, const ChannelWindows& windows, Value input,
                    Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  IndexBuilder b(loc, at);
  const int64_t lanes = cpu.vectorLanes,
                numBlocks = llvm::divideCeilSigned(windows.channels, lanes);
  const OpFoldResult images = memref::getMixedSize(at, loc, output, 0);
  const Value source = flattenMemRef(at, loc, input), target = flattenMemRef(at, loc, output);
  const int64_t pieces = llvm::divideCeilSigned(windows.positions, kPiece);
  const auto numbers = openForall(b, {images, b.getIndexAttr(pieces)}).getInductionVars();
  const Index first = b.term(numbers[1]) * kPiece;
  const Index end = smaller(first + kPiece, windows.positions);
  emitLoop(b, numBlocks, [&](Index block) {
    const Index plane = b.term(numbers[0]) * numBlocks + block;
    const WindowSummer summer(b, windows, plane, block, numBlocks, lanes);
    emitLoop(b, first, end, 1, [&](Index position) {
      storeResult({.b = b,
                   .loc = loc,
                   .accumulator = summer.sum(source, position),
                   .outputOffset = (plane * windows.positions + position) * lanes,
                   .channelOffset = block * lanes,
                   .batch = numbers[0],
                   .row = nullptr,
                   .lanes = lanes,
                   .validLanes = lanes},
                  epilogue, target);
    });
  });
}

}  // namespace tessera::lowering
