#include "compiler/lowering/contraction/tile.h"

#include <algorithm>

#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// Adds the bias to accumulators and stores what the epilogue makes of them.
class ResultEmitter {
 public:
  ResultEmitter(const IndexBuilder& b, const BrgemmTile& tile, const OutputTile& output,
                const Epilogue& epilogue)
      : b_(b), tile_(tile), output_(output), epilogue_(epilogue) {}

  void emitAll(ArrayRef<Value> accumulators);

 private:
  int64_t lanesOf(int64_t panel) const {
    return panel + 1 == tile_.panels ? output_.lastPanelLanes : tile_.lanes;
  }
  Index distanceOf(int64_t panel, int64_t stride) {
    if (!output_.imageRowStride) return b_.term(panel * stride);
    return b_.term(panel / output_.interleaved) * output_.imageRowStride +
           panel % output_.interleaved * stride;
  }
  Index channelOf(int64_t panel) {
    return b_.term(output_.channelOffset) + distanceOf(panel, tile_.lanes);
  }
  Value biasOf(int64_t panel) {
    return loadLanes(b_, b_.getLoc(), output_.bias, channelOf(panel), tile_.lanes, lanesOf(panel));
  }
  Value laneMask(int64_t panel) {
    if (!output_.openLanes) return {};
    return lanesBelow(b_, b_.getLoc(), tile_.lanes, openLanesOf(panel));
  }
  Value openLanesOf(int64_t panel) {
    if (!output_.imageRowStride) return b_.sub(output_.openLanes, panel * tile_.lanes);
    const Value lanes = b_.sub(output_.openLanes, panel % output_.interleaved * tile_.lanes);
    const Value isThere = b_.term(panel / output_.interleaved) < output_.openRows;
    return b_.select(isThere, lanes, b_.index(0));
  }
  Index rowOffset(Index rows) { return output_.rowStride ? rows * output_.rowStride : rows; }
  void emitOne(Value result, Value bias, Index place, Value row, int64_t panel);
  void emitInLoops(ArrayRef<Value> accumulators);
  Value clearPadding(Value result, int64_t panel);

  IndexBuilder b_;
  const BrgemmTile& tile_;
  const OutputTile& output_;
  const Epilogue& epilogue_;
};

}  // namespace

Value ResultEmitter::clearPadding(Value result, int64_t panel) {
  if (output_.channels % tile_.lanes == 0) return result;
  const Index left = b_.term(output_.channels) - channelOf(panel);
  const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(result.getType()));
  return b_.select(lanesBelow(b_, b_.getLoc(), tile_.lanes, left), result, zero);
}

void ResultEmitter::emitOne(Value result, Value bias, Index place, Value row, int64_t panel) {
  if (panel + 1 == tile_.panels) result = clearPadding(result, panel);
  if (bias) result = b_.create<arith::AddFOp>(result, bias);
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = result,
               .outputOffset = place,
               .channelOffset = channelOf(panel),
               .batch = output_.batch,
               .row = row,
               .lanes = tile_.lanes,
               .validLanes = lanesOf(panel),
               .laneMask = laneMask(panel)},
              epilogue_, output_.output);
}

// Through memory: kept in registers beside what a long epilogue needs, accumulators would be put
// there and fetched in each step of the reduction.
void ResultEmitter::emitInLoops(ArrayRef<Value> accumulators) {
  const auto rows = static_cast<int64_t>(tile_.rowOffsets.size());
  const int64_t step = rows > 1 ? output_.rowOffsets[1] - output_.rowOffsets[0] : 0;
  const auto vector = cast<VectorType>(accumulators.front().getType());
  const Value sums = b_.create<memref::AllocOp>(
      MemRefType::get({rows * tile_.panels * tile_.lanes}, b_.getF32Type()),
      b_.getI64IntegerAttr(64));
  for (auto [i, accumulator] : llvm::enumerate(accumulators))
    b_.create<vector::StoreOp>(accumulator, sums, b_.index(static_cast<int64_t>(i) * tile_.lanes));
  for (int64_t panel = 0; panel < tile_.panels; ++panel) {
    const Value bias = output_.bias ? biasOf(panel) : Value();
    auto loop = b_.create<scf::ForOp>(b_.index(0), b_.index(rows), b_.index(1));
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    const Index row = b_.term(loop.getInductionVar());
    const Index from = (row * tile_.panels + panel) * tile_.lanes;
    const Value sum = b_.create<vector::LoadOp>(vector, sums, Value(from));
    const Index place =
        b_.term(output_.offset) + distanceOf(panel, output_.panelStride) + rowOffset(row * step);
    emitOne(sum, bias, place, output_.row ? Value(b_.term(output_.row) + row) : Value(), panel);
  }
  b_.create<memref::DeallocOp>(sums);
}

void ResultEmitter::emitAll(ArrayRef<Value> accumulators) {
  if (epilogue_.isLong() && tile_.rowOffsets.size() >= 4) return emitInLoops(accumulators);
  SmallVector<Value> bias(tile_.panels);
  // The bias comes last: every partial sum that contained it would be rounded at its magnitude.
  for (int64_t panel = 0; output_.bias && panel < tile_.panels; ++panel)
    bias[panel] = biasOf(panel);
  for (size_t row = 0; row < tile_.rowOffsets.size(); ++row) {
    const Value number = output_.row ? b_.add(output_.row, static_cast<int64_t>(row)) : Value();
    for (int64_t panel = 0; panel < tile_.panels; ++panel) {
      const Index place = b_.term(output_.offset) + distanceOf(panel, output_.panelStride) +
                          rowOffset(b_.term(output_.rowOffsets[row]));
      emitOne(accumulators[row * tile_.panels + panel], bias[panel], place, number, panel);
    }
  }
}

static SmallVector<Value> zeroAccumulators(OpBuilder& at, Location loc, const BrgemmTile& tile) {
  const auto vector = VectorType::get({tile.lanes}, at.getF32Type());
  const Value zero = at.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vector, 0.0F));
  return SmallVector<Value>(tile.rowOffsets.size() * tile.panels, zero);
}

static SmallVector<Value> loadSums(IndexBuilder& b, const BrgemmTile& tile, const PartialSums& sums,
                                   Value from) {
  const auto vector = VectorType::get({tile.lanes}, b.getF32Type());
  SmallVector<Value> loaded;
  for (size_t i = 0; i < tile.rowOffsets.size() * tile.panels; ++i)
    loaded.push_back(b.create<vector::LoadOp>(vector, sums.memref,
                                              b.add(from, static_cast<int64_t>(i) * tile.lanes)));
  return loaded;
}

static SmallVector<Value> interleaveRows(OpBuilder& at, Location loc, const BrgemmTile& tile,
                                         const OutputTile& output, ArrayRef<Value> accumulators) {
  const size_t size = output.interleaved * tile.panels;
  SmallVector<Value> results;
  for (size_t row = 0; row < output.rowOffsets.size(); ++row) {
    const auto vectors =
        interleave(at, loc, accumulators.slice(row * size, size), output.interleaved);
    llvm::append_range(results, ArrayRef(vectors).take_front(output.panels));
  }
  return results;
}

void emitTile(OpBuilder& at, Location loc, ArrayRef<BrgemmTile> parts, const OutputTile& output,
              const Epilogue& epilogue) {
  SmallVector<Value> accumulators = zeroAccumulators(at, loc, parts.front());
  for (const BrgemmTile& part : parts) accumulators = emitBrgemm(at, loc, part, accumulators);
  BrgemmTile results = parts.front();
  if (output.interleaved > 1) {
    accumulators = interleaveRows(at, loc, results, output, accumulators);
    results.panels = output.panels;
    results.rowOffsets.resize(output.rowOffsets.size());
  }
  ResultEmitter({loc, at}, results, output, epilogue).emitAll(accumulators);
}

static void storeSums(IndexBuilder& b, const BrgemmTile& tile, const PartialSums& sums,
                      ArrayRef<Value> results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    const Value place = b.add(sums.offset, static_cast<int64_t>(i) * tile.lanes);
    b.create<vector::StoreOp>(result, sums.memref, place);
  }
}

void emitPartialTile(OpBuilder& at, Location loc, const BrgemmTile& tile, const PartialSums& sums,
                     Value isFirst) {
  IndexBuilder b(loc, at);
  // Added at the end: sums of parts are more exact than one of all in order.
  SmallVector<Value> results = emitBrgemm(at, loc, tile, zeroAccumulators(at, loc, tile));
  if (isFirst) {
    const SmallVector<Value> before = loadSums(b, tile, sums, sums.offset);
    for (auto [result, sum] : llvm::zip_equal(results, before))
      result = b.select(isFirst, result, b.create<arith::AddFOp>(sum, result));
  }
  storeSums(b, tile, sums, results);
}

void emitTileOfPart(OpBuilder& at, Location loc, const BrgemmTile& tile, const OutputTile& output,
                    const Epilogue& epilogue, const PartialSums& sums, const PartPlace& part) {
  IndexBuilder b(loc, at);
  const SmallVector<Value> products = emitBrgemm(at, loc, tile, zeroAccumulators(at, loc, tile));
  const auto addSums = [&] {
    SmallVector<Value> added;
    for (auto [sum, product] : llvm::zip_equal(loadSums(b, tile, sums, sums.offset), products))
      added.push_back(b.create<arith::AddFOp>(sum, product));
    return added;
  };
  const SmallVector<Value> results =
      emitIf(b, part.isFirst, TypeRange(ValueRange(products)), [&] { return products; }, addSums);
  emitIf(
      b, part.isLast, [&] { ResultEmitter(b, tile, output, epilogue).emitAll(results); },
      [&] { storeSums(b, tile, sums, results); });
}

void emitPart(IndexBuilder& b, BrgemmTile tile, const ReductionParts& parts, Value part,
              const PartialSums& sums, Value isFirst) {
  ReductionLoop& loop = tile.loops.front();
  const Index begin = b.term(part) * parts.size;
  tile.aOffset = begin * loop.aStride + tile.aOffset;
  tile.bOffset = begin * loop.bStride + tile.bOffset;
  const auto emit = [&](int64_t extent) {
    loop.extent = extent;
    emitPartialTile(b, b.getLoc(), tile, sums, isFirst);
  };
  if (parts.last == parts.size) return emit(parts.size);
  emitIf(b, b.equal(part, parts.count - 1), [&] { emit(parts.last); }, [&] { emit(parts.size); });
}

int64_t tilesTogether(int64_t sums, int64_t count) {
  constexpr int64_t kBytes = 16 * 1024;
  return std::clamp<int64_t>(kBytes / (sums * 4), 1, count);
}

void emitSummedTile(OpBuilder& at, Location loc, const BrgemmTile& tile, const OutputTile& output,
                    const Epilogue& epilogue, const PartialSums& sums, int64_t parts,
                    int64_t stride) {
  IndexBuilder b(loc, at);
  SmallVector<Value> total = loadSums(b, tile, sums, sums.offset);
  if (parts > 1) {
    auto loop = b.create<scf::ForOp>(b.index(1), b.index(parts), b.index(1), total);
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    const Index from = b.term(loop.getInductionVar()) * stride + sums.offset;
    const SmallVector<Value> part = loadSums(b, tile, sums, from);
    SmallVector<Value> added;
    for (auto [sum, one] : llvm::zip_equal(loop.getRegionIterArgs(), part))
      added.push_back(b.create<arith::AddFOp>(sum, one));
    b.create<scf::YieldOp>(added);
    total = llvm::to_vector_of<Value>(loop.getResults());
  }
  ResultEmitter({loc, at}, tile, output, epilogue).emitAll(total);
}

EvenSplit splitEvenly(int64_t extent, int64_t maxSize) {
  const int64_t count = llvm::divideCeilSigned(extent, maxSize);
  const int64_t large = llvm::divideCeilSigned(extent, count);
  const int64_t numSmall = count * large - extent;
  return {.large = large, .numLarge = count - numSmall, .numSmall = numSmall};
}

SmallVector<TileShape> candidateTiles(const CpuTarget& cpu, const ContractionTuning& tuning) {
  if (tuning.rows > 0 && tuning.panels > 0) return {{.rows = tuning.rows, .panels = tuning.panels}};
  // rows * panels accumulators + panels operands + one broadcast.
  // NOLINTBEGIN(modernize-use-designated-initializers): rows, panels.
  if (cpu.numVectorRegisters >= 32) return {{14, 2}, {9, 3}, {6, 4}, {28, 1}};
  return {{4, 3}, {6, 2}, {12, 1}};
  // NOLINTEND(modernize-use-designated-initializers)
}

double cyclesPerStep(TileShape tile) {
  // Measured (Sapphire Rapids, operands in the second-level cache): 2 multiply-adds a cycle when
  // each broadcast serves two or more of them, a quarter less with one panel; about a cycle more
  // for what does not overlap; a dependent chain takes 4.
  const double multiplyAdds =
      0.5 * static_cast<double>(tile.rows * tile.panels) * (tile.panels == 1 ? 1.3 : 1.0);
  return std::max(multiplyAdds, 4.0) + 1.0;
}

int64_t rowsInCache(int64_t rows, int64_t rowStrideBytes) {
  constexpr int64_t kCacheWays = 8;  // Less what B passes through.
  return rowStrideBytes % kConflictingStrideBytes == 0 ? std::min(rows, kCacheWays) : rows;
}

TileShape chooseTile(const CpuTarget& cpu, int64_t rows, int64_t rowStrideBytes, int64_t panels,
                     const ContractionTuning& tuning) {
  TileShape best;
  double bestCycles = 0;
  for (TileShape candidate : candidateTiles(cpu, tuning)) {
    if (tuning.rows == 0) candidate.rows = rowsInCache(candidate.rows, rowStrideBytes);
    int64_t rowTiles = 1, rowTileSize = candidate.rows;
    double rowWeight = 1;
    if (rows > 0) {
      const EvenSplit split = splitEvenly(rows, candidate.rows);
      rowTiles = split.count();
      rowTileSize = split.large;
    } else {
      rowWeight = 1.0 / static_cast<double>(candidate.rows);
    }
    const int64_t usedPanels = std::min(candidate.panels, panels);
    const int64_t panelTiles = llvm::divideCeilSigned(panels, usedPanels);
    const double cycles = cyclesPerStep({.rows = rowTileSize, .panels = usedPanels}) *
                          static_cast<double>(rowTiles * panelTiles) * rowWeight;
    if (bestCycles == 0 || cycles < bestCycles * 0.99) {
      bestCycles = cycles;
      best = {.rows = rowTileSize, .panels = usedPanels};
    }
  }
  return best;
}

static void emitRunCasesFrom(IndexBuilder& b, Value tile, ArrayRef<int64_t> ends, size_t run,
                             llvm::function_ref<void(size_t run)> emit) {
  if (run + 1 == ends.size()) return emit(run);
  emitIf(
      b, b.less(tile, ends[run]), [&] { emit(run); },
      [&] { emitRunCasesFrom(b, tile, ends, run + 1, emit); });
}

void emitRunCases(IndexBuilder& b, Value tile, ArrayRef<int64_t> ends,
                  llvm::function_ref<void(size_t run)> emit) {
  emitRunCasesFrom(b, tile, ends, 0, emit);
}

void emitSplitCases(IndexBuilder& b, const EvenSplit& split, Value tileIndex,
                    llvm::function_ref<void(Value start, int64_t size)> emit) {
  const Index scaled = b.term(tileIndex) * split.large;
  if (split.numSmall == 0) return emit(scaled, split.large);
  const auto emitSmall = [&] {
    // Each small tile so far started one element earlier than a large one would have.
    const Index smallBefore = b.term(tileIndex) - split.numLarge;
    emit(scaled - smallBefore, split.large - 1);
  };
  emitIf(b, b.less(tileIndex, split.numLarge), [&] { emit(scaled, split.large); }, emitSmall);
}

}  // namespace tessera::lowering
