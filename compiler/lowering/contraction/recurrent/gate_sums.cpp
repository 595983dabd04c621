// Entries are the rows of register tiles. Where their number is known at run time only the last
// tile begins as many rows before their end, so that it makes some sums again, and fewer entries
// than a tile has are a case each.
#include "compiler/lowering/contraction/recurrent/gate_sums.h"

#include <algorithm>

#include "compiler/lowering/contraction/brgemm.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

// Entries of the batch whose sums stay in registers until what follows from them, at most: that is
// written out for each.
static constexpr int64_t kFewRows = 6;
// Sums that hide the latency of the multiply-add.
static constexpr int64_t kIndependentSums = 8;

// The register tile of many entries: of as many gates at once as can be.
static TileShape tileOfManyRows(const CpuTarget& cpu, int64_t gates, int64_t rowStride) {
  TileShape widest{.rows = 1, .panels = 0};
  for (const TileShape candidate : candidateTiles(cpu, {})) {
    if (gates % candidate.panels == 0 && candidate.panels > widest.panels) widest = candidate;
  }
  widest.rows = rowsInCache(widest.rows, rowStride * int64_t{sizeof(float)});
  return widest;
}

static int64_t mostSums(const CpuTarget& cpu) {
  const TileShape tile = tileOfManyRows(cpu, /*gates=*/1, /*rowStride=*/1);
  return tile.rows * tile.panels;
}

bool fitsRegisters(const CpuTarget& cpu, int64_t entries, int64_t gates) {
  return entries <= kFewRows && entries * gates <= mostSums(cpu);
}

// Sums of a tile of entries from `entry` and gates from `gate` on.
static SmallVector<Value> emitTileSums(IndexBuilder& b, const GateProduct& product, Value gate,
                                       Value entry, TileShape shape, const CpuTarget& cpu) {
  const int64_t lanes = cpu.vectorLanes, panelSize = product.hidden * lanes;
  const int64_t numSums = shape.rows * shape.panels;
  BrgemmTile tile{.a = product.states,
                  .b = product.panels,
                  .panels = shape.panels,
                  .panelStride = panelSize,
                  .lanes = lanes,
                  .loops = {{.extent = product.hidden, .aStride = 1, .bStride = lanes}}};
  tile.aOffset = b.term(entry) * product.rowStride + product.firstState;
  tile.bOffset = b.term(gate) * panelSize + product.firstPanel;
  for (int64_t row = 0; row < shape.rows; ++row) tile.rowOffsets.push_back(row * product.rowStride);
  tile.unroll = numSums <= kIndependentSums ? 8 : 4;
  const int64_t wanted = llvm::divideCeilSigned(kIndependentSums, numSums);
  tile.partialSums = std::clamp<int64_t>(mostSums(cpu) / numSums, 1, std::min<int64_t>(wanted, 4));
  const Value zero =
      b.create<arith::ConstantOp>(b.getZeroAttr(VectorType::get({lanes}, b.getF32Type())));
  return emitBrgemm(b, b.getLoc(), tile, SmallVector<Value>(numSums, zero));
}

SmallVector<Value> emitGateSums(IndexBuilder& b, const GateProduct& product, int64_t entries,
                                const CpuTarget& cpu) {
  return emitTileSums(b, product, b.index(0), b.index(0),
                      {.rows = entries, .panels = product.numGates}, cpu);
}

static void keepTile(IndexBuilder& b, const GateProduct& product, Value gate, Value entry,
                     TileShape tile, Value kept, const CpuTarget& cpu) {
  const int64_t lanes = cpu.vectorLanes;
  const SmallVector<Value> sums = emitTileSums(b, product, gate, entry, tile, cpu);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    const auto row = static_cast<int64_t>(i) / tile.panels,
               panel = static_cast<int64_t>(i) % tile.panels;
    const Index at = ((b.term(entry) + row) * product.numGates + gate + panel) * lanes;
    storeLanes(b, b.getLoc(), sum, kept, at, lanes);
  }
}

void keepGateSums(IndexBuilder& b, const GateProduct& product, int64_t entries, Value sums,
                  const CpuTarget& cpu) {
  const TileShape tile = tileOfManyRows(cpu, product.numGates, product.rowStride);
  const EvenSplit split = splitEvenly(entries, tile.rows);
  const auto keep = [&](Value gate, Value entry, int64_t rows) {
    keepTile(b, product, gate, entry, {.rows = rows, .panels = tile.panels}, sums, cpu);
  };
  emitLoop(b, product.numGates / tile.panels, [&](Value group) {
    const Value gate = b.mul(group, tile.panels);
    emitLoop(b, split.numLarge,
             [&](Value number) { keep(gate, b.mul(number, split.large), split.large); });
    if (split.numSmall == 0) return;
    emitLoop(b, split.numSmall, [&](Value number) {
      const Index first = b.term(number) * (split.large - 1) + split.numLarge * split.large;
      keep(gate, first, split.large - 1);
    });
  });
}

// Of as many entries as the tile has rows, or more.
static void keepTiles(IndexBuilder& b, const GateProduct& product, Value entries, TileShape tile,
                      Value sums, const CpuTarget& cpu) {
  const Value last = b.sub(entries, tile.rows);
  emitLoop(b, product.numGates / tile.panels, [&](Value group) {
    const Value gate = b.mul(group, tile.panels);
    emitLoop(b, b.index(0), entries, tile.rows, [&](Index entry) {
      keepTile(b, product, gate, smaller(entry, last), tile, sums, cpu);
    });
  });
}

// Those with code of their own, from the one of fewest rows on.
static SmallVector<TileShape> tilesOfOpenBatch(const CpuTarget& cpu, const GateProduct& product) {
  const TileShape largest = tileOfManyRows(cpu, product.numGates, product.rowStride);
  const int64_t rows = largest.rows;
  SmallVector<TileShape> tiles;
  for (int64_t few = 1; few <= std::min(rows, kFewRows); ++few) {
    const bool fits = fitsRegisters(cpu, few, product.numGates);
    tiles.push_back({.rows = few, .panels = fits ? product.numGates : largest.panels});
  }
  for (const int64_t many : {rows / 2, rows * 3 / 4, rows})
    if (many > tiles.back().rows) tiles.push_back({.rows = many, .panels = largest.panels});
  return tiles;
}

Value tileRowsOfOpenBatch(IndexBuilder& b, Value entries, int64_t gates, int64_t rowStride,
                          const CpuTarget& cpu) {
  const int64_t most = tileOfManyRows(cpu, gates, rowStride).rows;
  const Index numTiles = larger(ceilDiv(b.term(entries), most), 1);
  return ceilDiv(b.term(entries), numTiles);
}

// In tiles of so many rows, or as many as the next smaller one has.
void keepOpenGateSums(IndexBuilder& b, const GateProduct& product, Value entries, Value rows,
                      Value sums, const CpuTarget& cpu) {
  const SmallVector<TileShape> tiles = tilesOfOpenBatch(cpu, product);
  const Index inside = smaller(b.term(rows), entries);
  auto ends = llvm::map_to_vector(ArrayRef(tiles).drop_front(),
                                  [](const TileShape& next) { return next.rows; });
  ends.push_back(ShapedType::kDynamic);  // Of the largest one, which is not looked at.
  emitRunCases(b, inside, ends,
               [&](size_t run) { keepTiles(b, product, entries, tiles[run], sums, cpu); });
}

}  // namespace tessera::lowering
