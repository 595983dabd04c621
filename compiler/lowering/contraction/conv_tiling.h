// How a dense convolution is cut into tiles, and in which order they go by.
#pragma once

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/contraction/tuning.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

/// Everything static about one convolution.
struct ConvTiling {
  int64_t lanes;
  PaddedPlane plane;               // input as the tiles see it
  int64_t groups;                  // 1 for bands
  int64_t inBlocks, outBlocks;     // per group; of bands the most
  int64_t lastChannels;            // of the last block of inputs that are read; padding is zeros
  llvm::ArrayRef<ConvAxis> outer;  // in front of the axes; none without window
  std::array<ConvAxis, 3> axes;    // as tiled: {1, 1, pixels} without window
  std::vector<ConvPhase> phases;   // of the last axis
  std::vector<TileRun> tiles;
  int64_t panels, panelTiles, lastPanels;
  int64_t unroll;         // 0: default
  bool arePanelsInner;    // panels are the inner loop, over the rows of one tile
  ReductionParts blocks;  // of input channel blocks

  int64_t numTiles() const { return tiles.back().last; }
  // Of an output plane.
  int64_t numPlaces() const { return axes[1].out * numTiles(); }
  // Of a tile, with channels that are padding.
  int64_t reductionSteps() const {
    int64_t taps = productOf(outer, &ConvAxis::kernel);
    for (const ConvAxis& axis : axes) taps *= axis.kernel;
    return inBlocks * lanes * taps;
  }
  // Elements of the accumulators of a tile.
  int64_t sumsOfTile() const {
    int64_t pixels = 0;
    for (const TileRun& run : tiles) pixels = std::max(pixels, run.size);
    return pixels * panels * lanes;
  }
  // Outputs along the first axis and all in front of it.
  int64_t outDepths() const { return productOf(outer, &ConvAxis::out) * axes[0].out; }
};

/// Of `kind` kBlocked, kBanded or kPlainInput.
ConvTiling tilingOf(const ConvShape& shape, ConvKind kind, const CpuTarget& cpu,
                    const ContractionTuning& tuning);

}  // namespace tessera::lowering
