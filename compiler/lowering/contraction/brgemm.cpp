// Libxsmm's formulation (Georganas et al., "High-Performance Deep Learning via a Single Building
// Block", IPDPS 2020), emitted into the vector dialect. One step of the reduction loads `panels`
// vectors of B, broadcasts one element of A per row and issues rows*panels multiply-adds; LLVM
// keeps the loop-carried accumulators in registers.
#include "compiler/lowering/contraction/brgemm.h"

#include "compiler/lowering/contraction/address.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/opaque.h"

using namespace mlir;

namespace tessera::lowering {

// LLVM writes loops of so many steps out.
static constexpr int64_t kMostWrittenOut = 32;

namespace {

/// Emits the loop nest; carries the accumulators of all partial sums. Addresses are pointers plus
/// constants (not indices into memrefs): each operand then needs one register in the inner loop,
/// its rows and steps are displacements.
class Emitter {
 public:
  Emitter(const IndexBuilder& b, const BrgemmTile& tile, bool skipsMarked)
      : b_(b),
        tile_(tile),
        skipsMarked_(skipsMarked),
        vector_(VectorType::get({tile.lanes}, b_.getF32Type())) {}

  SmallVector<Value> emitLoops(size_t depth, Value a, Value b, SmallVector<Value> accumulators) {
    const ReductionLoop& loop = tile_.loops[depth];
    if (loop.isOpen()) return emitOpen(a, b, std::move(accumulators));
    if (loop.begin)
      return emitRange(depth, {.begin = loop.begin, .end = loop.end}, a, b, accumulators);
    if (loop.runs.empty()) return emitRun(depth, 0, loop.extent, a, b, std::move(accumulators));
    const ArrayRef<bool> outside = rows_;
    for (const StepRun& run : loop.runs) {
      if (!run.rows.empty()) rows_ = run.rows;
      accumulators = emitRun(depth, run.begin, run.end, a, b, std::move(accumulators));
      rows_ = outside;
    }
    return accumulators;
  }

 private:
  struct Range {
    Value begin, end;
    int64_t step = 1;
  };

  // A loop whose body takes `step` steps of the last loop, or one of another.
  SmallVector<Value> emitRange(size_t depth, const Range& range, Value a, Value b,
                               ValueRange accumulators) {
    const ReductionLoop& loop = tile_.loops[depth];
    auto forOp = b_.create<scf::ForOp>(range.begin, range.end, b_.index(range.step), accumulators);
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(forOp.getBody());
    if (depth == 0 && tile_.beforeStep) tile_.beforeStep(b_, forOp.getInductionVar());
    const Value number = forOp.getInductionVar();
    const Value innerA = advance(b_, a, times(number, loop.openAStride), loop.aStride);
    const Value innerB = advance(b_, b, times(number, loop.openBStride), loop.bStride);
    const SmallVector<Value> carried = emitBody(
        depth, range.step, innerA, innerB, llvm::to_vector_of<Value>(forOp.getRegionIterArgs()));
    b_.create<scf::YieldOp>(carried);
    return llvm::to_vector_of<Value>(forOp.getResults());
  }

  // The only loop, of so many steps as there are in the run.
  SmallVector<Value> emitOpen(Value a, Value b, SmallVector<Value> accumulators) {
    const Value extent = tile_.loops.back().openExtent;
    const Value whole = b_.mul(b_.floorDiv(extent, tile_.unroll), tile_.unroll);
    accumulators = emitRange(0, {.begin = b_.index(0), .end = whole, .step = tile_.unroll}, a, b,
                             accumulators);
    if (tile_.unroll == 1) return accumulators;
    return emitRange(0, {.begin = whole, .end = extent}, a, b, accumulators);
  }

  Value times(Value number, Value open) { return open ? b_.mul(number, open) : number; }

  // The address `distance` strides after `pointer`, of `open` elements or one.
  Value ahead(Value pointer, int64_t distance, Value open) {
    if (!open || distance == 0) return advance(b_, pointer, distance);
    return advance(b_, pointer, open, distance);
  }

  bool isLast(size_t depth) const { return depth + 1 == tile_.loops.size(); }

  SmallVector<Value> emitBody(size_t depth, int64_t step, Value a, Value b,
                              SmallVector<Value> accumulators) {
    return isLast(depth) ? emitSteps(0, step, a, b, std::move(accumulators))
                         : emitLoops(depth + 1, a, b, std::move(accumulators));
  }

  // Steps [begin, end) of a loop: whole iterations in a loop, the rest of the last loop behind it.
  SmallVector<Value> emitRun(size_t depth, int64_t begin, int64_t end, Value a, Value b,
                             SmallVector<Value> accumulators) {
    const ReductionLoop& loop = tile_.loops[depth];
    const int64_t step = isLast(depth) ? std::min(tile_.unroll, end - begin) : 1;
    const int64_t wholeEnd = begin + (end - begin) / step * step;
    if (isLast(depth) && wholeEnd - begin == step) {
      accumulators = emitSteps(begin, wholeEnd, a, b, std::move(accumulators));
    } else if (wholeEnd - begin == step) {
      const Value firstA = advance(b_, a, begin * loop.aStride),
                  firstB = advance(b_, b, begin * loop.bStride);
      accumulators = emitBody(depth, step, firstA, firstB, std::move(accumulators));
    } else {
      accumulators =
          emitRange(depth, {.begin = b_.index(begin), .end = b_.index(wholeEnd), .step = step}, a,
                    b, accumulators);
    }
    if (wholeEnd < end) accumulators = emitSteps(wholeEnd, end, a, b, std::move(accumulators));
    return accumulators;
  }

  // Whether loads of one step may become those of another one: it reads an element of A that was
  // read for another row, or LLVM writes all steps of the loop out and moves loads ahead. Kept in
  // registers until then they would be too many.
  bool mixesSteps() const {
    const int64_t stride = tile_.loops.back().aStride;
    if (tile_.loops.back().isOpen()) return false;
    if (tile_.loops.size() > 1 && tile_.loops.back().extent <= kMostWrittenOut) return true;
    for (const int64_t row : tile_.rowOffsets) {
      const int64_t distance = row - tile_.rowOffsets.front();
      if (stride != 0 && distance != 0 && distance % stride == 0 &&
          distance / stride < tile_.unroll)
        return true;
    }
    return false;
  }

  // The vector of B; null where no lane is read.
  Value loadPanel(Value pointer, int64_t step, int64_t panel) {
    const ArrayRef<LaneRange> lanes = tile_.loops.back().lanes;
    LaneRange read = {.end = tile_.lanes};
    if (!lanes.empty()) read = lanes[step * tile_.panels + panel];
    if (tile_.lastPanelLanes > 0 && panel + 1 == tile_.panels)
      read.end = std::min(read.end, tile_.lastPanelLanes);
    if (read.begin >= read.end) return {};
    if (read.begin == 0 && read.end == tile_.lanes) return loadAt(b_, vector_, pointer);
    return loadLanesAt(b_, vector_, pointer, read.begin, read.end);
  }

  Value unmarkedLanes(Value weights) {
    const auto integers = VectorType::get({tile_.lanes}, b_.getI32Type());
    const Value mark = b_.create<arith::ConstantOp>(
        DenseElementsAttr::get(integers, static_cast<int32_t>(kMarkedLane)));
    return b_.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                    b_.create<vector::BitCastOp>(integers, weights), mark);
  }

  // Steps [begin, end) of the last loop, straight-line.
  SmallVector<Value> emitSteps(int64_t begin, int64_t end, Value a, Value b,
                               SmallVector<Value> accumulators) {
    const ReductionLoop& loop = tile_.loops.back();
    const size_t setSize = tile_.rowOffsets.size() * tile_.panels;
    const bool areMixed = mixesSteps();
    for (int64_t step = begin; step < end; ++step) {
      Value row0 = ahead(a, step * loop.aStride, loop.openAStride);
      if (areMixed && step > begin) row0 = opaque(b_, row0);
      const size_t set = static_cast<size_t>(step % tile_.partialSums) * setSize;
      SmallVector<Value> weights, taking;
      const Value panels = ahead(b, step * loop.bStride, loop.openBStride);
      for (int64_t panel = 0; panel < tile_.panels; ++panel) {
        const Value at = advance(b_, panels, panel * tile_.panelStride);
        weights.push_back(loadPanel(at, step, panel));
        const bool skips = skipsMarked_ && weights.back();
        taking.push_back(skips ? unmarkedLanes(weights.back()) : Value());
      }
      for (auto [row, rowOffset] : llvm::enumerate(tile_.rowOffsets)) {
        if (!rows_.empty() && !rows_[row]) continue;
        const Value element = loadAt(b_, b_.getF32Type(), ahead(row0, rowOffset, tile_.rowStride));
        const Value spread = b_.create<vector::BroadcastOp>(vector_, element);
        for (int64_t panel = 0; panel < tile_.panels; ++panel) {
          if (!weights[panel]) continue;
          Value& accumulator = accumulators[set + row * tile_.panels + panel];
          const Value sum = b_.create<vector::FMAOp>(spread, weights[panel], accumulator);
          accumulator = taking[panel] ? b_.select(taking[panel], sum, accumulator) : sum;
        }
      }
    }
    return accumulators;
  }

  IndexBuilder b_;
  const BrgemmTile& tile_;
  bool skipsMarked_;
  VectorType vector_;
  ArrayRef<bool> rows_;  ///< That take part in what is emitted; empty: all.
};

}  // namespace

// Loops of extent 1 vanish; neighbours that walk both operands contiguously become one, unless the
// steps of the first of all have something in front of them.
static SmallVector<ReductionLoop> simplifyLoops(ArrayRef<ReductionLoop> loops, bool mayMergeFirst) {
  SmallVector<ReductionLoop> kept;
  for (const ReductionLoop& loop : loops) {
    if (loop.extent == 1 && loop.isWhole()) continue;
    const bool mayMerge =
        kept.size() > (mayMergeFirst ? 0 : 1) && kept.back().isWhole() && loop.isWhole();
    if (mayMerge && kept.back().aStride == loop.extent * loop.aStride &&
        kept.back().bStride == loop.extent * loop.bStride) {
      kept.back() = {.extent = kept.back().extent * loop.extent,
                     .aStride = loop.aStride,
                     .bStride = loop.bStride};
    } else {
      kept.push_back(loop);
    }
  }
  if (kept.empty()) kept.push_back({.extent = 1, .aStride = 0, .bStride = 0});
  return kept;
}

static SmallVector<Value> emitReduction(OpBuilder& b, Location loc, const BrgemmTile& tile,
                                        ValueRange accumulators, bool skipsMarked) {
  if (llvm::any_of(tile.loops, [](const ReductionLoop& loop) { return loop.extent == 0; }))
    return llvm::to_vector(accumulators);
  BrgemmTile simplified = tile;
  simplified.loops = simplifyLoops(tile.loops, /*mayMergeFirst=*/!tile.beforeStep);
  simplified.partialSums = std::min(tile.partialSums, tile.unroll);
  if (const ReductionLoop& last = simplified.loops.back(); !last.isOpen())
    simplified.partialSums = std::min(simplified.partialSums, last.extent);
  SmallVector<Value> all = llvm::to_vector(accumulators);
  const size_t setSize = all.size();
  if (simplified.partialSums > 1) {
    auto vector = VectorType::get({tile.lanes}, b.getF32Type());
    const Value zero = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vector, 0.0f));
    all.resize(setSize * simplified.partialSums, zero);
  }
  IndexBuilder builder(loc, b);
  const Value a = addressOf(builder, tile.a, tile.aOffset),
              panels = addressOf(builder, tile.b, tile.bOffset);
  Emitter emitter({loc, b}, simplified, skipsMarked);
  SmallVector<Value> reduced = emitter.emitLoops(0, a, panels, std::move(all));
  for (size_t i = setSize; i < reduced.size(); ++i) {
    reduced[i % setSize] = b.create<arith::AddFOp>(loc, reduced[i % setSize], reduced[i]);
  }
  reduced.resize(setSize);
  return reduced;
}

// Whether any lane of the vectors, of which there are some, is NaN.
static Value anyIsNaN(OpBuilder& b, Location loc, ArrayRef<Value> vectors) {
  Value found;
  for (size_t i = 0; i < vectors.size(); i += 2) {
    const Value either = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, vectors[i],
                                                 vectors[std::min(i + 1, vectors.size() - 1)]);
    found = found ? Value(b.create<arith::OrIOp>(loc, found, either)) : either;
  }
  return b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, found);
}

SmallVector<Value> emitBrgemm(OpBuilder& b, Location loc, const BrgemmTile& tile,
                              ValueRange accumulators) {
  SmallVector<Value> sums = emitReduction(b, loc, tile, accumulators, /*skipsMarked=*/false);
  if (!tile.hasMarks) return sums;
  // Finite numbers times the mark are zeros: only where there is NaN marks have to be looked at.
  IndexBuilder at(loc, b);
  return emitIf(
      at, anyIsNaN(b, loc, sums), TypeRange(ValueRange(sums)),
      [&] { return emitReduction(at, loc, tile, accumulators, /*skipsMarked=*/true); },
      [&] { return sums; });
}

}  // namespace tessera::lowering
