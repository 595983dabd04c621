#include "compiler/lowering/contraction/strided_matrices.h"

#include <optional>

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/transpose_square.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

Index StridedMatrices::placeOf(IndexBuilder& b, ValueRange at, Value row) const {
  Index place = b.term(offset);
  for (auto [position, stride] : llvm::zip_equal(at, batchStrides))
    place = place + b.mul(position, stride);
  return place + b.mul(row, rowStride);
}

StridedMatrices StridedMatrices::transposed() const {
  StridedMatrices result = *this;
  std::swap(result.rowStride, result.columnStride);
  return result;
}

Index MatrixPanels::placeOf(IndexBuilder& b, ValueRange at, Value panel) const {
  Index place = b.term(offset) + b.mul(panel, panelStride);
  for (auto [position, stride] : llvm::zip_equal(at, batchStrides))
    place = place + b.mul(position, stride);
  return place;
}

namespace {

class Packer {
 public:
  Packer(IndexBuilder& b, const StridedMatrices& matrices, const PackedSizes& sizes, int64_t lanes)
      : b_(b), m_(matrices), s_(sizes), lanes_(lanes) {}

  MatrixPanels run();
  void emitAlone(Index from, const PanelPlace& place);

 private:
  static bool is(Value value, int64_t number) { return getConstantIntValue(value) == number; }
  Index multiple(Value value, int64_t of) { return b_.ceilDivUnsigned(value, b_.index(of)) * of; }
  // Squares are stored whole where it is not known how much of the last one there is.
  Value paddedRows() {
    const bool isPadded = !is(m_.columnStride, 1) && !getConstantIntValue(s_.rows);
    return isPadded ? Value(multiple(s_.rows, lanes_)) : s_.rows;
  }

  // The first `count` elements from `place` on, zeros behind them.
  Value load(Value place, Value count) {
    return loadLanes(b_, b_.getLoc(), m_.memory, place, lanes_, count);
  }
  void emitPanel(Index panel, Index from, Index to);
  void emitRows(Index from, Index to, Value width);
  void emitSquares(Index firstColumn, Index from, Index to, std::optional<int64_t> width);

  IndexBuilder& b_;
  const StridedMatrices& m_;
  const PackedSizes& s_;
  int64_t lanes_;
  Value target_;
  Value paddedRows_, rowStep_;
};

}  // namespace

// Of columns that lie element by element, `width` of which are there: row by row.
void Packer::emitRows(Index from, Index to, Value width) {
  emitLoop(b_, s_.rows, [&](Index row) {
    storeLanes(b_, b_.getLoc(), load(from + b_.mul(row, m_.rowStride), width), target_,
               to + b_.mul(row, rowStep_), lanes_);
  });
}

// Of rows that lie element by element: square by square. Columns beyond `width`, or beyond the last
// where it is not known, are the last one again.
void Packer::emitSquares(Index firstColumn, Index from, Index to, std::optional<int64_t> width) {
  const auto square = [&](Index row, Value height, int64_t stored) {
    SmallVector<Value> columns;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      Index place = from + row;
      if (width)
        place = place + b_.mul(m_.columnStride, std::min(lane, *width - 1));
      else
        place = place + smaller(b_.term(b_.index(lane)), b_.term(s_.columns) - firstColumn - 1) *
                            m_.columnStride;
      columns.push_back(load(place, height));
    }
    for (auto [i, value] : llvm::enumerate(transposeSquare(b_, columns))) {
      if (static_cast<int64_t>(i) < stored)
        storeLanes(b_, b_.getLoc(), value, target_,
                   to + b_.mul(row + static_cast<int64_t>(i), rowStep_), lanes_);
    }
  };
  const auto known = getConstantIntValue(s_.rows);
  if (!known) {
    emitLoop(b_, b_.index(0), paddedRows_, lanes_,
             [&](Index row) { square(row, b_.term(s_.rows) - row, lanes_); });
    return;
  }
  const int64_t whole = *known / lanes_ * lanes_, rest = *known - whole;
  if (whole > 0)
    emitLoop(b_, b_.index(0), b_.index(whole), lanes_,
             [&](Index row) { square(row, b_.index(lanes_), lanes_); });
  if (rest > 0) square(b_.term(whole), b_.index(rest), rest);
}

// `from` is where column 0 of the panel begins.
void Packer::emitPanel(Index panel, Index from, Index to) {
  const bool areRows = is(m_.columnStride, 1);
  const Index firstColumn = panel * lanes_;
  const auto emit = [&](std::optional<int64_t> width) {
    if (!areRows) return emitSquares(firstColumn, from, to, width);
    emitRows(from, to, width ? b_.index(*width) : Value(b_.term(s_.columns) - firstColumn));
  };
  const auto columns = getConstantIntValue(s_.columns);
  if (!columns) return emit(std::nullopt);
  const int64_t last = (*columns - 1) / lanes_, tail = *columns - last * lanes_;
  if (tail == lanes_ || last == 0) return emit(tail);
  emitIf(b_, panel == last, [&] { emit(tail); }, [&] { emit(lanes_); });
}

void Packer::emitAlone(Index from, const PanelPlace& place) {
  target_ = place.memory;
  rowStep_ = place.rowStep;
  paddedRows_ = paddedRows();
  emitPanel(b_.term(0), from, b_.term(place.offset));
}

MatrixPanels Packer::run() {
  paddedRows_ = paddedRows();
  const Index panels = multiple(b_.ceilDivUnsigned(s_.columns, b_.index(lanes_)),
                                getConstantIntValue(s_.columns) ? 1 : s_.panelMultiple);
  MatrixPanels packed;
  packed.offset = b_.index(0);
  packed.panelStride = s_.areRowsOutside ? b_.index(lanes_) : b_.mul(paddedRows_, lanes_);
  packed.rowStride = rowStep_ = s_.areRowsOutside ? Value(panels * lanes_) : b_.index(lanes_);
  Index size = panels * paddedRows_ * lanes_;
  packed.batchStrides.resize(s_.batch.size());
  SmallVector<OpFoldResult> space;
  for (size_t i = s_.batch.size(); i-- > 0;) {
    const bool isShared = is(m_.batchStrides[i], 0);
    packed.batchStrides[i] = isShared ? b_.index(0) : Value(size);
    if (!isShared) size = size * s_.batch[i];
    space.insert(space.begin(), getAsOpFoldResult(isShared ? b_.index(1) : s_.batch[i]));
  }
  const auto known = getConstantIntValue(Value(size));
  const auto type = MemRefType::get({known ? *known : ShapedType::kDynamic}, b_.getF32Type());
  packed.allocation = b_.create<memref::AllocOp>(
      type, known ? ValueRange() : ValueRange(Value(size)), b_.getI64IntegerAttr(64));
  packed.memory = target_ = packed.allocation;
  space.push_back(getAsOpFoldResult(Value(panels)));
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  const SmallVector<Value> at = llvm::to_vector_of<Value>(forall.getInductionVars());
  const ValueRange entry = ArrayRef(at).drop_back();
  const Index panel = b_.term(at.back());
  const Index from = m_.placeOf(b_, entry, b_.index(0)) + b_.mul(panel * lanes_, m_.columnStride);
  emitPanel(panel, from, packed.placeOf(b_, entry, panel));
  return packed;
}

MatrixPanels packPanels(IndexBuilder& b, const StridedMatrices& matrices, const PackedSizes& sizes,
                        int64_t lanes) {
  return Packer(b, matrices, sizes, lanes).run();
}

void packPanel(IndexBuilder& b, const StridedMatrices& matrices, const PackedSizes& sizes,
               int64_t lanes, Index from, const PanelPlace& place) {
  Packer(b, matrices, sizes, lanes).emitAlone(from, place);
}

Value sumAlongRows(IndexBuilder& b, const MatrixRow& row, Value others, ArrayRef<Index> places,
                   int64_t lanes) {
  const auto vector = VectorType::get({lanes}, b.getF32Type());
  // The first `width` elements from there on, zeros behind them; all of them without.
  const auto load = [&](Value memory, Value from, Value width) -> Value {
    return loadLanes(b, b.getLoc(), memory, from, lanes, width);
  };
  const auto addProducts = [&](Value at, Value width, ValueRange sums) {
    const Value factor = load(row.memory, row.place + at, width);
    SmallVector<Value> added(sums);
    for (auto [sum, place] : llvm::zip(added, places))
      sum = b.create<vector::FMAOp>(factor, load(others, place + at, width), sum);
    return added;
  };
  SmallVector<Value> sums(lanes, b.create<arith::ConstantOp>(b.getZeroAttr(vector)));
  const Index whole = floorDiv(b.term(row.size), lanes) * lanes;
  if (getConstantIntValue(Value(whole)) != 0)
    sums = emitLoop(b, b.index(0), whole, lanes, sums,
                    [&](Index at, ValueRange state) { return addProducts(at, {}, state); });
  const Value rest = b.sub(row.size, whole);
  const auto known = getConstantIntValue(rest);
  if (known == 0) return sumsOfRows(b, sums);
  if (known) return sumsOfRows(b, addProducts(whole, rest, sums));
  // Where nothing is left nothing may be read.
  sums = emitLoop(b, whole, row.size, lanes, sums,
                  [&](Index at, ValueRange state) { return addProducts(at, rest, state); });
  return sumsOfRows(b, sums);
}

}  // namespace tessera::lowering
