// A tile is some vectors of neighbours in one row of the result: what
// they need of a row of the input is accumulated over the window's rows as it lies, and taken apart
// by column once behind that. Elements outside the rows are masked; which they are is known at
// compile time for all tiles but those in the middle, which have none. Where rows are whole
// vectors, these are read as they lie, and lie in the row or outside it: what begins in the middle
// of one touches two lines of the cache. Of vectors of half a line only each second one does: there
// a row is read once for each column of the windows, which is less than taking it apart. The rows
// of small windows are written out, for a few rows of the result at a time, which share what they
// read. To a maximum the row at the edge stands for those past it, to a mean zeros.
#include "compiler/lowering/contraction/pools/pool_rows.h"

#include <map>

#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/pools/row_taps.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/prefetch.h"

using namespace mlir;

namespace tessera::lowering {

bool areRowsWrittenOut(const ConvShape& shape) {
  constexpr int64_t kMostRows = 3;
  return shape.kernelHeight <= kMostRows;
}

int64_t poolTileSize(const ConvShape& shape, const CpuTarget& cpu) {
  constexpr int64_t kMostVectors = 4, kMostAccumulators = 13;
  // The rows of a window are held, too.
  const int64_t mostVectors =
      areRowsWrittenOut(shape) && cpu.numVectorRegisters < 32 ? 2 : kMostVectors;
  return std::clamp<int64_t>(kMostAccumulators / shape.strideWidth, 1, mostVectors) *
         cpu.vectorLanes;
}

// Whether results [begin, end) exist and have all taps inside the row.
bool PoolRows::isInside(int64_t begin, int64_t end) const {
  return end <= shape_.outWidth() && begin * shape_.strideWidth >= shape_.padLeft &&
         (end - 1) * shape_.strideWidth - shape_.padLeft + shape_.kernelWidth <= counted_.inWidth;
}

// Vectors of a row of the input that windows of whole vectors of `results` reach.
int64_t PoolRows::numVectorsOf(int64_t results) const {
  const int64_t whole = numVectors(results) * lanes_;
  return numVectors(lead_ + (whole - 1) * shape_.strideWidth + shape_.kernelWidth);
}

// Elements [first, first + lanes) of a row of the input, from `lead_` before the first tap of the
// tile on; null where none is of use.
Value PoolRows::readVector(Index at, int64_t first, const Tile& tile) {
  const int64_t needed = lead_ + (tile.count - 1) * shape_.strideWidth + shape_.kernelWidth;
  const auto isRead = [&](int64_t i) {
    if (i >= needed) return false;
    if (!tile.edgeColumn) return true;
    const int64_t column = *tile.edgeColumn * shape_.strideWidth - shape_.padLeft - lead_ + i;
    return 0 <= column && column < shape_.inWidth;
  };
  SmallVector<bool> mask;
  for (int64_t i = first; i < first + lanes_; ++i) mask.push_back(isRead(i));
  if (llvm::none_of(mask, [](bool isHere) { return isHere; })) return {};
  const Value from = at + first;
  const bool isWhole = areRowsVectors_ || llvm::all_of(mask, [](bool isHere) { return isHere; });
  const Value isInRow = isWhole ? Value() : constantMask(b_, b_.getLoc(), mask);
  return loadMasked(b_, b_.getLoc(), input, from, lanes_, isInRow, start());
}

Value PoolRows::oneBy(Index count) {
  const Value integer = b_.create<arith::IndexCastOp>(b_.getI32Type(), Value(count));
  const Value one = b_.create<arith::ConstantOp>(b_.getF32FloatAttr(1));
  return b_.create<arith::DivFOp>(one, b_.create<arith::SIToFPOp>(b_.getF32Type(), integer));
}

// Whether the window of result `number` of some block has rows outside of the input.
bool PoolRows::mayLackRows(int64_t number) const {
  const int64_t first = number * height_.stride - height_.padBegin,
                inLast = first + (height_.out - blockSize) * height_.stride;
  return first < 0 || inLast + height_.reach() > height_.in;
}

// 1 by the number of rows, in all planes, that the mean is over.
Value PoolRows::shareOfRows(int64_t number) {
  const auto open = [&] {
    const WindowRows rows = windowRows(b_, height_, row_ + number);
    return oneBy(rows.count(b_, height_, pool_.countsPadding, pool_.padBottom));
  };
  const float whole = 1 / static_cast<float>(counted_.kernelHeight);
  const Value share = isOpen_ && mayLackRows(number)
                          ? open()
                          : b_.create<arith::ConstantOp>(b_.getF32FloatAttr(whole));
  return planesShare_ ? b_.create<arith::MulFOp>(share, planesShare_) : share;
}

// The sum by the number of elements in each window.
Value PoolRows::average(Value sum, int64_t first, const Tile& tile, int64_t number) {
  SmallVector<float> shares;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    const int64_t columns = tile.edgeColumn
                                ? countColumns(counted_, pool_, *tile.edgeColumn + first + lane)
                                : shape_.kernelWidth;
    shares.push_back(1 / static_cast<float>(columns));
  }
  const Value factors = b_.create<arith::MulFOp>(
      b_.create<vector::BroadcastOp>(vector_, shareOfRows(number)), constant(shares));
  return b_.create<arith::MulFOp>(sum, factors);
}

void PoolRows::storeVector(Value result, int64_t first, const Tile& tile, int64_t number) {
  if (!pool_.isMaximum) result = average(result, first, tile, number);
  const Index inChannel = before_ + (row_ + number) * shape_.outWidth() + (tile.column + first);
  const int64_t size = counted_.outDepth() * shape_.outHeight() * shape_.outWidth();
  const int64_t valid = std::min(lanes_, tile.count - first);
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = result,
               .outputOffset = channel_ * size + inChannel,
               .channelOffset = inChannel,
               .batch = b_.index(0),
               .row = channel_,
               .lanes = lanes_,
               .validLanes = valid},
              epilogue_, output, isStreamed);
}

SmallVector<Value> PoolRows::readRow(const Tile& tile, Index inputRow, Index origin,
                                     int64_t numRead) {
  const Index at = origin + inputRow * shape_.inWidth +
                   (tile.column * shape_.strideWidth - (shape_.padLeft + lead_));
  SmallVector<Value> row;
  for (int64_t i = 0; i < numRead; ++i) row.push_back(readVector(at, i * lanes_, tile));
  return row;
}

// The vector at `at`, which begins with column `column` of a row, some of which lie outside.
Value PoolRows::readPastEnds(Index at, int64_t column) {
  SmallVector<bool> isInRow;
  for (int64_t lane = 0; lane < lanes_; ++lane)
    isInRow.push_back(0 <= column + lane && column + lane < shape_.inWidth);
  if (llvm::none_of(isInRow, [](bool isHere) { return isHere; })) return start();
  const Value mask = constantMask(b_, b_.getLoc(), isInRow);  // First, whatever the compiler.
  return b_.select(mask, b_.create<vector::LoadOp>(vector_, input, Value(at)), start());
}

// Windows of one row, as results; the vectors that look past its ends are made of those in it, or
// of what lies there in memory.
SmallVector<Value> PoolRows::readColumns(const Tile& tile, Index inputRow, Index origin,
                                         int64_t numRead) {
  const Index at = origin + inputRow * shape_.inWidth + (tile.column - shape_.padLeft);
  SmallVector<Value> whole, results;
  if (tile.edgeColumn && !isFilled) whole = readRow(tile, inputRow, origin, numRead);
  for (int64_t first = 0; first < tile.count; first += lanes_) {
    SmallVector<Value> taps;
    for (int64_t begin = first; begin < first + shape_.kernelWidth; ++begin) {
      const int64_t column = tile.edgeColumn.value_or(shape_.padLeft) - shape_.padLeft + begin;
      const bool isInRow = !tile.edgeColumn || (0 <= column && column + lanes_ <= shape_.inWidth);
      if (isInRow)
        taps.push_back(b_.create<vector::LoadOp>(vector_, input, Value(at + begin)));
      else
        taps.push_back(isFilled ? readPastEnds(at + begin, column)
                                : rowTaps(b_, whole, lead_ + begin, 1, 1, start())[0]);
    }
    results.push_back(combineAll(b_, pool_, taps));
  }
  return results;
}

// Row `number` of those in the windows of all rows of results.
SmallVector<Value> PoolRows::readRowOfBlock(const Tile& tile, int64_t number,
                                            const PoolPlane& plane, int64_t numRead) {
  Index inputRow = row_ * shape_.strideHeight + (number - shape_.padTop);
  Value isThere = plane.isThere;
  if (isOpen_ && !isFilled && mayBeOutside(number)) {
    const Index nearest = smaller(larger(inputRow, 0), shape_.inHeight - 1);
    if (!standsForOutside(height_, pool_)) {
      const Condition isInside = inputRow == nearest;
      isThere = isThere ? Value(Condition(b_, isThere) & isInside) : Value(isInside);
    }
    inputRow = nearest;
  }
  auto row = areColumnsFirst_ ? readColumns(tile, inputRow, plane.origin, numRead)
                              : readRow(tile, inputRow, plane.origin, numRead);
  for (Value& vector : row)
    if (isThere && vector) vector = b_.select(isThere, vector, start());
  return row;
}

// Rows that are read for one tile lack the same vectors.
SmallVector<Value> PoolRows::combineRows(ArrayRef<ArrayRef<Value>> rows) {
  SmallVector<Value> all(rows[0].size());
  for (auto [i, result] : llvm::enumerate(all)) {
    const auto vectors = llvm::map_to_vector(rows, [i = i](ArrayRef<Value> row) { return row[i]; });
    if (vectors[0]) result = combineAll(b_, pool_, vectors);
  }
  return all;
}

SmallVector<WindowPair> PoolRows::pairRows(ArrayRef<Value> first, ArrayRef<Value> second) {
  SmallVector<WindowPair> pairs;
  for (auto [a, c] : llvm::zip_equal(first, second))
    pairs.push_back(a ? combinePair(b_, pool_, a, c) : WindowPair());
  return pairs;
}

SmallVector<Value> PoolRows::combineRows(ArrayRef<WindowPair> pairs, ArrayRef<Value> third) {
  SmallVector<Value> all;
  for (auto [pair, vector] : llvm::zip_equal(pairs, third))
    all.push_back(vector ? combine(b_, pool_, pair, vector) : Value());
  return all;
}

SmallVector<Value> PoolRows::loopOverRows(const Tile& tile, int64_t numRead) {
  const WindowRows rows = windowRows(b_, height_, row_);
  const SmallVector<Value> none(numRead, start());
  return emitLoop(b_, rows.low, rows.high, 1, none, [&](Index number, ValueRange before) {
    const Index inputRow = b_.term(rows.first) + number * shape_.dilationHeight;
    const auto read = readRow(tile, inputRow, planes_[0].origin, numRead);
    SmallVector<Value> combined;
    for (auto [accumulated, vector] : llvm::zip_equal(before, read))
      combined.push_back(vector ? combine(b_, pool_, accumulated, vector) : accumulated);
    return combined;
  });
}

// Windows of three rows that follow each other have two in common: of each two windows, these are
// combined once.
void PoolRows::emitWrittenOut(const Tile& tile, int64_t numRead) {
  std::map<std::pair<int64_t, size_t>, SmallVector<Value>> read;
  std::map<int64_t, SmallVector<WindowPair>> pairs;
  const auto rowOf = [&](int64_t number, size_t plane = 0) -> ArrayRef<Value> {
    auto& row = read[{number, plane}];
    return row.empty() ? row = readRowOfBlock(tile, number, planes_[plane], numRead) : row;
  };
  const bool sharesPairs = planes_.size() == 1 && shape_.kernelHeight == 3 &&
                           shape_.strideHeight == 1 && shape_.dilationHeight == 1;
  for (int64_t result = 0; result < numRows_; ++result) {
    SmallVector<Value> window;
    if (sharesPairs) {
      auto& pair = pairs[result / 2];
      if (pair.empty()) {
        const ArrayRef<Value> upper = rowOf(result + 1);  // First, whatever the compiler.
        pair = pairRows(upper, rowOf(result + 2));
      }
      window = combineRows(pair, rowOf(result % 2 == 0 ? result : result + 2));
    } else {
      SmallVector<ArrayRef<Value>> rows;
      for (size_t plane = 0; plane < planes_.size(); ++plane)
        for (int64_t k = 0; k < shape_.kernelHeight; ++k)
          rows.push_back(rowOf(result * shape_.strideHeight + k * shape_.dilationHeight, plane));
      window = combineRows(rows);
    }
    emitResults(tile, window, result);
  }
}

void PoolRows::emitResults(const Tile& tile, ArrayRef<Value> combined, int64_t number) {
  for (int64_t first = 0; first < tile.count; first += lanes_) {
    if (areColumnsFirst_) {
      storeVector(combined[first / lanes_], first, tile, number);
      continue;
    }
    const auto taps = rowTaps(b_, combined, lead_ + first * shape_.strideWidth, shape_.kernelWidth,
                              shape_.strideWidth, start());
    storeVector(combineAll(b_, pool_, taps), first, tile, number);
  }
}

// What windows a page further read of the tile's columns: each row is another stream of lines, too
// short for the CPU to see where it goes on. Longer rows, and those of several planes, it follows.
void PoolRows::prefetch(const Tile& tile) {
  constexpr int64_t kPageElements = 1024;
  constexpr int64_t kLineElements = kLineBytes / static_cast<int64_t>(sizeof(float));
  if (shape_.inWidth > kPageElements || planes_.size() > 1) return;
  const int64_t ahead = std::max<int64_t>(llvm::divideCeil(kPageElements, shape_.inWidth),
                                          shape_.kernelHeight * shape_.dilationHeight);
  for (int64_t row = 0; row < blockSize * shape_.strideHeight; ++row) {
    const Index inputRow = row_ * shape_.strideHeight + (ahead - shape_.padTop + row);
    const Index at =
        planes_[0].origin + inputRow * shape_.inWidth + tile.column * shape_.strideWidth;
    for (int64_t i = 0; i < tile.count * shape_.strideWidth; i += kLineElements)
      lowering::prefetch(b_, b_.getLoc(), input, Value(at + i));
  }
}

void PoolRows::emitTile(const Tile& tile) {
  if (isFromMemory) prefetch(tile);
  const int64_t numRead = numVectorsOf(tile.count);
  if (numRows_ > 0) return emitWrittenOut(tile, numRead);
  emitResults(tile, loopOverRows(tile, numRead), 0);
}

// Whether row `number` of those in the windows of a block lies outside of the input for a block.
bool PoolRows::mayBeOutside(int64_t number) const {
  const int64_t inLast = (shape_.outHeight() - numRows_) * shape_.strideHeight + number;
  return number < shape_.padTop || inLast - shape_.padTop >= shape_.inHeight;
}

void PoolRows::setPlane(Value channel, Value depth, ArrayRef<PoolPlane> planes) {
  channel_ = b_.term(channel);
  planes_.clear();
  for (const PoolPlane& plane : planes)
    planes_.push_back({.origin = b_.term(plane.origin), .isThere = plane.isThere});
  before_ = b_.term(depth) * (shape_.outHeight() * shape_.outWidth());
  const ConvAxis axis = spatialAxesOf(counted_)[0];
  if (pool_.isMaximum || axis.isTrivial()) return;
  const WindowRows taps = windowRows(b_, axis, b_.term(depth));
  planesShare_ = oneBy(taps.count(b_, axis, pool_.countsPadding, pool_.padBack));
}

void PoolRows::emitBlock(Value block) {
  row_ = b_.term(block) * blockSize;
  numRows_ = areRowsWrittenOut(shape_) ? blockSize : 0;
  isOpen_ = !height_.isInside();
  const bool areAlike = pool_.isMaximum && (isFilled || standsForOutside(height_, pool_));
  if (numRows_ == 0 || !isOpen_ || areAlike) return emitTiles();
  const auto emitTilesOf = [&](bool isOpen) {
    isOpen_ = isOpen;
    emitTiles();
  };
  emitIf(
      b_, areWindowsInside(b_, height_, row_, numRows_), [&] { emitTilesOf(/*isOpen=*/false); },
      [&] { emitTilesOf(/*isOpen=*/true); });
}

void PoolRows::emitCombinedRow(Index row, ArrayRef<Value> vectors, bool mayLackRows) {
  row_ = row;
  blockSize = 1;
  isOpen_ = mayLackRows;
  // Windows begin in a vector in front, and end in one behind, in which there is nothing.
  lead_ = lanes_ - shape_.padLeft;
  SmallVector<Value> combined = {Value()};
  llvm::append_range(combined, vectors);
  combined.resize(std::max<size_t>(combined.size(), numVectorsOf(shape_.outWidth())));
  emitResults({.column = b_.term(int64_t{0}), .count = shape_.outWidth(), .edgeColumn = 0},
              combined, 0);
}

void PoolRows::emitTiles() {
  const int64_t width = shape_.outWidth(), size = tileSize_;
  for (int64_t begin = 0; begin < width;) {
    int64_t end = begin;
    while (isInside(end, end + size)) end += size;
    if (end - begin < 2 * size) {
      const int64_t columns = std::min(size, width - begin);
      const bool isEdge = !isInside(begin, begin + numVectors(columns) * lanes_);
      emitTile({.column = b_.term(begin),
                .count = columns,
                .edgeColumn = isEdge ? std::optional(begin) : std::nullopt});
      begin += columns;
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

}  // namespace tessera::lowering
