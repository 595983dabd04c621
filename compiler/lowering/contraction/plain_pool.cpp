// Pools on row-major planes. A tile is some vectors of neighbours in one row of the result: what
// they need of a row of the input is accumulated over the window's rows as it lies, and taken apart
// by column once behind that. Elements outside the rows are masked; which they are is known at
// compile time for all tiles but those in the middle, which have none.
#include <limits>

#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/pool.h"
#include "compiler/lowering/contraction/window_rows.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class PlainPoolEmitter {
 public:
  PlainPoolEmitter(const IndexBuilder& b, const ConvShape& shape, const Pool& pool, int64_t lanes,
                   const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        pool_(pool),
        lanes_(lanes),
        epilogue_(epilogue),
        vector_(VectorType::get({lanes}, b_.getF32Type())) {}

  Value input, output;  // flat

  void emitRow(Value plane, Value row);

 private:
  /// Results [column, column + count) of a row.
  struct Tile {
    Index column;
    int64_t count;
    std::optional<int64_t> edgeColumn;  ///< `column` where some taps may lie outside the row.
  };

  int64_t numVectors(int64_t results) const { return (results + lanes_ - 1) / lanes_; }
  int64_t tileSize() const;
  bool isInside(int64_t begin, int64_t end) const;
  Value constant(ArrayRef<float> values) {
    return b_.create<arith::ConstantOp>(DenseElementsAttr::get(vector_, values));
  }
  Value start();
  void emitTile(const Tile& tile);
  Value readVector(Index at, int64_t first, const Tile& tile);
  Value collect(ArrayRef<Value> row, int64_t first);
  Value average(Value sum, int64_t first, const Tile& tile);
  void storeVector(Value result, int64_t first, const Tile& tile);

  IndexBuilder b_;
  const ConvShape& shape_;
  const Pool& pool_;
  int64_t lanes_;
  const Epilogue& epilogue_;
  VectorType vector_;
  Value plane_;
  Index row_;
  WindowRows rows_;
};

}  // namespace

Value PlainPoolEmitter::start() {
  return constant(pool_.isMaximum ? -std::numeric_limits<float>::infinity() : 0.0F);
}

// Results of a tile: as many vectors as leave what they accumulate in registers.
int64_t PlainPoolEmitter::tileSize() const {
  constexpr int64_t kMostVectors = 4, kMostAccumulators = 13;
  return std::clamp<int64_t>(kMostAccumulators / shape_.strideWidth, 1, kMostVectors) * lanes_;
}

// Whether results [begin, end) exist and have all taps inside the row.
bool PlainPoolEmitter::isInside(int64_t begin, int64_t end) const {
  return end <= shape_.outWidth() && begin * shape_.strideWidth >= shape_.padLeft &&
         (end - 1) * shape_.strideWidth - shape_.padLeft + shape_.kernelWidth <= shape_.inWidth;
}

// Elements [first, first + lanes) of a row of the input, from the first tap of the tile on.
Value PlainPoolEmitter::readVector(Index at, int64_t first, const Tile& tile) {
  const int64_t needed = (tile.count - 1) * shape_.strideWidth + shape_.kernelWidth;
  SmallVector<bool> mask;
  for (int64_t i = first; i < first + lanes_; ++i) {
    bool isRead = i < needed;
    if (tile.edgeColumn) {
      const int64_t column = *tile.edgeColumn * shape_.strideWidth - shape_.padLeft + i;
      isRead &= 0 <= column && column < shape_.inWidth;
    }
    mask.push_back(isRead);
  }
  const Value from = at + first;
  if (llvm::all_of(mask, [](bool isRead) { return isRead; }))
    return b_.create<vector::LoadOp>(vector_, input, from);
  const auto bits = VectorType::get({lanes_}, b_.getI1Type());
  const Value isRead = b_.create<arith::ConstantOp>(DenseElementsAttr::get(bits, mask));
  return b_.create<vector::MaskedLoadOp>(vector_, input, from, isRead, start());
}

// Every stride-th element of the vectors of `row`, from element `first` on.
Value PlainPoolEmitter::collect(ArrayRef<Value> row, int64_t first) {
  Value result;
  const int64_t end = first + (lanes_ - 1) * shape_.strideWidth;
  for (int64_t number = first / lanes_; number <= end / lanes_; ++number) {
    if (!result && first == number * lanes_ && shape_.strideWidth == 1) return row[number];
    const bool isFirst = !result;
    const Value before = isFirst ? row[number] : result;
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      const int64_t at = first + lane * shape_.strideWidth - number * lanes_;
      const bool isHere = 0 <= at && at < lanes_;
      places.push_back(isHere ? (isFirst ? at : lanes_ + at) : isFirst ? 0 : lane);
    }
    result = b_.create<vector::ShuffleOp>(before, row[number], places);
  }
  return result;
}

// The sum by the number of elements in each window.
Value PlainPoolEmitter::average(Value sum, int64_t first, const Tile& tile) {
  SmallVector<float> shares;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    const int64_t columns = tile.edgeColumn
                                ? countColumns(shape_, pool_, *tile.edgeColumn + first + lane)
                                : shape_.kernelWidth;
    shares.push_back(1 / static_cast<float>(columns));
  }
  const Value rows = b_.create<arith::IndexCastOp>(b_.getI32Type(), rows_.count(b_, shape_, pool_));
  const Value one = b_.create<arith::ConstantOp>(b_.getF32FloatAttr(1));
  const Value share =
      b_.create<arith::DivFOp>(one, b_.create<arith::SIToFPOp>(b_.getF32Type(), rows));
  const Value factors =
      b_.create<arith::MulFOp>(b_.create<vector::BroadcastOp>(vector_, share), constant(shares));
  return b_.create<arith::MulFOp>(sum, factors);
}

void PlainPoolEmitter::storeVector(Value result, int64_t first, const Tile& tile) {
  if (!pool_.isMaximum) result = average(result, first, tile);
  const Index inPlane = row_ * shape_.outWidth() + (tile.column + first);
  const Index offset = b_.term(plane_) * (shape_.outHeight() * shape_.outWidth()) + inPlane;
  const int64_t valid = std::min(lanes_, tile.count - first);
  if (epilogue_) {
    result = epilogue_({.b = b_,
                        .loc = b_.getLoc(),
                        .accumulator = result,
                        .outputOffset = offset,
                        .channelOffset = inPlane,
                        .batch = b_.index(0),
                        .row = plane_,
                        .lanes = lanes_,
                        .validLanes = valid});
  }
  storeLanes(b_, b_.getLoc(), result, output, offset, valid);
}

void PlainPoolEmitter::emitTile(const Tile& tile) {
  const int64_t results = numVectors(tile.count) * lanes_;
  const int64_t numRead = numVectors((results - 1) * shape_.strideWidth + shape_.kernelWidth);
  const SmallVector<Value> none(numRead, start());
  auto loop = b_.create<scf::ForOp>(rows_.low, rows_.high, b_.index(1), none);
  {
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    const Index inputRow =
        b_.term(rows_.first) + b_.term(loop.getInductionVar()) * shape_.dilationHeight;
    const Index at = (b_.term(plane_) * shape_.inHeight + inputRow) * shape_.inWidth +
                     (tile.column * shape_.strideWidth - shape_.padLeft);
    SmallVector<Value> next;
    for (auto [i, before] : llvm::enumerate(loop.getRegionIterArgs()))
      next.push_back(
          combine(b_, pool_, before, readVector(at, static_cast<int64_t>(i) * lanes_, tile)));
    b_.create<scf::YieldOp>(next);
  }
  const SmallVector<Value> row = llvm::to_vector_of<Value>(loop.getResults());
  for (int64_t first = 0; first < tile.count; first += lanes_) {
    Value result;
    for (int64_t tap = 0; tap < shape_.kernelWidth; ++tap) {
      const Value values = collect(row, first * shape_.strideWidth + tap);
      result = result ? combine(b_, pool_, result, values) : values;
    }
    storeVector(result, first, tile);
  }
}

void PlainPoolEmitter::emitRow(Value plane, Value row) {
  plane_ = plane;
  row_ = b_.term(row);
  rows_ = windowRows(b_, shape_, row_);
  const int64_t width = shape_.outWidth(), size = tileSize();
  for (int64_t begin = 0; begin < width;) {
    int64_t end = begin;
    while (isInside(end, end + size)) end += size;
    if (end - begin < 2 * size) {
      const int64_t count = std::min(size, width - begin);
      const bool isEdge = !isInside(begin, begin + count);
      emitTile({.column = b_.term(begin),
                .count = count,
                .edgeColumn = isEdge ? std::optional(begin) : std::nullopt});
      begin += count;
      continue;
    }
    auto loop = b_.create<scf::ForOp>(b_.index(begin), b_.index(end), b_.index(size));
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    emitTile(
        {.column = b_.term(loop.getInductionVar()), .count = size, .edgeColumn = std::nullopt});
    begin = end;
  }
}

bool isForPlainPool(const ConvShape& shape, int64_t lanes) {
  constexpr int64_t kMostStride = 4;
  return shape.strideWidth <= kMostStride && shape.dilationWidth == 1 &&
         shape.outWidth() * 2 > lanes;
}

void emitPlainPool(OpBuilder& at, Location loc, const ConvShape& shape, const Pool& pool,
                   Value input, Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  const Value in = flattenMemRef(at, loc, input), out = flattenMemRef(at, loc, output);
  IndexBuilder b(loc, at);
  const Value planes = b.mul(
      getValueOrCreateConstantIndexOp(b, loc, batchSize(at, loc, shape, input)), shape.inChannels);
  scf::ForallOp forall =
      openForall(b, {getAsOpFoldResult(planes), b.getIndexAttr(shape.outHeight())});
  PlainPoolEmitter emitter(b, shape, pool, cpu.vectorLanes, epilogue);
  emitter.input = in;
  emitter.output = out;
  const auto numbers = forall.getInductionVars();
  emitter.emitRow(numbers[0], numbers[1]);
}

}  // namespace tessera::lowering
