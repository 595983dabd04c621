#include "compiler/lowering/contraction/tile.h"

#include <algorithm>

using namespace mlir;

namespace tessera::lowering {

void emitTile(OpBuilder& at, Location loc, const BrgemmTile& tile, const OutputTile& output,
              const Epilogue& epilogue) {
  IndexBuilder b(loc, at);
  const Index channelOffset = b.term(output.channelOffset), offset = b.term(output.offset);
  auto vector = VectorType::get({tile.lanes}, b.getF32Type());
  auto lanesOf = [&](int64_t panel) {
    return panel + 1 == tile.panels ? output.lastPanelLanes : tile.lanes;
  };
  const Value zero = b.create<arith::ConstantOp>(DenseElementsAttr::get(vector, 0.0f));
  SmallVector<Value> accumulators(tile.rowOffsets.size() * tile.panels, zero);
  accumulators = emitBrgemm(b, loc, tile, accumulators);
  // The bias comes last: every partial sum that contained it would be rounded at its magnitude.
  SmallVector<Value> bias;
  for (int64_t panel = 0; output.bias && panel < tile.panels; ++panel) {
    const Value channel = channelOffset + panel * tile.lanes;
    bias.push_back(loadLanes(b, loc, output.bias, channel, tile.lanes, lanesOf(panel)));
  }
  for (size_t row = 0; row < tile.rowOffsets.size(); ++row) {
    for (int64_t panel = 0; panel < tile.panels; ++panel) {
      Value result = accumulators[row * tile.panels + panel];
      if (output.bias) result = b.create<arith::AddFOp>(result, bias[panel]);
      const Value place = offset + (output.rowOffsets[row] + panel * output.panelStride);
      if (epilogue) {
        result =
            epilogue({.b = b,
                      .loc = loc,
                      .accumulator = result,
                      .outputOffset = place,
                      .channelOffset = channelOffset + panel * tile.lanes,
                      .batch = output.batch,
                      .row = output.row ? b.add(output.row, static_cast<int64_t>(row)) : Value(),
                      .lanes = tile.lanes,
                      .validLanes = lanesOf(panel)});
      }
      storeLanes(b, loc, result, output.output, place, lanesOf(panel));
    }
  }
}

EvenSplit splitEvenly(int64_t extent, int64_t maxSize) {
  const int64_t count = (extent + maxSize - 1) / maxSize;
  const int64_t large = (extent + count - 1) / count;
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

TileShape chooseTile(const CpuTarget& cpu, int64_t rows, int64_t rowStrideBytes, int64_t panels,
                     const ContractionTuning& tuning) {
  constexpr int64_t kCacheWays = 8;  // Of the first-level cache, less what B passes through.
  const bool rowsConflict = rowStrideBytes % kConflictingStrideBytes == 0;
  TileShape best;
  double bestCycles = 0;
  for (TileShape candidate : candidateTiles(cpu, tuning)) {
    if (rowsConflict && tuning.rows == 0) candidate.rows = std::min(candidate.rows, kCacheWays);
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
    const int64_t panelTiles = (panels + usedPanels - 1) / usedPanels;
    const double cycles = cyclesPerStep({.rows = rowTileSize, .panels = usedPanels}) *
                          static_cast<double>(rowTiles * panelTiles) * rowWeight;
    if (bestCycles == 0 || cycles < bestCycles * 0.99) {
      bestCycles = cycles;
      best = {.rows = rowTileSize, .panels = usedPanels};
    }
  }
  return best;
}

void emitSplitCases(IndexBuilder& b, const EvenSplit& split, Value tileIndex,
                    llvm::function_ref<void(Value start, int64_t size)> emit) {
  const Index scaled = b.term(tileIndex) * split.large;
  if (split.numSmall == 0) return emit(scaled, split.large);
  const Value isLarge = b.less(tileIndex, split.numLarge);
  auto choice = b.create<scf::IfOp>(isLarge, /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emit(scaled, split.large);
  b.setInsertionPointToStart(choice.elseBlock());
  // Each small tile so far started one element earlier than a large one would have.
  const Index smallBefore = b.term(tileIndex) - split.numLarge;
  emit(scaled - smallBefore, split.large - 1);
}

}  // namespace tessera::lowering
