// A block of a plane's results at a time: the rows of each window are combined first, in vectors as
// they lie, into memory of the thread that stays in the first level. There rows have what changes
// nothing in front and behind, so that columns are combined without a look at the ends of rows.
// Several rows at a time: what is read back is not what was written a moment ago.
#include "compiler/lowering/contraction/open/open_pool.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/pools/row_taps.h"
#include "compiler/lowering/contraction/window_rows.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

// Elements of combined rows, and rows of a block.
static constexpr int64_t kElements = 4096, kRows = 16;
static constexpr int64_t kMostColumns = 32, kMostStride = 4, kMostWrittenOut = 9;
// Columns of any reach have to be beside each other in a row of a block, of any CPU's lanes.
static constexpr int64_t kMostLanes = 16;
// Numbers of taps and of elements between them are i32.
static constexpr int64_t kMostDistance = int64_t{1} << 20;

static int64_t rowsOfBlock(size_t rank) { return rank == 1 ? 1 : kRows; }

// Results of a row in a block, whole vectors of them. Vectors are read and written to up to one
// beyond the last element.
static int64_t columnsOfBlock(const OpenAxis& width, int64_t pitch, int64_t lanes) {
  const int64_t most = (pitch - width.reach() - 2 * lanes) / width.stride;
  return most / lanes * lanes;
}

std::optional<StringRef> whyNoOpenPool(ArrayRef<OpenAxis> axes) {
  if (axes.empty()) return "has no spatial dimension";
  if (axes.size() > 3) return "has more than three spatial dimensions of open sizes";
  const OpenAxis& width = axes.back();
  if (width.stride > kMostStride) return "has long steps over open sizes";
  const int64_t pitch = kElements / rowsOfBlock(axes.size());
  if (width.kernel > kMostColumns || columnsOfBlock(width, pitch, kMostLanes) < kMostLanes)
    return "has long windows over open sizes";
  const bool isFar = llvm::any_of(axes, [](const OpenAxis& axis) {
    return std::max({axis.stride, axis.dilation, axis.reach()}) > kMostDistance;
  });
  if (isFar) return "has taps far apart over open sizes";
  return std::nullopt;
}

// Whether each window has the element of the input that is nearest to any outside in it, where the
// input has some.
static bool standsForOutside(const OpenAxis& axis) {
  const auto pad = getConstantIntValue(axis.padBegin);
  const auto padEnd = getConstantIntValue(axis.padEnd);
  return axis.dilation == 1 && pad && padEnd && std::max(*pad, *padEnd) < axis.kernel;
}

namespace {

/// Results [row, row + rows) x [column, column + columns) of a plane.
struct Block {
  Value volume, depth;
  Index row, column, rows, columns;
};

/// Elements [begin, end) of a row: whole vectors up to `whole`, then one from `tail` on, of which
/// the lanes of `mask` count.
struct Stretch {
  Index begin, end, whole, tail;
  Value mask;
};

class OpenPoolEmitter {
 public:
  OpenPoolEmitter(const IndexBuilder& b, ArrayRef<OpenAxis> axes, const Pool& pool, int64_t lanes,
                  const Epilogue& epilogue)
      : b_(b),
        pool_(pool),
        lanes_(lanes),
        epilogue_(epilogue),
        vector_(VectorType::get({lanes}, b_.getF32Type())) {
    const Value one = b_.index(1), zero = b_.index(0);
    for (OpenAxis& axis : axes_) axis = {.in = one, .out = one, .padBegin = zero, .padEnd = zero};
    llvm::copy(axes, axes_.end() - axes.size());
    blockRows_ = rowsOfBlock(axes.size());
    standForOutside_ = pool.isMaximum && standsForOutside(depth()) && standsForOutside(height());
  }

  Value input, output;  // flat

  scf::ForallOp openBlocks(Value volumes);
  void emitBlock(ValueRange numbers);

 private:
  /// A row of the input in windows; what it has counts where `isThere`, or always for null.
  struct Tap {
    Index origin;
    Value isThere;
  };

  const OpenAxis& depth() const { return axes_[0]; }
  const OpenAxis& height() const { return axes_[1]; }
  const OpenAxis& width() const { return axes_[2]; }
  int64_t pitch() const { return kElements / blockRows_; }
  int64_t blockColumns() const { return columnsOfBlock(width(), pitch(), lanes_); }
  Value start() { return startOf(b_, pool_, lanes_); }
  void combineRows(const Block& block);
  void fill(Index from, Index to, Index at);
  SmallVector<Tap> tapsOf(const Block& block, Index row, Index column, bool areInside);
  void combineRow(const Block& block, Index number, Index column, const Stretch& inside);
  void loopOverRows(const Block& block, Index number, Index column, const Stretch& inside);
  Stretch stretch(Index begin, Index end, bool mayOverlap);
  void forEachVector(const Stretch& stretch, llvm::function_ref<void(Index at, Value mask)> body);
  Value load(Index at, Value mask);
  Index originOf(const Block& block, Index plane, Index row);
  void shareOut(const Block& block);
  Value tapsBefore(const OpenAxis& axis, Index distance);
  Value shares(const OpenAxis& axis, Index output);
  void emitRow(const Block& block, Index number, const Stretch& columns);
  Value combineColumns(Index at);
  void store(const Block& block, Value result, Index number, Index at, Value mask);

  IndexBuilder b_;
  std::array<OpenAxis, 3> axes_;
  const Pool& pool_;
  int64_t lanes_;
  const Epilogue& epilogue_;
  VectorType vector_;
  int64_t blockRows_ = 1;
  bool standForOutside_ = false;  ///< Rows at the edges for those past them: all windows have them.
  Value combined_;  ///< [blockRows_][pitch()], a row's first element that of its first window.
  Value shares_;    ///< Of a mean: 1 by the columns of each window of a row, then of rows.
};

}  // namespace

scf::ForallOp OpenPoolEmitter::openBlocks(Value volumes) {
  return openForall(b_, {volumes, depth().out, b_.ceilDiv(height().out, blockRows_),
                         b_.ceilDiv(width().out, blockColumns())});
}

void OpenPoolEmitter::emitBlock(ValueRange numbers) {
  const Index row = b_.term(numbers[2]) * blockRows_, column = b_.term(numbers[3]) * blockColumns();
  const Block block{.volume = numbers[0],
                    .depth = numbers[1],
                    .row = row,
                    .column = column,
                    .rows = smaller(b_.term(height().out) - row, blockRows_),
                    .columns = smaller(b_.term(width().out) - column, blockColumns())};
  combined_ = allocateFloats(b_, kElements);
  if (!pool_.isMaximum) {
    shares_ = allocateFloats(b_, blockColumns() + llvm::alignTo(blockRows_, lanes_));
    shareOut(block);
  }
  combineRows(block);
  const Stretch columns =
      stretch(b_.term(0), block.columns, /*mayOverlap=*/!epilogue_.readsMemory());
  emitLoop(b_, block.rows, [&](Index number) { emitRow(block, number, columns); });
  if (shares_) b_.create<memref::DeallocOp>(shares_);
  b_.create<memref::DeallocOp>(combined_);
}

// Elements [from, to) of the row that begins at `at`, and perhaps some behind.
void OpenPoolEmitter::fill(Index from, Index to, Index at) {
  emitLoop(b_, from, to, lanes_,
           [&](Index place) { b_.create<vector::StoreOp>(start(), combined_, Value(at + place)); });
}

void OpenPoolEmitter::combineRows(const Block& block) {
  const Index first = block.column * width().stride - width().padBegin;
  const Index span = (block.columns - 1) * width().stride + width().reach();
  const Index begin = smaller(larger(b_.term(0) - first, 0), span);
  const Index rows = b_.term(depth().in) * height().in;
  const Index size = select(rows == 0, b_.term(0), width().in);
  const Index end = larger(smaller(size - first, span), begin);
  const Stretch inside = stretch(begin, end, /*mayOverlap=*/true);
  emitLoop(b_, block.rows, [&](Index number) {
    const Index at = number * pitch();
    fill(b_.term(0), begin, at);
    combineRow(block, number, first, inside);
    fill(end, span, at);
  });
}

// `mayOverlap`: what is in the vector in front of the last one may be computed twice.
Stretch OpenPoolEmitter::stretch(Index begin, Index end, bool mayOverlap) {
  const Index whole = begin + floorDiv(end - begin, lanes_) * lanes_;
  const Index tail = mayOverlap ? larger(end - lanes_, begin) : whole;
  return {.begin = begin,
          .end = end,
          .whole = whole,
          .tail = tail,
          .mask = lanesBelow(b_, b_.getLoc(), lanes_, end - tail)};
}

void OpenPoolEmitter::forEachVector(const Stretch& stretch,
                                    llvm::function_ref<void(Index at, Value mask)> body) {
  emitLoop(b_, stretch.begin, stretch.whole, lanes_, [&](Index at) { body(at, {}); });
  emitIf(b_, stretch.whole < stretch.end, [&] { body(stretch.tail, stretch.mask); });
}

Value OpenPoolEmitter::load(Index at, Value mask) {
  return loadMasked(b_, b_.getLoc(), input, Value(at), lanes_, mask, start());
}

// Where a row of the input begins.
Index OpenPoolEmitter::originOf(const Block& block, Index plane, Index row) {
  const Index planes = b_.term(block.volume) * depth().in + plane;
  return (planes * height().in + row) * width().in;
}

// Rows of the windows of row `row` of results, in all planes, with their elements from column
// `column` on. Without `areInside` the rows at the edge stand for those past them.
SmallVector<OpenPoolEmitter::Tap> OpenPoolEmitter::tapsOf(const Block& block, Index row,
                                                          Index column, bool areInside) {
  const auto nearest = [&](const OpenAxis& axis, Index output, int64_t tap) {
    const Index at = output * axis.stride - axis.padBegin + tap * axis.dilation;
    return std::pair(at, areInside ? at : larger(smaller(at, b_.term(axis.in) - 1), 0));
  };
  SmallVector<Tap> taps;
  for (int64_t k = 0; k < depth().kernel; ++k) {
    for (int64_t r = 0; r < height().kernel; ++r) {
      const auto [plane, inPlane] = nearest(depth(), b_.term(block.depth), k);
      const auto [line, inLine] = nearest(height(), row, r);
      taps.push_back({.origin = originOf(block, inPlane, inLine) + column, .isThere = {}});
      if (!areInside && !standForOutside_)
        taps.back().isThere = (plane == inPlane) & (line == inLine);
    }
  }
  return taps;
}

// The elements of combined row `number` that are `inside`; element 0 is column `column` of the
// input.
void OpenPoolEmitter::combineRow(const Block& block, Index number, Index column,
                                 const Stretch& inside) {
  const Index to = number * pitch(), row = block.row + number;
  const auto combineTaps = [&](bool areInside) {
    const SmallVector<Tap> taps = tapsOf(block, row, column, areInside);
    forEachVector(inside, [&](Index at, Value mask) {
      const auto vectors = llvm::map_to_vector(taps, [&](const Tap& tap) {
        const Value vector = load(tap.origin + at, mask);
        return tap.isThere ? b_.select(tap.isThere, vector, start()) : vector;
      });
      b_.create<vector::StoreOp>(combineAll(b_, pool_, vectors), combined_, Value(to + at));
    });
  };
  if (depth().kernel * height().kernel > kMostWrittenOut)
    return loopOverRows(block, number, column, inside);
  const Condition areInside = areWindowsInside(b_, depth(), b_.term(block.depth), 1) &
                              areWindowsInside(b_, height(), row, 1);
  emitIf(
      b_, areInside, [&] { combineTaps(/*areInside=*/true); },
      [&] { combineTaps(/*areInside=*/false); });
}

// The same of windows of many rows.
void OpenPoolEmitter::loopOverRows(const Block& block, Index number, Index column,
                                   const Stretch& inside) {
  const Index to = number * pitch();
  const WindowRows planes = windowRows(b_, depth(), b_.term(block.depth)),
                   rows = windowRows(b_, height(), block.row + number);
  forEachVector(inside, [&](Index at, Value mask) {
    const auto addRow = [&](Index k, Index r, Value before) {
      const Index origin = originOf(block, b_.term(planes.first) + k * depth().dilation,
                                    b_.term(rows.first) + r * height().dilation);
      return combine(b_, pool_, before, load(origin + column + at, mask));
    };
    const auto all =
        emitLoop(b_, planes.low, planes.high, 1, start(), [&](Index k, ValueRange ofPlanes) {
          return emitLoop(b_, rows.low, rows.high, 1, ofPlanes, [&](Index r, ValueRange before) {
            return SmallVector<Value>{addRow(k, r, before[0])};
          });
        });
    b_.create<vector::StoreOp>(all[0], combined_, Value(to + at));
  });
}

// Taps of each lane's window in front of an element that is `distance` behind the first lane's.
Value OpenPoolEmitter::tapsBefore(const OpenAxis& axis, Index distance) {
  const auto integers = VectorType::get({lanes_}, b_.getI32Type());
  const auto all = [&](int64_t number) -> Value {
    return b_.create<arith::ConstantOp>(
        DenseElementsAttr::get(integers, static_cast<int32_t>(number)));
  };
  const int64_t most = lanes_ * axis.stride + axis.kernel * axis.dilation;
  const Value near =
      b_.create<arith::IndexCastOp>(b_.getI32Type(), Value(larger(smaller(distance, most), -most)));
  SmallVector<int32_t> steps;
  for (int64_t lane = 0; lane < lanes_; ++lane)
    steps.push_back(static_cast<int32_t>(lane * axis.stride));
  const Value moved = b_.create<arith::SubIOp>(
      b_.create<vector::BroadcastOp>(integers, near),
      b_.create<arith::ConstantOp>(DenseElementsAttr::get(integers, ArrayRef<int32_t>(steps))));
  Value taps = b_.create<arith::MaxSIOp>(moved, all(0));
  if (axis.dilation > 1)
    taps = b_.create<arith::DivUIOp>(b_.create<arith::AddIOp>(taps, all(axis.dilation - 1)),
                                     all(axis.dilation));
  return b_.create<arith::MinSIOp>(taps, all(axis.kernel));
}

// 1 by the taps that a mean is over along a dimension, for results from number `output` on.
Value OpenPoolEmitter::shares(const OpenAxis& axis, Index output) {
  const Index first = output * axis.stride - axis.padBegin;
  Index end = b_.term(axis.in);
  if (pool_.countsPadding) end = end + axis.padEnd;
  Value count = tapsBefore(axis, end - first);
  if (!pool_.countsPadding)
    count = b_.create<arith::SubIOp>(count, tapsBefore(axis, b_.term(0) - first));
  const Value one = b_.create<arith::ConstantOp>(DenseElementsAttr::get(vector_, 1.0F));
  const Value atLeastOne =
      b_.create<arith::MaximumFOp>(b_.create<arith::SIToFPOp>(vector_, count), one);
  return b_.create<arith::DivFOp>(one, atLeastOne);
}

void OpenPoolEmitter::shareOut(const Block& block) {
  const auto store = [&](Value vector, Index at) {
    b_.create<vector::StoreOp>(vector, shares_, Value(at));
  };
  emitLoop(b_, b_.index(0), block.columns, lanes_,
           [&](Index at) { store(shares(width(), block.column + at), at); });
  const Value ofPlane =
      b_.create<vector::ExtractOp>(shares(depth(), b_.term(block.depth)), ArrayRef<int64_t>{0});
  const Value ofPlanes = b_.create<vector::BroadcastOp>(vector_, ofPlane);
  for (int64_t at = 0; at < blockRows_; at += lanes_) {
    const Value ofRows = shares(height(), block.row + at);
    store(b_.create<arith::MulFOp>(ofRows, ofPlanes), b_.term(blockColumns() + at));
  }
}

// Those of the windows of a vector of results, the first of which begins at `at`.
Value OpenPoolEmitter::combineColumns(Index at) {
  const auto read = [&](int64_t offset) -> Value {
    return b_.create<vector::LoadOp>(vector_, combined_, Value(at + offset));
  };
  const OpenAxis& axis = width();
  SmallVector<Value> taps;
  if (axis.stride == 1) {
    for (int64_t k = 0; k < axis.kernel; ++k) taps.push_back(read(k * axis.dilation));
    return combineAll(b_, pool_, taps);
  }
  SmallVector<Value> row;
  for (int64_t i = 0; i < axis.reach(lanes_); i += lanes_) row.push_back(read(i));
  if (axis.dilation == 1)
    return combineAll(b_, pool_, rowTaps(b_, row, 0, axis.kernel, axis.stride, start()));
  for (int64_t k = 0; k < axis.kernel; ++k)
    taps.append(rowTaps(b_, row, k * axis.dilation, 1, axis.stride, start()));
  return combineAll(b_, pool_, taps);
}

void OpenPoolEmitter::store(const Block& block, Value result, Index number, Index at, Value mask) {
  const Index row = b_.term(block.depth) * height().out + block.row + number;
  const Index inVolume = row * width().out + block.column + at;
  const Index size = b_.term(depth().out) * height().out * width().out;
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = result,
               .outputOffset = b_.term(block.volume) * size + inVolume,
               .channelOffset = inVolume,
               .batch = b_.index(0),
               .row = block.volume,
               .lanes = lanes_,
               .validLanes = lanes_,
               .laneMask = mask},
              epilogue_, output);
}

// A masked store takes as long as the rest of a short row: what a vector has behind the end of one
// is written, too, where the next rows of the block replace it.
void OpenPoolEmitter::emitRow(const Block& block, Index number, const Stretch& columns) {
  Value share;
  if (shares_)
    share = b_.create<vector::BroadcastOp>(
        vector_, b_.create<memref::LoadOp>(shares_, Value(number + blockColumns())));
  const Condition isFull = b_.term(lanes_) <= block.columns,
                  isReplaced = b_.term(lanes_) <= (block.rows - number) * block.columns,
                  isRow = block.columns == b_.term(width().out);
  forEachVector(columns, [&](Index at, Value mask) {
    Value result = combineColumns(number * pitch() + at * width().stride);
    if (share) {
      const Value ofColumns = b_.create<vector::LoadOp>(vector_, shares_, Value(at));
      result = b_.create<arith::MulFOp>(result, b_.create<arith::MulFOp>(share, ofColumns));
    }
    if (!mask || epilogue_.readsMemory()) return store(block, result, number, at, mask);
    emitIf(
        b_, isFull | (isReplaced & isRow), [&] { store(block, result, number, at, {}); },
        [&] { store(block, result, number, at, mask); });
  });
}

void emitOpenPool(OpBuilder& builder, Location loc, ArrayRef<OpenAxis> axes, const Pool& pool,
                  Value input, Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  IndexBuilder b(loc, builder);
  const Value volumes =
      b.mul(b.createOrFold<memref::DimOp>(input, 0), b.createOrFold<memref::DimOp>(input, 1));
  const Value in = flattenMemRef(b, loc, input), out = flattenMemRef(b, loc, output);
  OpenPoolEmitter emitter(b, axes, pool, cpu.vectorLanes, epilogue);
  emitter.input = in;
  emitter.output = out;
  scf::ForallOp forall = emitter.openBlocks(volumes);
  emitter.emitBlock(forall.getInductionVars());
}

}  // namespace tessera::lowering
