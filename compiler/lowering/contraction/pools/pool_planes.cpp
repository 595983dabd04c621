// Each element of the rows is read once for each plane of a window and combined with its like in
// the others; two windows of three planes that move by one are made together, from four planes, of
// which the two in the middle are combined once. Short windows are written out; to a maximum the
// plane at the edge stands for those past it.
#include "compiler/lowering/contraction/pools/pool_planes.h"

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

bool hasWindowInDepth(const ConvShape& shape) {
  const ConvAxis axis = spatialAxesOf(shape)[0];
  return axis.kernel > 1 || !axis.isInside();
}

PoolPlanes poolPlanes(const ConvShape& shape, int64_t rows, int64_t lanes) {
  const bool arePairs = shape.kernelDepth == 3 && shape.strideDepth == 1 &&
                        shape.dilationDepth == 1 && shape.outDepth() % 2 == 0;
  const int64_t reach = (shape.kernelHeight - 1) * shape.dilationHeight + 1;
  return {.depths = arePairs ? 2 : 1,
          .rows = (rows - 1) * shape.strideHeight + reach,
          .width = static_cast<int64_t>(llvm::alignTo(shape.inWidth, lanes))};
}

namespace {

class PlanesEmitter {
 public:
  PlanesEmitter(IndexBuilder& b, const ConvShape& shape, const Pool& pool, const PoolPlanes& planes,
                const PlanesToCombine& what, int64_t lanes)
      : b_(b),
        shape_(shape),
        axis_(spatialAxesOf(shape)[0]),
        pool_(pool),
        planes_(planes),
        what_(what),
        lanes_(lanes),
        vector_(VectorType::get({lanes_}, b_.getF32Type())) {}

  void emit();

 private:
  using Body = llvm::function_ref<void(Index at, Index to, int64_t count)>;

  Condition areInside();
  void emitPlanes();
  void emitWrittenOut(bool areOpen);
  void emitLoops();
  void forEachVector(Body body);
  void fillRows(Value begin, Value end);
  Index planeAt(Index plane) {
    return (what_.volume * axis_.in + plane) * (shape_.inHeight * shape_.inWidth);
  }
  Value load(Index at, int64_t count);
  void store(Value vector, Index to, int64_t depth) {
    const Index place = to + depth * (planes_.rows * planes_.width);
    b_.create<vector::StoreOp>(vector, what_.target, Value(place));
  }

  IndexBuilder& b_;
  const ConvShape& shape_;
  ConvAxis axis_;
  const Pool& pool_;
  PoolPlanes planes_;
  PlanesToCombine what_;
  int64_t lanes_;
  VectorType vector_;
  Index begin_, end_;  ///< Rows that lie inside of the input.
};

}  // namespace

// Elements behind the `count` first ones change no combination.
Value PlanesEmitter::load(Index at, int64_t count) {
  if (count == lanes_) return b_.create<vector::LoadOp>(vector_, what_.input, Value(at));
  const auto bits = VectorType::get({lanes_}, b_.getI1Type());
  SmallVector<bool> isThere(lanes_, false);
  std::fill_n(isThere.begin(), count, true);
  const Value mask = b_.create<arith::ConstantOp>(DenseElementsAttr::get(bits, isThere));
  return b_.create<vector::MaskedLoadOp>(vector_, what_.input, Value(at), mask,
                                         startOf(b_, pool_, lanes_));
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

// Whether all planes of all windows lie inside of the input.
Condition PlanesEmitter::areInside() {
  const Index first = what_.depth * axis_.stride;
  const int64_t reach = (planes_.depths - 1) * axis_.stride + (axis_.kernel - 1) * axis_.dilation;
  return (b_.term(axis_.padBegin) <= first) & (first < axis_.in + axis_.padBegin - reach);
}

// `areOpen`: planes may lie outside of the input.
void PlanesEmitter::emitWrittenOut(bool areOpen) {
  const int64_t count = planes_.depths > 1 ? axis_.kernel + 1 : axis_.kernel;
  SmallVector<Index> planes;
  SmallVector<Value> areThere;
  for (int64_t k = 0; k < count; ++k) {
    const Index plane = what_.depth * axis_.stride + (k * axis_.dilation - axis_.padBegin);
    const Index nearest = areOpen ? smaller(larger(plane, 0), axis_.in - 1) : plane;
    planes.push_back(planeAt(nearest));
    if (areOpen && !standsForOutside(axis_, pool_)) areThere.push_back(plane == nearest);
  }
  const Value start = startOf(b_, pool_, lanes_);
  forEachVector([&](Index at, Index to, int64_t valid) {
    SmallVector<Value> taps;
    for (auto [k, plane] : llvm::enumerate(planes)) {
      const Value vector = load(plane + at, valid);
      taps.push_back(areThere.empty() ? vector : b_.select(areThere[k], vector, start));
    }
    if (planes_.depths == 1) return store(combineAll(b_, pool_, taps), to, 0);
    const WindowPair pair = combinePair(b_, pool_, taps[1], taps[2]);
    store(combine(b_, pool_, pair, taps[0]), to, 0);
    store(combine(b_, pool_, pair, taps[3]), to, 1);
  });
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
  constexpr int64_t kMostWrittenOut = 3;
  if (axis_.kernel > kMostWrittenOut) return emitLoops();
  if (axis_.isInside() || standsForOutside(axis_, pool_)) return emitWrittenOut(!axis_.isInside());
  auto choice = b_.create<scf::IfOp>(Value(areInside()), /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(choice.thenBlock());
  emitWrittenOut(/*areOpen=*/false);
  b_.setInsertionPointToStart(choice.elseBlock());
  emitWrittenOut(/*areOpen=*/true);
}

void PlanesEmitter::emit() {
  const Index rows = b_.term(planes_.rows);
  begin_ = smaller(larger(b_.term(0) - what_.firstRow, 0), rows);
  end_ = larger(smaller(b_.term(shape_.inHeight) - what_.firstRow, rows), begin_);
  emitPlanes();
  if (spatialAxesOf(shape_)[1].isInside()) return;
  fillRows(b_.index(0), begin_);
  fillRows(end_, rows);
}

void emitCombinedPlanes(IndexBuilder& b, const ConvShape& shape, const Pool& pool,
                        const PoolPlanes& planes, const PlanesToCombine& what, int64_t lanes) {
  PlanesEmitter(b, shape, pool, planes, what, lanes).emit();
}

}  // namespace tessera::lowering
