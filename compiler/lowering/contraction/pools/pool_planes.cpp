// Each element of the rows is read once for each plane of a window and combined with its like in
// the others; two windows of three planes that move by one are made together, from four planes, of
// which the two in the middle are combined once. Short windows are written out; to a maximum the
// plane at the edge stands for those past it. Windows of three rows that move by one are combined,
// too, while their rows are in registers: strips of one vector go down the rows by two, and only
// rows at the ends of a strip may lie outside. Where registers hold a whole row, its columns are
// combined there as well. Memory is read faster row by row.
#include "compiler/lowering/contraction/pools/pool_planes.h"

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/prefetch.h"
#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

bool hasWindowInDepth(const ConvShape& shape) {
  const ConvAxis axis = spatialAxesOf(shape)[0];
  return axis.kernel > 1 || !axis.isInside();
}

static bool moveByOneInThree(const ConvAxis& axis) {
  return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
}

static bool areWrittenOut(const ConvAxis& axis) { return axis.kernel <= 3; }

// Rows of which only the two first and last ones of all windows may lie outside.
static bool canCombineRows(const ConvShape& shape) {
  const auto [depth, height, width] = spatialAxesOf(shape);
  return areWrittenOut(depth) && moveByOneInThree(height) && height.padBegin <= 2 &&
         height.out + 2 - height.padBegin <= height.in + 2;
}

PoolPlanes poolPlanes(const ConvShape& shape, int64_t rows, bool isFromMemory, int64_t lanes) {
  // Two rows of two depths each leave half of 32 registers for what is made of them.
  constexpr int64_t kMostVectors = 4;
  const bool arePairs = moveByOneInThree(spatialAxesOf(shape)[0]) && shape.outDepth() % 2 == 0;
  const bool areRowsCombined = canCombineRows(shape) && !isFromMemory;
  const int64_t width = llvm::alignTo(shape.inWidth, lanes);
  const bool areLines = lanes * static_cast<int64_t>(sizeof(float)) == kLineBytes;
  const bool isShort = width <= kMostVectors * lanes && shape.padLeft <= lanes;
  return {.depths = arePairs ? 2 : 1,
          .rows = areRowsCombined ? rows : spatialAxesOf(shape)[1].reach(rows),
          .width = width,
          .areRowsCombined = areRowsCombined,
          .stayInRegisters = areRowsCombined && isShort && areLines,
          .lead = lanes};
}

namespace {

class PlanesEmitter {
 public:
  PlanesEmitter(IndexBuilder& b, const ConvShape& shape, const Pool& pool, const PoolPlanes& planes,
                const PlanesToCombine& what, int64_t lanes)
      : b_(b),
        shape_(shape),
        axis_(spatialAxesOf(shape)[0]),
        height_(spatialAxesOf(shape)[1]),
        pool_(pool),
        planes_(planes),
        what_(what),
        lanes_(lanes) {}

  void emit();

 private:
  using Body = llvm::function_ref<void(Index at, Index to, int64_t count)>;

  /// Planes of the windows of all depths.
  struct Taps {
    SmallVector<Index> planes;
    SmallVector<Value> areThere;  ///< Empty: all of them, or what stands for them.
  };
  /// Elements [column, column + count) of each row.
  struct Strip {
    Index column;
    int64_t count;
    int64_t numVectors = 1;
  };

  void emitPlanes();
  Taps tapsOf(bool areOpen);
  SmallVector<Value> combinePlanes(const Taps& taps, Index at, int64_t count);
  void prefetch(const Taps& taps, const Strip& strip, Index at);
  void prefetchResults(const Strip& strip, Index row);
  void emitWrittenOut(const Taps& taps);
  SmallVector<Value> combineRow(const Taps& taps, const Strip& strip, Index row, bool isAtEnd);
  SmallVector<Value> emitTwoRows(const Taps& taps, const Strip& strip, Index row, ValueRange before,
                                 bool areAtEnd);
  void emitLastRow(const Taps& taps, const Strip& strip, Index row, ValueRange before);
  void writeRow(const Strip& strip, Index row, ArrayRef<Value> window, bool isAtEnd);
  void emitStrip(const Taps& taps, const Strip& strip);
  void emitStrips(const Taps& taps);
  void emitLoops();
  void forEachVector(Body body);
  void fillRows(Value begin, Value end);
  Index planeAt(Index plane) {
    return (what_.volume * axis_.in + plane) * (shape_.inHeight * shape_.inWidth);
  }
  Value load(Index at, int64_t count);
  void store(Value vector, Index to, int64_t depth) {
    const Index place = to + (depth * (planes_.rows * planes_.width) + planes_.lead);
    b_.create<vector::StoreOp>(vector, what_.target, Value(place));
  }

  IndexBuilder& b_;
  const ConvShape& shape_;
  ConvAxis axis_, height_;
  const Pool& pool_;
  PoolPlanes planes_;
  PlanesToCombine what_;
  int64_t lanes_;
  Index begin_, end_;  ///< Rows that lie inside of the input.
};

}  // namespace

// Elements behind the `count` first ones change no combination.
Value PlanesEmitter::load(Index at, int64_t count) {
  return loadLanes(b_, b_.getLoc(), what_.input, at, lanes_, count, startOf(b_, pool_, lanes_));
}

// The body for each vector of the rows that there are: elements [at, at + count) of a plane of the
// input, and their place in a plane of the target.
void PlanesEmitter::forEachVector(Body body) {
  const int64_t width = shape_.inWidth;
  if (width == planes_.width) {
    const int64_t step = width % (2 * lanes_) == 0 ? 2 * lanes_ : lanes_;
    return emitLoop(b_, begin_ * width, end_ * width, step, [&](Index to) {
      for (int64_t i = 0; i < step; i += lanes_)
        body(what_.firstRow * width + to + i, to + i, lanes_);
    });
  }
  emitLoop(b_, begin_, end_, 1, [&](Index row) {
    const Index at = (what_.firstRow + row) * width, to = row * planes_.width;
    const int64_t whole = width / lanes_ * lanes_;
    emitLoop(b_, b_.index(0), b_.index(whole), lanes_,
             [&](Index column) { body(at + column, to + column, lanes_); });
    body(at + whole, to + whole, width - whole);
  });
}

// Rows [begin, end) of all depths.
void PlanesEmitter::fillRows(Value begin, Value end) {
  const Value start = startOf(b_, pool_, lanes_);
  emitLoop(b_, b_.term(begin) * planes_.width, b_.term(end) * planes_.width, lanes_, [&](Index to) {
    for (int64_t depth = 0; depth < planes_.depths; ++depth) store(start, to, depth);
  });
}

// `areOpen`: planes may lie outside of the input.
PlanesEmitter::Taps PlanesEmitter::tapsOf(bool areOpen) {
  const int64_t count = planes_.depths > 1 ? axis_.kernel + 1 : axis_.kernel;
  Taps taps;
  for (int64_t k = 0; k < count; ++k) {
    const Index plane = what_.depth * axis_.stride + (k * axis_.dilation - axis_.padBegin);
    const Index nearest = areOpen ? smaller(larger(plane, 0), axis_.in - 1) : plane;
    taps.planes.push_back(planeAt(nearest));
    if (areOpen && !standsForOutside(axis_, pool_)) taps.areThere.push_back(plane == nearest);
  }
  return taps;
}

// For each depth elements [at, at + count) of its planes.
SmallVector<Value> PlanesEmitter::combinePlanes(const Taps& taps, Index at, int64_t count) {
  const Value start = startOf(b_, pool_, lanes_);
  SmallVector<Value> vectors;
  for (auto [k, plane] : llvm::enumerate(taps.planes)) {
    const Value vector = load(plane + at, count);
    vectors.push_back(taps.areThere.empty() ? vector : b_.select(taps.areThere[k], vector, start));
  }
  if (planes_.depths == 1) return {combineAll(b_, pool_, vectors)};
  const WindowPair pair = combinePair(b_, pool_, vectors[1], vectors[2]);
  const Value first = combine(b_, pool_, pair, vectors[0]);
  return {first, combine(b_, pool_, pair, vectors[3])};
}

void PlanesEmitter::emitWrittenOut(const Taps& taps) {
  if (planes_.areRowsCombined) return emitStrips(taps);
  forEachVector([&](Index at, Index to, int64_t count) {
    for (auto [depth, vector] : llvm::enumerate(combinePlanes(taps, at, count)))
      store(vector, to, static_cast<int64_t>(depth));
  });
}

// What the next two depths will read of their two new planes; a strip of half a line takes turns
// with the next one. A strip goes down the rows of four planes at once, each of them a page or
// less: the CPU does not see where they go on. Where these, the two new ones, what is combined and
// the results are more than the first level holds, what is fetched would drive out what is in use.
void PlanesEmitter::prefetch(const Taps& taps, const Strip& strip, Index at) {
  constexpr int64_t kNew = 2, kInUse = 10, kFirstLevelBytes = 32768;
  const int64_t planeBytes = planes_.rows * shape_.inWidth * static_cast<int64_t>(sizeof(float));
  if (planes_.depths == 1 || planes_.stayInRegisters) return;
  const auto use =
      kInUse * planeBytes > kFirstLevelBytes ? PrefetchUse::kReadLater : PrefetchUse::kRead;
  const int64_t count = kNew * lanes_ * static_cast<int64_t>(sizeof(float)) / kLineBytes;
  for (int64_t i = 0; i < count; ++i) {
    const Index next = (floorDiv(strip.column, lanes_) + i) % kNew + 1;
    const Index plane = taps.planes.back() + next * (shape_.inHeight * shape_.inWidth);
    lowering::prefetch(b_, b_.getLoc(), what_.input, Value(plane + at), use);
  }
}

// Columns are combined behind all rows, by little more than loads and stores: where these go is
// fetched before.
void PlanesEmitter::prefetchResults(const Strip& strip, Index row) {
  if (!what_.results) return;
  const int64_t height = shape_.outHeight(), width = shape_.outWidth();
  const Index plane = what_.volume * shape_.outDepth() + what_.depth;
  for (int64_t depth = 0; depth < planes_.depths; ++depth) {
    const Index to = (plane + depth) * (height * width) +
                     (what_.firstRow + shape_.padTop + row) * width + strip.column;
    lowering::prefetch(b_, b_.getLoc(), what_.results, Value(to), PrefetchUse::kWrite);
  }
}

// Row `row` of those in the windows, for each depth.
SmallVector<Value> PlanesEmitter::combineRow(const Taps& taps, const Strip& strip, Index row,
                                             bool isAtEnd) {
  Index inputRow = what_.firstRow + row;
  Value isThere;
  if (isAtEnd && !height_.isInside()) {
    const Index nearest = smaller(larger(inputRow, 0), height_.in - 1);
    if (!standsForOutside(height_, pool_)) isThere = inputRow == nearest;
    inputRow = nearest;
  }
  const Index at = inputRow * shape_.inWidth + strip.column;
  prefetch(taps, strip, at);
  SmallVector<Value> combined(planes_.depths * strip.numVectors);
  for (int64_t i = 0; i < strip.numVectors; ++i) {
    const int64_t first = i * lanes_, count = std::min(strip.count - first, lanes_);
    for (auto [depth, vector] : llvm::enumerate(combinePlanes(taps, at + first, count)))
      combined[depth * strip.numVectors + i] =
          isThere ? b_.select(isThere, vector, startOf(b_, pool_, lanes_)) : vector;
  }
  return combined;
}

// `window`: of all depths.
void PlanesEmitter::writeRow(const Strip& strip, Index row, ArrayRef<Value> window, bool isAtEnd) {
  for (int64_t depth = 0; depth < planes_.depths; ++depth) {
    const auto vectors = window.slice(depth * strip.numVectors, strip.numVectors);
    if (what_.take)
      what_.take({.depth = depth, .number = row, .mayLackRows = isAtEnd, .vectors = vectors});
    else
      store(vectors[0], row * planes_.width + strip.column, depth);
  }
}

// Windows `row` and row + 1, of which `before` are the two first rows; gives the two last ones.
SmallVector<Value> PlanesEmitter::emitTwoRows(const Taps& taps, const Strip& strip, Index row,
                                              ValueRange before, bool areAtEnd) {
  prefetchResults(strip, row);
  prefetchResults(strip, row + 1);
  SmallVector<Value> rows = combineRow(taps, strip, row + 2, areAtEnd);
  rows.append(combineRow(taps, strip, row + 3, areAtEnd));
  const int64_t size = planes_.depths * strip.numVectors;
  SmallVector<Value> first, second;
  for (int64_t i = 0; i < size; ++i) {
    const WindowPair pair = combinePair(b_, pool_, before[size + i], rows[i]);
    first.push_back(combine(b_, pool_, pair, before[i]));
    second.push_back(combine(b_, pool_, pair, rows[size + i]));
  }
  writeRow(strip, row, first, areAtEnd);
  writeRow(strip, row + 1, second, areAtEnd);
  return rows;
}

void PlanesEmitter::emitLastRow(const Taps& taps, const Strip& strip, Index row,
                                ValueRange before) {
  const auto last = combineRow(taps, strip, row + 2, /*isAtEnd=*/true);
  SmallVector<Value> window;
  for (auto [i, vector] : llvm::enumerate(last))
    window.push_back(combineAll(b_, pool_, {before[i], before[last.size() + i], vector}));
  writeRow(strip, row, window, /*isAtEnd=*/true);
}

// The first two rows have code of their own where a mean is taken, over fewer elements, at once.
void PlanesEmitter::emitStrip(const Taps& taps, const Strip& strip) {
  SmallVector<Value> rows = combineRow(taps, strip, b_.term(int64_t{0}), /*isAtEnd=*/true);
  rows.append(combineRow(taps, strip, b_.term(1), /*isAtEnd=*/true));
  const int64_t even = planes_.rows / 2 * 2;
  const int64_t begin = what_.take && !pool_.isMaximum && even > 2 ? 2 : 0;
  if (begin > 0) rows = emitTwoRows(taps, strip, b_.term(int64_t{0}), rows, /*areAtEnd=*/true);
  if (even - 2 > begin) {
    const auto emitInside = [&](Index row, ValueRange before) {
      return emitTwoRows(taps, strip, row, before, /*areAtEnd=*/false);
    };
    rows = emitLoop(b_, b_.index(begin), b_.index(even - 2), 2, rows, emitInside);
  }
  if (even > 0) rows = emitTwoRows(taps, strip, b_.term(even - 2), rows, /*areAtEnd=*/true);
  if (even < planes_.rows) emitLastRow(taps, strip, b_.term(even), rows);
}

void PlanesEmitter::emitStrips(const Taps& taps) {
  const int64_t width = shape_.inWidth, whole = width / lanes_ * lanes_;
  if (what_.take) {
    const Strip row{
        .column = b_.term(int64_t{0}), .count = width, .numVectors = planes_.width / lanes_};
    return emitStrip(taps, row);
  }
  emitLoop(b_, b_.index(0), b_.index(whole), lanes_,
           [&](Index column) { emitStrip(taps, {.column = column, .count = lanes_}); });
  if (whole < width) emitStrip(taps, {.column = b_.term(whole), .count = width - whole});
}

void PlanesEmitter::emitLoops() {
  for (int64_t depth = 0; depth < planes_.depths; ++depth) {
    const WindowRows taps = windowRows(b_, axis_, what_.depth + depth);
    forEachVector([&](Index at, Index to, int64_t valid) {
      const auto combined = emitLoop(
          b_, taps.low, taps.high, 1, startOf(b_, pool_, lanes_), [&](Index k, ValueRange before) {
            const Index plane = planeAt(b_.term(taps.first) + k * axis_.dilation);
            return SmallVector<Value>{combine(b_, pool_, before[0], load(plane + at, valid))};
          });
      store(combined[0], to, depth);
    });
  }
}

void PlanesEmitter::emitPlanes() {
  if (!areWrittenOut(axis_)) return emitLoops();
  if (axis_.isInside() || standsForOutside(axis_, pool_))
    return emitWrittenOut(tapsOf(/*areOpen=*/!axis_.isInside()));
  emitIf(
      b_, areWindowsInside(b_, axis_, what_.depth, planes_.depths),
      [&] { emitWrittenOut(tapsOf(/*areOpen=*/false)); },
      [&] { emitWrittenOut(tapsOf(/*areOpen=*/true)); });
}

void PlanesEmitter::emit() {
  if (planes_.areRowsCombined) return emitPlanes();
  const Index rows = b_.term(planes_.rows);
  begin_ = smaller(larger(b_.term(0) - what_.firstRow, 0), rows);
  end_ = larger(smaller(b_.term(shape_.inHeight) - what_.firstRow, rows), begin_);
  emitPlanes();
  if (height_.isInside()) return;
  fillRows(b_.index(0), begin_);
  fillRows(end_, rows);
}

void emitCombinedPlanes(IndexBuilder& b, const ConvShape& shape, const Pool& pool,
                        const PoolPlanes& planes, const PlanesToCombine& what, int64_t lanes) {
  PlanesEmitter(b, shape, pool, planes, what, lanes).emit();
}

}  // namespace tessera::lowering
