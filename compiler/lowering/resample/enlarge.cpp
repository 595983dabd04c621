// A strip of a vector's columns is gone down row by row: each row of the input is made as wide as
// results are once, and is in registers until the last row of results that needs it. Neighbours
// along the row are loads beside the vector's own, shuffles of it at the ends of the row.
#include "compiler/lowering/resample/enlarge.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/prefetch.h"
#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

// Rows of the input that a task goes down: with more of them, fewer are made wide twice; with
// fewer, rows of large results come from and go to the caches behind the first one in longer
// pieces.
static constexpr int64_t kRowsOfSmall = 16, kRowsOfLarge = 8;

static constexpr int64_t kLineElements = kLineBytes / static_cast<int64_t>(sizeof(float));

namespace {

/// Columns of a vector of the input; whether they are the outermost ones of their row.
struct Strip {
  Index column;
  bool isFirst = false, isLast = false;
};

class EnlargementEmitter {
 public:
  EnlargementEmitter(const IndexBuilder& b, const Resampling& resampling,
                     const Enlargement& enlargement, int64_t lanes, const Epilogue& epilogue)
      : b_(b),
        rows_(enlargement.rows),
        columns_(enlargement.columns),
        height_(resampling.rows.input),
        width_(resampling.columns.input),
        lanes_(lanes),
        epilogue_(epilogue),
        vector_(VectorType::get({lanes}, b_.getF32Type())) {}

  Value input, output;      // flat
  bool isLarge = false;     // Memory is not near.
  bool isStreamed = false;  // Vectors are written past the caches.

  void emitRows(Value plane, Value first, Value end);

 private:
  void emitStrip(const Strip& strip, Value first, Value end);
  SmallVector<Value> widened(Index row, const Strip& strip);
  Value neighbours(Index at, int64_t by, const Strip& strip);
  Value sum(const RepeatedAxis::Phase& phase, llvm::function_ref<Value(int64_t by)> elements);
  void store(Value result, Index row, Index column);
  void prefetch(Value memory, Value at, PrefetchUse use);

  IndexBuilder b_;
  const RepeatedAxis &rows_, &columns_;
  int64_t height_, width_;  ///< Of planes of the input.
  int64_t lanes_;
  const Epilogue& epilogue_;
  VectorType vector_;
  Value plane_;
};

}  // namespace

// More than the second levels of a few cores.
static bool isLargeResult(MemRefType type) {
  constexpr int64_t kBytes = int64_t{1} << 20;
  return !type.hasStaticShape() || type.getNumElements() * elementBytes(type) > kBytes;
}

std::optional<Enlargement> enlargementOf(const Resampling& resampling, int64_t lanes) {
  constexpr int64_t kMostFactor = 4;  // Rows of so many vectors are in registers.
  if (resampling.columns.input % lanes != 0) return std::nullopt;
  auto rows = repeatedAxis(resampling.rows), columns = repeatedAxis(resampling.columns);
  if (!rows || !columns || rows->factor() > kMostFactor || columns->factor() > kMostFactor ||
      std::max(columns->before, columns->behind) > lanes)
    return std::nullopt;
  return Enlargement{.rows = std::move(*rows), .columns = std::move(*columns)};
}

// Elements `by` further along the row than the strip's own, which begin at `at`.
Value EnlargementEmitter::neighbours(Index at, int64_t by, const Strip& strip) {
  const bool isOutside = by < 0 ? strip.isFirst : by > 0 && strip.isLast;
  if (!isOutside) return loadLanes(b_, b_.getLoc(), input, at + by, lanes_, lanes_);
  const Value own = loadLanes(b_, b_.getLoc(), input, at, lanes_, lanes_);
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes_; ++lane)
    places.push_back(std::clamp<int64_t>(lane + by, 0, lanes_ - 1));
  return b_.create<vector::ShuffleOp>(own, own, places);
}

// The product of the element at hand comes first: phases share it where weights are symmetric.
Value EnlargementEmitter::sum(const RepeatedAxis::Phase& phase,
                              llvm::function_ref<Value(int64_t by)> elements) {
  if (phase.weights.empty()) return elements(phase.first);
  const int64_t end = phase.first + std::ssize(phase.weights),
                own = std::clamp<int64_t>(0, phase.first, end - 1);
  const auto factor = [&](int64_t by) {
    return b_.create<arith::ConstantOp>(
        DenseElementsAttr::get(vector_, phase.weights[by - phase.first]));
  };
  Value sum = b_.create<arith::MulFOp>(elements(own), factor(own));
  for (int64_t by = phase.first; by < end; ++by) {
    if (by != own) sum = b_.create<vector::FMAOp>(elements(by), factor(by), sum);
  }
  return sum;
}

// The strip's elements of one row of the input as columns of results.
SmallVector<Value> EnlargementEmitter::widened(Index row, const Strip& strip) {
  const Index at = (b_.term(plane_) * height_ + row) * width_ + strip.column;
  if (isLarge) prefetch(input, at + 2 * kLineElements, PrefetchUse::kRead);
  SmallVector<Value> elements;
  for (int64_t by = -columns_.before; by <= columns_.behind; ++by)
    elements.push_back(neighbours(at, by, strip));
  SmallVector<Value> sums;
  for (const RepeatedAxis::Phase& phase : columns_.phases)
    sums.push_back(sum(phase, [&](int64_t by) { return elements[by + columns_.before]; }));
  return interleave(b_, b_.getLoc(), sums, columns_.factor());
}

// The CPU does not see where a strip goes on beside it. What is no memory is not touched.
void EnlargementEmitter::prefetch(Value memory, Value at, PrefetchUse use) {
  lowering::prefetch(b_, b_.getLoc(), memory, at, use);
}

void EnlargementEmitter::store(Value result, Index row, Index column) {
  const Index inPlane = row * (width_ * columns_.factor()) + column;
  const int64_t planeSize = height_ * rows_.factor() * width_ * columns_.factor();
  const Index offset = b_.term(plane_) * planeSize + inPlane;
  if (isLarge && !isStreamed) prefetch(output, offset + kLineElements, PrefetchUse::kWrite);
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = result,
               .outputOffset = offset,
               .channelOffset = inPlane,
               .batch = b_.index(0),
               .row = plane_,
               .lanes = lanes_,
               .validLanes = lanes_},
              epilogue_, output, isStreamed);
}

void EnlargementEmitter::emitStrip(const Strip& strip, Value first, Value end) {
  const int64_t wide = columns_.factor();
  const auto widenedRow = [&](Index row) {
    return widened(larger(smaller(row, height_ - 1), 0), strip);
  };
  SmallVector<Value> above;
  for (int64_t by = -rows_.before; by < rows_.behind; ++by)
    llvm::append_range(above, widenedRow(b_.term(first) + by));
  emitLoop(b_, first, end, 1, above, [&](Index row, ValueRange before) -> SmallVector<Value> {
    SmallVector<Value> window(before);
    llvm::append_range(window, widenedRow(row + rows_.behind));
    for (auto [number, phase] : llvm::enumerate(rows_.phases)) {
      for (int64_t i = 0; i < wide; ++i) {
        const Value result =
            sum(phase, [&](int64_t by) { return window[(by + rows_.before) * wide + i]; });
        store(result, row * rows_.factor() + static_cast<int64_t>(number),
              strip.column * wide + i * lanes_);
      }
    }
    return {window.begin() + wide, window.end()};
  });
}

void EnlargementEmitter::emitRows(Value plane, Value first, Value end) {
  plane_ = plane;
  const int64_t last = width_ - lanes_;
  emitStrip({.column = b_.term(int64_t{0}), .isFirst = true, .isLast = last == 0}, first, end);
  if (last > lanes_) {
    emitLoop(b_, b_.index(lanes_), b_.index(last), lanes_,
             [&](Index column) { emitStrip({.column = column}, first, end); });
  }
  if (last > 0) emitStrip({.column = b_.term(last), .isLast = true}, first, end);
}

void emitEnlargement(const IndexBuilder& at, const Resampling& resampling,
                     const Enlargement& enlargement, Value input, Value output, int64_t lanes,
                     const Epilogue& epilogue) {
  IndexBuilder b = at;
  const int64_t height = resampling.rows.input, planeSize = height * resampling.columns.input;
  const Value planes = b.floorDiv(b.createOrFold<memref::DimOp>(input, b.index(0)), planeSize);
  const bool isLarge = isLargeResult(cast<MemRefType>(output.getType()));
  const int64_t rows = isLarge ? kRowsOfLarge : kRowsOfSmall;
  emitStreamed(
      b, output, resampling.columns.output, lanes, lanes * enlargement.columns.factor(),
      [&](IndexBuilder in, Value target, bool isStreamed) {
        scf::ForallOp forall = openForall(
            in, {getAsOpFoldResult(planes), in.getIndexAttr(llvm::divideCeilSigned(height, rows))});
        EnlargementEmitter emitter(in, resampling, enlargement, lanes, epilogue);
        emitter.input = input;
        emitter.output = target;
        emitter.isLarge = isLarge;
        emitter.isStreamed = isStreamed;
        const Index first = in.term(forall.getInductionVars()[1]) * rows;
        emitter.emitRows(forall.getInductionVars()[0], first, smaller(first + rows, height));
      });
}

}  // namespace tessera::lowering
