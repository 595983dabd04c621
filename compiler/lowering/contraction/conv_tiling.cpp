#include "compiler/lowering/contraction/conv_tiling.h"

using namespace mlir;

namespace tessera::lowering {

// Channels that are padding cost code of their own for the last block where they are more than this
// share of all.
static constexpr double kMostPadding = 0.05;
// Tiles with code of their own, at most.
static constexpr int64_t kMostBorderTiles = 6;

// Pixels and channel blocks of a tile.
static void chooseTiles(ConvTiling& tiling, ConvKind kind, const CpuTarget& cpu,
                        const ContractionTuning& tuning) {
  double bestCycles = 0;
  int64_t pixels = 1;
  for (const TileShape candidate : candidateTiles(cpu, tuning)) {
    // Bands of two blocks differ.
    const int64_t most = kind == ConvKind::kBanded ? 1 : candidate.panels;
    const int64_t panels = std::min(most, tiling.outBlocks);
    const int64_t panelTiles = llvm::divideCeilSigned(tiling.outBlocks, panels);
    double cycles = 0;
    for (const ConvPhase& phase : tiling.phases) {
      const EvenSplit split = splitEvenly(phase.count, candidate.rows);
      for (auto [size, count] :
           {std::pair{split.large, split.numLarge}, {split.large - 1, split.numSmall}})
        cycles += static_cast<double>(count * panelTiles) *
                  cyclesPerStep({.rows = size, .panels = panels});
    }
    if (bestCycles != 0 && cycles >= bestCycles * 0.99) continue;
    bestCycles = cycles;
    pixels = candidate.rows;
    tiling.panels = panels;
    tiling.panelTiles = panelTiles;
  }
  tiling.lastPanels = tiling.outBlocks - (tiling.panelTiles - 1) * tiling.panels;
  tiling.tiles = cutTiles(tiling.phases, pixels);
}

// With a copy that has borders, nothing is read outside.
static void useBorderedCopy(ConvTiling& tiling, const ConvShape& shape, ConvKind kind) {
  tiling.plane = paddedPlane(shape, kind, tiling.lanes);
  tiling.axes = axesOf(shape);
  tiling.axes[1].in = tiling.plane.height;
  tiling.axes[2].in = tiling.plane.width;
  tiling.axes[1].padBegin = tiling.axes[2].padBegin = 0;
  tiling.phases = phasesOf(tiling.axes[2]);
}

// Of the inputs, that the reduction goes through.
static int64_t channelsOfLastBlock(const ConvShape& shape, ConvKind kind, int64_t lanes) {
  const int64_t channels = llvm::alignTo(shape.inChannels, lanes),
                padding = channels - shape.inChannels;
  const bool isMuch = static_cast<double>(padding) > kMostPadding * static_cast<double>(channels);
  return kind == ConvKind::kBlocked && shape.groups == 1 && isMuch ? lanes - padding : lanes;
}

// Whether the weights of a tile's panels are read anew for other tiles, and each reduction is one.
static bool canBlockReduction(const ConvTiling& tiling, ConvKind kind) {
  return kind == ConvKind::kBlocked && !tiling.arePanelsInner && tiling.numPlaces() > 1 &&
         tiling.lastChannels == tiling.lanes;
}

// Input channel blocks of a block of the reduction. Panels that are more than half of the weights
// that stay in the second-level cache leave too little of it to what else goes by: they are taken
// in blocks of a quarter.
static int64_t planesOfBlock(const ConvTiling& tiling, ConvKind kind, const CpuTarget& cpu,
                             const ContractionTuning& tuning) {
  if (!canBlockReduction(tiling, kind)) return tiling.inBlocks;
  const int64_t bytes = tiling.panels * tiling.lanes * tiling.reductionSteps() * 4;
  int64_t blocks = 1;
  if (tuning.reduce > 0)
    blocks = llvm::divideCeil(tiling.reductionSteps(), tuning.reduce);
  else if (bytes > cpu.cachedWeightBytes / 2)
    blocks = llvm::divideCeil(4 * bytes, cpu.cachedWeightBytes);
  return llvm::divideCeil(tiling.inBlocks, std::min(blocks, tiling.inBlocks));
}

// Whether what is written is most of the traffic: then one tile of channel blocks at a time, whose
// planes are written from one end to the other. 64 to 256 channels of 56x56 take 1.3 instead of
// 1.7 ms that way on one thread of AVX2, 16 to 96 of 112x112 0.44 instead of 0.54.
static bool mostlyWrites(const ConvTiling& tiling, const ConvShape& shape, ConvKind kind) {
  constexpr int64_t kMuchMore = 3;
  if (kind == ConvKind::kPlainInput) return true;
  const int64_t in = tiling.inBlocks * shape.inDepth * shape.inHeight * shape.inWidth,
                out = tiling.outBlocks * shape.outDepth() * shape.outHeight() * shape.outWidth();
  return out >= kMuchMore * in;
}

int64_t blockableReduction(const ConvShape& shape, ConvKind kind, const CpuTarget& cpu) {
  if (kind != ConvKind::kBlocked) return 0;
  const ConvTiling tiling = tilingOf(shape, kind, cpu, ContractionTuning());
  return canBlockReduction(tiling, kind) ? tiling.reductionSteps() : 0;
}

ConvTiling tilingOf(const ConvShape& shape, ConvKind kind, const CpuTarget& cpu,
                    const ContractionTuning& tuning) {
  ConvTiling tiling{};
  int64_t lanes = tiling.lanes = cpu.vectorLanes;
  auto blocks = [&](int64_t channels) { return llvm::divideCeilSigned(channels, lanes); };
  const bool isBanded = kind == ConvKind::kBanded;
  tiling.groups = isBanded ? 1 : shape.groups;
  tiling.inBlocks = kind == ConvKind::kPlainInput ? 1 : blocks(shape.inChannels / tiling.groups);
  if (isBanded) tiling.inBlocks = mostBandBlocks(shape, lanes);
  tiling.outBlocks = blocks(shape.outChannels / tiling.groups);
  tiling.lastChannels = channelsOfLastBlock(shape, kind, lanes);
  tiling.plane = unpaddedPlane(shape, kind, lanes);
  tiling.axes = tiledAxesOf(shape);
  if (!isWithoutWindow(shape)) tiling.outer = shape.outer;
  tiling.phases = phasesOf(tiling.axes[2]);
  tiling.unroll = tuning.unroll;
  chooseTiles(tiling, kind, cpu, tuning);
  const auto numBorderTiles =
      llvm::count_if(tiling.tiles, [](const TileRun& run) { return !run.steps.empty(); });
  const bool mayCopy = !shape.isTransposed && tiling.outer.empty() && shape.inDepth == 1 &&
                       shape.kernelDepth == 1 && shape.outDepth() == 1 && shape.outWidth() > 1;
  if (numBorderTiles > kMostBorderTiles && mayCopy) {
    useBorderedCopy(tiling, shape, kind);
    chooseTiles(tiling, kind, cpu, tuning);
  }
  const int64_t channels =
      kind == ConvKind::kPlainInput ? shape.inChannels : tiling.inBlocks * lanes;
  const int64_t weightBytes = tiling.outBlocks * lanes * channels * shape.kernelSize() * 4;
  const bool isChosen = tuning.outer != OuterLoop::kDefault;
  tiling.arePanelsInner = !(!isChosen && mostlyWrites(tiling, shape, kind)) &&
                          !arePanelsOuter(tuning, weightBytes, cpu.cachedWeightBytes);
  tiling.blocks.size = planesOfBlock(tiling, kind, cpu, tuning);
  tiling.blocks.count = llvm::divideCeil(tiling.inBlocks, tiling.blocks.size);
  tiling.blocks.last = tiling.inBlocks - (tiling.blocks.count - 1) * tiling.blocks.size;
  return tiling;
}

}  // namespace tessera::lowering
