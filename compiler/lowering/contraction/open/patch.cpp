// Rows are copied by vectors: whole ones where all that they read lies inside of the image, masked
// ones at its ends. Where positions are a few columns apart, each vector of a patch is every other
// element of the input, so that those of neighbouring positions are neighbours.
#include "compiler/lowering/contraction/open/patch.h"

#include <numeric>
#include <vector>

#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/prefetch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

namespace {
/// What a patch may be: in the second-level cache beside weights; about in the first one where
/// there is one row of positions, which all result channels read one after the other, or few
/// channels, whose long rows are read and written at the speed of memory. Weights that come from
/// further away are read once for each patch.
struct PatchLimits {
  int64_t columns, rows, bytes;
};
}  // namespace

static PatchLimits limitsOf(const PatchAxis& width, int64_t channels, bool isFlat,
                            bool hasLargeWeights) {
  constexpr int64_t kSmall = int64_t{48} * 1024, kLarge = int64_t{128} * 1024;
  if (isFlat) return {.columns = 256, .rows = 1, .bytes = kSmall};
  const int64_t apart = std::min<int64_t>(width.stride, 32);
  if (channels <= 4) return {.columns = 512 / apart, .rows = 32 / apart, .bytes = 2 * kSmall};
  // More rows leave gaps between the channels of images with few: lines are fetched in vain.
  return {.columns = hasLargeWeights ? 32 : 64,
          .rows = hasLargeWeights ? 8 : 16,
          .bytes = hasLargeWeights ? 3 * kLarge : kLarge};
}

// Columns of a patch, at least where they fit.
static constexpr int64_t kFewestColumns = 64;

// Whether taps are so far apart that neighbours hardly share columns.
static bool hasColumnsOfTaps(const PatchAxis& axis) {
  const int64_t shared = axis.stride / std::gcd(axis.stride, axis.dilation);
  return axis.taps * kFewestColumns <
         std::min(axis.taps, shared) * (kFewestColumns + (axis.reach() - 1) / axis.stride);
}

static SmallVector<ColumnTaps> columnTapsOf(const PatchAxis& axis) {
  SmallVector<ColumnTaps> all;
  if (hasColumnsOfTaps(axis)) {
    for (int64_t tap = 0; tap < axis.taps; ++tap)
      all.push_back({.shift = tap * axis.dilation, .first = tap});
    return all;
  }
  const int64_t divisor = std::gcd(axis.stride, axis.dilation);
  for (int64_t tap = 0; tap < std::min(axis.taps, axis.stride / divisor); ++tap) {
    const int64_t step = axis.stride / divisor, distance = tap * axis.dilation;
    all.push_back({.remainder = distance % axis.stride,
                   .first = tap,
                   .step = step,
                   .count = llvm::divideCeilSigned(axis.taps - tap, step),
                   .offset = distance / axis.stride,
                   .offsetStep = axis.dilation / divisor});
  }
  return all;
}

int64_t numColumnTaps(const PatchAxis& axis) {
  const int64_t shared = axis.stride / std::gcd(axis.stride, axis.dilation);
  return hasColumnsOfTaps(axis) ? axis.taps : std::min(axis.taps, shared);
}

static void setRows(PatchLayout& layout, const PatchAxis& axis, int64_t positions) {
  const int64_t covered = axis.reach(positions);
  layout.mostRows = positions;
  layout.hasRowsOfTaps = positions * axis.taps < covered;
  layout.rows = layout.hasRowsOfTaps ? positions * axis.taps : covered;
  layout.rowStep = layout.hasRowsOfTaps ? axis.taps : axis.stride;
  layout.tapStep = layout.hasRowsOfTaps ? 1 : axis.dilation;
}

static void setColumns(PatchLayout& layout, int64_t positions) {
  layout.mostColumns = positions;
  // An odd number of vectors: rows do not meet in a few lines of the cache.
  layout.pitch = (llvm::divideCeil(positions + layout.reach, layout.lanes) | 1) * layout.lanes;
}

PatchLayout layoutPatch(const std::array<PatchAxis, 3>& axes, int64_t channels, int64_t tileColumns,
                        bool isFlat, bool hasLargeWeights, int64_t lanes) {
  PatchLayout layout{.lanes = lanes,
                     .channels = channels,
                     .planes = axes[0].taps,
                     .hasColumnsOfTaps = hasColumnsOfTaps(axes[2]),
                     .columns = columnTapsOf(axes[2])};
  layout.reach = layout.hasColumnsOfTaps ? 0 : (axes[2].reach() - 1) / axes[2].stride;
  const PatchLimits most = limitsOf(axes[2], channels, isFlat, hasLargeWeights);
  const auto exceeds = [&](int64_t bytes) { return layout.size() * 4 > bytes; };
  setRows(layout, axes[1], 1);
  int64_t columns = llvm::alignTo(most.columns, tileColumns);
  setColumns(layout, columns);
  while (columns > tileColumns && exceeds(columns > kFewestColumns ? most.bytes : 2 * most.bytes))
    setColumns(layout, columns -= tileColumns);
  for (int64_t rows = most.rows; rows > 1; --rows) {
    setRows(layout, axes[1], rows);
    if (!exceeds(most.bytes)) return layout;
  }
  setRows(layout, axes[1], 1);
  return layout;
}

namespace {

/// Copies columns [begin, end) of the layout's for one row; they have one shift.
class RowCopy {
 public:
  RowCopy(IndexBuilder& b, const PatchAxis& axis, const PatchLayout& layout, size_t begin,
          size_t end, Value input, Value patch)
      : b_(b),
        axis_(axis),
        layout_(layout),
        begin_(begin),
        columns_(ArrayRef(layout.columns).slice(begin, end - begin)),
        input_(input),
        patch_(patch) {}

  /// Of positions from number `column` on, `columns` of them.
  void setPlace(Value column, Value columns) {
    const Index first = b_.term(column) * axis_.stride - axis_.padBegin + columns_.front().shift;
    first_ = first;
    insideBegin_ = b_.term(0) - first;
    insideEnd_ = b_.term(axis_.in) - first;
    end_ = ceilDiv(b_.term(columns) + layout_.reach, layout_.lanes);
    // Vectors that read nothing but elements inside.
    const int64_t span = axis_.stride * layout_.lanes;
    const Index begin = larger(b_.term(insideBegin_), 0), end = larger(b_.term(insideEnd_), 0);
    wholeBegin_ = smaller(ceilDiv(begin, span), end_);
    wholeEnd_ = larger(smaller(floorDiv(end, span), end_), wholeBegin_);
  }

  /// `source`: offset of the row's first element in the input; `target`: of the patch's row.
  void emit(Index source, Index target) {
    source = source + first_;
    forVectors(b_.index(0), wholeBegin_, [&](Index at) { copyVector(source, target, at, false); });
    forVectors(wholeBegin_, wholeEnd_, [&](Index at) { copyVector(source, target, at, true); });
    forVectors(wholeEnd_, end_, [&](Index at) { copyVector(source, target, at, false); });
  }

  Value ahead;  ///< So many elements ahead lies what is read soon; null: next to it.

  void emitZeros(Index target) {
    forVectors(b_.index(0), end_, [&](Index at) {
      for (size_t i = 0; i < columns_.size(); ++i) store(zero(), target, at, i);
    });
  }

 private:
  void forVectors(Value begin, Value end, llvm::function_ref<void(Index at)> emit) {
    emitLoop(b_, begin, end, 1, [&](Index vector) { emit(vector * layout_.lanes); });
  }

  VectorType vector() const { return VectorType::get({layout_.lanes}, b_.getF32Type()); }
  Value zero() { return b_.create<arith::ConstantOp>(b_.getZeroAttr(vector())); }

  void store(Value value, Index target, Index at, size_t number) {
    const Index offset = target + (at + static_cast<int64_t>(begin_ + number) * layout_.pitch);
    b_.create<vector::StoreOp>(value, patch_, Value(offset));
  }

  // The vector of every stride-th element of the row from number `from` on, from its first column.
  Value loadApart(Index source, Index from) {
    SmallVector<int32_t> steps;
    for (int64_t lane = 0; lane < layout_.lanes; ++lane)
      steps.push_back(static_cast<int32_t>(lane * axis_.stride));
    const auto integers = VectorType::get({layout_.lanes}, b_.getI32Type());
    const Value distances =
        b_.create<arith::ConstantOp>(DenseElementsAttr::get(integers, ArrayRef<int32_t>(steps)));
    // Lanes [begin, end) lie inside.
    const Index begin = larger(ceilDiv(b_.term(insideBegin_) - from, axis_.stride), 0),
                end = ceilDiv(b_.term(insideEnd_) - from, axis_.stride);
    return b_.create<vector::GatherOp>(vector(), input_, ValueRange{source + from}, distances,
                                       lanesOf(begin, end), zero());
  }

  Value lanesOf(Index begin, Index end) {
    const Location loc = b_.getLoc();
    const Value below = lanesBelow(b_, loc, layout_.lanes, Value(end)),
                before = lanesBelow(b_, loc, layout_.lanes, Value(begin));
    const Value all = b_.create<arith::ConstantOp>(
        DenseElementsAttr::get(cast<VectorType>(before.getType()), true));
    return b_.create<arith::AndIOp>(below, b_.create<arith::XOrIOp>(before, all));
  }

  Value load(Index source, Index from, bool isWhole) {
    if (isWhole && ahead) prefetch(b_, b_.getLoc(), input_, Value(source + from + ahead));
    Value mask;
    if (!isWhole)
      mask = lanesOf(larger(b_.term(insideBegin_) - from, 0), b_.term(insideEnd_) - from);
    return loadMasked(b_, b_.getLoc(), input_, Value(source + from), layout_.lanes, mask);
  }

  // The vectors of the patch at column `at`, one for each remainder.
  void copyVector(Index source, Index target, Index at, bool isWhole) {
    const Index from = at * axis_.stride;
    if (axis_.stride == 1) return store(load(source, from, isWhole), target, at, 0);
    if (axis_.stride > 2) {
      for (auto [i, taps] : llvm::enumerate(columns_))
        store(loadApart(source, from + taps.remainder), target, at, i);
      return;
    }
    const Value low = load(source, from, isWhole),
                high = load(source, from + layout_.lanes, isWhole);
    for (auto [i, taps] : llvm::enumerate(columns_)) {
      SmallVector<int64_t> lanes;
      for (int64_t lane = 0; lane < layout_.lanes; ++lane)
        lanes.push_back(2 * lane + taps.remainder);
      store(b_.create<vector::ShuffleOp>(low, high, lanes), target, at, i);
    }
  }

  IndexBuilder& b_;
  const PatchAxis& axis_;
  const PatchLayout& layout_;
  size_t begin_;
  ArrayRef<ColumnTaps> columns_;
  Value input_, patch_;
  Value first_, insideBegin_, insideEnd_;  // elements of the row; the others from `first_` on
  Value end_, wholeBegin_, wholeEnd_;      // vectors
};

}  // namespace

static std::vector<RowCopy> rowCopiesOf(IndexBuilder& b, const PatchAxis& width,
                                        const PatchLayout& layout, const PatchPlace& place,
                                        Value input, Value patch) {
  const size_t count = layout.columns.size(), each = layout.hasColumnsOfTaps ? 1 : count;
  std::vector<RowCopy> copies;
  for (size_t begin = 0; begin < count; begin += each) {
    copies.emplace_back(b, width, layout, begin, begin + each, input, patch);
    copies.back().setPlace(place.column, place.columns);
  }
  return copies;
}

void emitPatch(IndexBuilder& b, const std::array<PatchAxis, 3>& axes, const PatchLayout& layout,
               const PatchPlace& place, Value input, Value patch) {
  const auto& [depth, height, width] = axes;
  std::vector<RowCopy> copies = rowCopiesOf(b, width, layout, place, input, patch);
  const Index rows =
      (b.term(place.rows) - 1) * layout.rowStep + ((height.taps - 1) * layout.tapStep + 1);
  const Index firstPlane = b.term(place.plane) * depth.stride - depth.padBegin,
              firstRow = b.term(place.row) * height.stride - height.padBegin;
  const Value planeSize = b.mul(height.in, width.in), volume = b.mul(planeSize, depth.in);
  // A few lines of each channel, which are far apart: the CPU does not see where reading goes on.
  constexpr int64_t kChannelsAhead = 4;
  if (layout.planes * layout.rows == 1) {
    for (RowCopy& copy : copies) copy.ahead = b.mul(volume, kChannelsAhead);
  }
  const auto emitRow = [&](Index channel, Index plane, Index row) {
    const Index sourcePlane = firstPlane + plane * depth.dilation;
    const Index distance = layout.hasRowsOfTaps ? floorDiv(row, height.taps) * height.stride +
                                                      row % height.taps * height.dilation
                                                : row;
    const Index sourceRow = firstRow + distance;
    const Index target =
        channel * layout.channelStride() + plane * layout.planeStride() + row * layout.rowStride();
    const Value isInside = b.create<arith::AndIOp>(Value(b.isInside(sourcePlane, depth.in)),
                                                   Value(b.isInside(sourceRow, height.in)));
    const Index source =
        b.term(place.source) + channel * volume + sourcePlane * planeSize + sourceRow * width.in;
    const auto copyRow = [&] {
      for (RowCopy& copy : copies) copy.emit(source, target);
    };
    const auto clearRow = [&] {
      for (RowCopy& copy : copies) copy.emitZeros(target);
    };
    emitIf(b, isInside, copyRow, clearRow);
  };
  emitLoop(b, layout.channels, [&](Index channel) {
    emitLoop(b, layout.planes, [&](Index plane) {
      emitLoop(b, rows, [&](Index row) { emitRow(channel, plane, row); });
    });
  });
}

}  // namespace tessera::lowering
