// Pools on row-major planes. A tile is some vectors of neighbours in one row of the result: what
// they need of a row of the input is accumulated over the window's rows as it lies, and taken apart
// by column once behind that. Elements outside the rows are masked; which they are is known at
// compile time for all tiles but those in the middle, which have none. Where rows are whole
// vectors, these are read as they lie, and lie in the row or outside it: what begins in the middle
// of one touches two lines of the cache. The rows of small windows are written out, for a few rows
// of the result at a time, which share what they read; where one of them looks past the input, row
// by row. To a maximum the row at the edge stands for those past it.
#include <limits>
#include <map>

#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/pool.h"
#include "compiler/lowering/contraction/window_rows.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/streamed_result.h"

using namespace mlir;

namespace tessera::lowering {

// Whether the rows of a window are written out.
static bool isWrittenOut(const ConvShape& shape) {
  constexpr int64_t kMostRows = 3;
  return shape.kernelHeight <= kMostRows;
}

// Rows of the result that are emitted at a time; a divisor of their number. Two windows share a row
// at most where they move by two. An input that comes from memory is read faster row by row: what
// the next window has in common with this one is in the cache.
static int64_t rowsOfBlock(const ConvShape& shape, bool isFromMemory) {
  if (!isWrittenOut(shape) || isFromMemory) return 1;
  static constexpr int64_t kDense[] = {4, 5, 3, 2}, kStrided[] = {2, 3, 5};
  for (const int64_t size : shape.strideHeight == 1 ? ArrayRef(kDense) : ArrayRef(kStrided))
    if (shape.outHeight() % size == 0) return size;
  return 1;
}

namespace {

class PlainPoolEmitter {
 public:
  PlainPoolEmitter(const IndexBuilder& b, const ConvShape& shape, const Pool& pool,
                   const CpuTarget& cpu, const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        pool_(pool),
        lanes_(cpu.vectorLanes),
        numRegisters_(cpu.numVectorRegisters),
        epilogue_(epilogue),
        vector_(VectorType::get({lanes_}, b_.getF32Type())),
        areRowsVectors_(shape.inWidth % lanes_ == 0),
        lead_(areRowsVectors_ ? llvm::alignTo(shape.padLeft, lanes_) - shape.padLeft : 0) {}

  Value input, output;    // flat
  int64_t blockSize = 1;  // Rows.

  bool isStreamed = false;  // Whole vectors are written past the caches.

  /// Rows [block * blockSize, ...) of the result.
  void emitBlock(Value plane, Value block);

 private:
  /// Results [column, column + count) of a row.
  struct Tile {
    Index column;
    int64_t count;
    std::optional<int64_t> edgeColumn;  ///< `column` where some taps may lie outside the row.
  };

  int64_t numVectors(int64_t results) const { return (results + lanes_ - 1) / lanes_; }
  int64_t tileSize() const;
  Condition areRowsInside(Index row, int64_t count);
  bool doesClampRows() const;
  void chooseRows(Index row, int64_t count, llvm::function_ref<void()> otherwise);
  void emitTiles(Index row, int64_t count);
  bool isInside(int64_t begin, int64_t end) const;
  Value constant(ArrayRef<float> values) {
    return b_.create<arith::ConstantOp>(DenseElementsAttr::get(vector_, values));
  }
  Value start();
  void emitTile(const Tile& tile);
  SmallVector<Value> readRow(const Tile& tile, Index inputRow, int64_t numRead);
  SmallVector<Value> combineRows(ArrayRef<Value> a, ArrayRef<Value> c);
  SmallVector<Value> loopOverRows(const Tile& tile, int64_t numRead);
  void emitWrittenOut(const Tile& tile, int64_t numRead);
  void emitResults(const Tile& tile, ArrayRef<Value> row);
  Value readVector(Index at, int64_t first, const Tile& tile);
  Value collect(ArrayRef<Value> row, int64_t first);
  Value shift(Value neighbours, ArrayRef<Value> row, int64_t first, bool isUp);
  SmallVector<Value> collectTaps(ArrayRef<Value> row, int64_t first);
  Value shareOfRows();
  Value average(Value sum, int64_t first, const Tile& tile);
  void storeVector(Value result, int64_t first, const Tile& tile);

  IndexBuilder b_;
  const ConvShape& shape_;
  const Pool& pool_;
  int64_t lanes_, numRegisters_;
  const Epilogue& epilogue_;
  VectorType vector_;
  bool areRowsVectors_;
  int64_t lead_;  ///< Elements that are read in front of the first tap of a tile.
  Value plane_;
  Index row_;        ///< That results are for.
  int64_t numRows_;  ///< From row_ on, written out; 0: a loop over the rows of the window.
  WindowRows rows_;
};

}  // namespace

Value PlainPoolEmitter::start() {
  return constant(pool_.isMaximum ? -std::numeric_limits<float>::infinity() : 0.0F);
}

// Results of a tile: as many vectors as leave what they accumulate in registers.
int64_t PlainPoolEmitter::tileSize() const {
  constexpr int64_t kMostVectors = 4, kMostAccumulators = 13;
  // The rows of a window are held, too.
  const int64_t mostVectors = isWrittenOut(shape_) && numRegisters_ < 32 ? 2 : kMostVectors;
  return std::clamp<int64_t>(kMostAccumulators / shape_.strideWidth, 1, mostVectors) * lanes_;
}

// Whether results [begin, end) exist and have all taps inside the row.
bool PlainPoolEmitter::isInside(int64_t begin, int64_t end) const {
  return end <= shape_.outWidth() && begin * shape_.strideWidth >= shape_.padLeft &&
         (end - 1) * shape_.strideWidth - shape_.padLeft + shape_.kernelWidth <= shape_.inWidth;
}

// Elements [first, first + lanes) of a row of the input, from `lead_` before the first tap of the
// tile on; null where none is of use.
Value PlainPoolEmitter::readVector(Index at, int64_t first, const Tile& tile) {
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
  if (areRowsVectors_ || llvm::all_of(mask, [](bool isHere) { return isHere; }))
    return b_.create<vector::LoadOp>(vector_, input, from);
  const auto bits = VectorType::get({lanes_}, b_.getI1Type());
  const Value isInRow = b_.create<arith::ConstantOp>(DenseElementsAttr::get(bits, mask));
  return b_.create<vector::MaskedLoadOp>(vector_, input, from, isInRow, start());
}

// Every stride-th element of the vectors of `row`, from element `first` on.
Value PlainPoolEmitter::collect(ArrayRef<Value> row, int64_t first) {
  Value result;
  const int64_t end = first + (lanes_ - 1) * shape_.strideWidth;
  for (int64_t number = first / lanes_; number <= end / lanes_; ++number) {
    const bool isFirst = !result;
    const Value here = row[number] ? row[number] : start();
    if (first == number * lanes_ && shape_.strideWidth == 1) return here;
    const Value before = isFirst ? here : result;
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      const int64_t at = first + lane * shape_.strideWidth - number * lanes_;
      const bool isHere = 0 <= at && at < lanes_;
      places.push_back(isHere ? (isFirst ? at : lanes_ + at) : isFirst ? 0 : lane);
    }
    result = b_.create<vector::ShuffleOp>(before, here, places);
  }
  return result;
}

// What `collect` makes, of what it made of the elements one stride before `first` (`isUp`) or
// behind it: all but one of them.
Value PlainPoolEmitter::shift(Value neighbours, ArrayRef<Value> row, int64_t first, bool isUp) {
  const int64_t missing = first + (isUp ? (lanes_ - 1) * shape_.strideWidth : 0);
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes_; ++lane) places.push_back(isUp ? lane + 1 : lane - 1);
  places[isUp ? lanes_ - 1 : 0] = lanes_ + missing % lanes_;
  const Value vector = row[missing / lanes_] ? row[missing / lanes_] : start();
  return b_.create<vector::ShuffleOp>(neighbours, vector, places);
}

// The elements of each tap, for results whose first tap is element `first` of the row. Elements
// that lie in three vectors take two permutations, a stride from others that are there one.
SmallVector<Value> PlainPoolEmitter::collectTaps(ArrayRef<Value> row, int64_t first) {
  SmallVector<Value> taps(shape_.kernelWidth);
  const int64_t stride = shape_.strideWidth;
  const auto liesInThree = [&](int64_t tap) {
    return (first + tap + (lanes_ - 1) * stride) / lanes_ - (first + tap) / lanes_ > 1;
  };
  for (int64_t tap = 0; tap < shape_.kernelWidth; ++tap)
    if (!liesInThree(tap)) taps[tap] = collect(row, first + tap);
  for (int64_t tap = shape_.kernelWidth - 1; tap >= 0; --tap)
    if (!taps[tap] && tap + stride < shape_.kernelWidth && taps[tap + stride])
      taps[tap] = shift(taps[tap + stride], row, first + tap, /*isUp=*/false);
  for (int64_t tap = 0; tap < shape_.kernelWidth; ++tap) {
    if (taps[tap]) continue;
    taps[tap] = tap >= stride ? shift(taps[tap - stride], row, first + tap, /*isUp=*/true)
                              : collect(row, first + tap);
  }
  return taps;
}

// 1 by the number of rows that the mean is over.
Value PlainPoolEmitter::shareOfRows() {
  const auto oneBy = [&](int64_t rows) -> Value {
    return b_.create<arith::ConstantOp>(b_.getF32FloatAttr(1 / static_cast<float>(rows)));
  };
  if (numRows_ > 0) return oneBy(shape_.kernelHeight);
  const Value rows = b_.create<arith::IndexCastOp>(b_.getI32Type(), rows_.count(b_, shape_, pool_));
  return b_.create<arith::DivFOp>(oneBy(1), b_.create<arith::SIToFPOp>(b_.getF32Type(), rows));
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
  const Value factors = b_.create<arith::MulFOp>(
      b_.create<vector::BroadcastOp>(vector_, shareOfRows()), constant(shares));
  return b_.create<arith::MulFOp>(sum, factors);
}

void PlainPoolEmitter::storeVector(Value result, int64_t first, const Tile& tile) {
  if (!pool_.isMaximum) result = average(result, first, tile);
  const Index inPlane = row_ * shape_.outWidth() + (tile.column + first);
  const Index offset = b_.term(plane_) * (shape_.outHeight() * shape_.outWidth()) + inPlane;
  const int64_t valid = std::min(lanes_, tile.count - first);
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = result,
               .outputOffset = offset,
               .channelOffset = inPlane,
               .batch = b_.index(0),
               .row = plane_,
               .lanes = lanes_,
               .validLanes = valid},
              epilogue_, output, isStreamed);
}

SmallVector<Value> PlainPoolEmitter::readRow(const Tile& tile, Index inputRow, int64_t numRead) {
  const Index at = (b_.term(plane_) * shape_.inHeight + inputRow) * shape_.inWidth +
                   (tile.column * shape_.strideWidth - (shape_.padLeft + lead_));
  SmallVector<Value> row;
  for (int64_t i = 0; i < numRead; ++i) row.push_back(readVector(at, i * lanes_, tile));
  return row;
}

SmallVector<Value> PlainPoolEmitter::combineRows(ArrayRef<Value> a, ArrayRef<Value> c) {
  SmallVector<Value> both;
  for (auto [first, second] : llvm::zip_equal(a, c))
    both.push_back(first && second ? combine(b_, pool_, first, second) : first ? first : second);
  return both;
}

SmallVector<Value> PlainPoolEmitter::loopOverRows(const Tile& tile, int64_t numRead) {
  rows_ = windowRows(b_, shape_, row_);
  const SmallVector<Value> none(numRead, start());
  return emitLoop(b_, rows_.low, rows_.high, 1, none, [&](Index number, ValueRange before) {
    const Index inputRow = b_.term(rows_.first) + number * shape_.dilationHeight;
    return combineRows(llvm::to_vector(before), readRow(tile, inputRow, numRead));
  });
}

// Windows of three rows that follow each other have two in common: of each two windows, these are
// combined once.
void PlainPoolEmitter::emitWrittenOut(const Tile& tile, int64_t numRead) {
  const Index first = row_;
  std::map<int64_t, SmallVector<Value>> read, pairs;
  const auto rowOf = [&](int64_t number) -> ArrayRef<Value> {
    auto& row = read[number];
    if (!row.empty()) return row;
    Index inputRow = first * shape_.strideHeight + (number - shape_.padTop);
    if (doesClampRows()) inputRow = smaller(larger(inputRow, 0), shape_.inHeight - 1);
    return row = readRow(tile, inputRow, numRead);
  };
  const bool sharesPairs =
      shape_.kernelHeight == 3 && shape_.strideHeight == 1 && shape_.dilationHeight == 1;
  for (int64_t result = 0; result < numRows_; ++result) {
    SmallVector<Value> window;
    if (sharesPairs) {
      auto& pair = pairs[result / 2];
      if (pair.empty()) {
        const ArrayRef<Value> upper = rowOf(result + 1);  // First, whatever the compiler.
        pair = combineRows(upper, rowOf(result + 2));
      }
      window = combineRows(pair, rowOf(result % 2 == 0 ? result : result + 2));
    } else {
      window = llvm::to_vector(rowOf(result * shape_.strideHeight));
      for (int64_t k = 1; k < shape_.kernelHeight; ++k)
        window =
            combineRows(window, rowOf(result * shape_.strideHeight + k * shape_.dilationHeight));
    }
    row_ = first + result;
    emitResults(tile, window);
  }
  row_ = first;
}

void PlainPoolEmitter::emitResults(const Tile& tile, ArrayRef<Value> row) {
  for (int64_t first = 0; first < tile.count; first += lanes_) {
    Value result;
    for (const Value values : collectTaps(row, lead_ + first * shape_.strideWidth))
      result = result ? combine(b_, pool_, result, values) : values;
    storeVector(result, first, tile);
  }
}

void PlainPoolEmitter::emitTile(const Tile& tile) {
  const int64_t results = numVectors(tile.count) * lanes_;
  const int64_t numRead =
      numVectors(lead_ + (results - 1) * shape_.strideWidth + shape_.kernelWidth);
  if (numRows_ > 0) return emitWrittenOut(tile, numRead);
  emitResults(tile, loopOverRows(tile, numRead));
}

// Whether the rows of a window that lie past the input may be read from the one at its edge, which
// is in the window, too: a maximum is the same.
bool PlainPoolEmitter::doesClampRows() const {
  const int64_t last = (shape_.outHeight() - 1) * shape_.strideHeight - shape_.padTop;
  return pool_.isMaximum && shape_.dilationHeight == 1 && shape_.padTop < shape_.kernelHeight &&
         last < shape_.inHeight;
}

// Whether windows of rows [row, row + count) lie inside of the input from top to bottom.
Condition PlainPoolEmitter::areRowsInside(Index row, int64_t count) {
  const Index first = row * shape_.strideHeight;
  const int64_t reach =
      (count - 1) * shape_.strideHeight + (shape_.kernelHeight - 1) * shape_.dilationHeight;
  const Condition isBelow = b_.term(shape_.padTop) <= first;
  return isBelow & (first < shape_.inHeight + shape_.padTop - reach);
}

void PlainPoolEmitter::chooseRows(Index row, int64_t count, llvm::function_ref<void()> otherwise) {
  auto choice = b_.create<scf::IfOp>(Value(areRowsInside(row, count)), /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(choice.thenBlock());
  emitTiles(row, count);
  b_.setInsertionPointToStart(choice.elseBlock());
  otherwise();
}

void PlainPoolEmitter::emitBlock(Value plane, Value block) {
  plane_ = plane;
  const int64_t size = blockSize;
  const Index first = b_.term(block) * size;
  if (!isWrittenOut(shape_)) return emitTiles(first, 0);
  if (doesClampRows()) return emitTiles(first, size);
  const auto emitRowByRow = [&] {
    emitLoop(b_, size, [&](Index number) {
      const Index row = first + number;
      chooseRows(row, 1, [&] { emitTiles(row, 0); });
    });
  };
  if (size == 1)
    emitRowByRow();
  else
    chooseRows(first, size, emitRowByRow);
}

void PlainPoolEmitter::emitTiles(Index row, int64_t count) {
  row_ = row;
  numRows_ = count;
  const int64_t width = shape_.outWidth(), size = tileSize();
  for (int64_t begin = 0; begin < width;) {
    int64_t end = begin;
    while (isInside(end, end + size)) end += size;
    if (end - begin < 2 * size) {
      const int64_t columns = std::min(size, width - begin);
      const bool isEdge = !isInside(begin, begin + columns);
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
  const int64_t rows = rowsOfBlock(shape, isBeyondCaches(cast<MemRefType>(in.getType())));
  emitStreamed(b, out, shape.outWidth(), cpu.vectorLanes,
               [&](const IndexBuilder& here, Value target, bool isStreamed) {
                 IndexBuilder inside = here;
                 const OpFoldResult blocks = b.getIndexAttr(shape.outHeight() / rows);
                 scf::ForallOp forall = openForall(inside, {getAsOpFoldResult(planes), blocks});
                 PlainPoolEmitter emitter(inside, shape, pool, cpu, epilogue);
                 emitter.input = in;
                 emitter.output = target;
                 emitter.blockSize = rows;
                 emitter.isStreamed = isStreamed;
                 const auto numbers = forall.getInductionVars();
                 emitter.emitBlock(numbers[0], numbers[1]);
               });
}

}  // namespace tessera::lowering
