#include "compiler/lowering/contraction/winograd/plan.h"

#include <algorithm>

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/contraction/winograd/winograd.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tessera::lowering {

// Transformed elements of all squares that are worked on at a time. Where weights are many times as
// large they are more, since all weights are read for them.
static constexpr int64_t kTransformedBytes = int64_t{1} << 20,
                         kMostTransformedBytes = int64_t{8} << 20;
// Tiles that read the weights of a product one after the other: more gain nothing.
static constexpr int64_t kMostTogether = 6;
// Tasks that threads share out evenly.
static constexpr int64_t kManyTasks = 16;
// Planes of results that are worth transforming planes beside them for, which others read, too.
static constexpr int64_t kManyPlanes = 4;

// Squares that are multiplied in the time that their weights, four times those of direct sums, are
// read in: fewer do not pay for that.
static constexpr double kSquaresOfReading = 8;
// Of fewer squares than this, more bytes of weights stay direct: 512 to 512 channels at 7x7 would
// gain a quarter on one thread and nothing on two, for 28 MB.
static constexpr double kFewSquares = 12;
static constexpr int64_t kMostWeightBytesOfFew = int64_t{16} << 20;

// The longest sum, taps of the depth times channels, that one product takes; of longer ones each
// tap is summed up by itself, which is as exact as a window of one plane.
static constexpr int64_t kLongSum = 256;

// Whether slices are images by themselves.
static bool keepsDepth(const ConvShape& s) {
  return s.kernelDepth == 1 && s.strideDepth == 1 && s.padFront == 0 && s.padBack == 0;
}

static ConvAxis depthOf(const ConvShape& shape) {
  return keepsDepth(shape) ? ConvAxis{} : spatialAxesOf(shape)[0];
}

/// What a convolution is planned for.
static int64_t plannedVolumes(const ConvShape& shape) {
  return (ShapedType::isDynamic(shape.batch) ? 1 : shape.batch) *
         (keepsDepth(shape) ? shape.inDepth : 1);
}

static int64_t squaresOf(const ConvShape& shape) {
  return plannedVolumes(shape) * llvm::divideCeilSigned(shape.outHeight(), kResults) *
         llvm::divideCeilSigned(shape.outWidth(), kResults);
}

// How many squares, of how many planes, are worked on at a time and by a task.
static void takeTogether(WinogradPlan& plan, int64_t weightBytes, int64_t cachedBytes) {
  const int64_t bytes =
      std::clamp<int64_t>(weightBytes / 8, kTransformedBytes, kMostTransformedBytes);
  // As many planes as one tile of squares leaves room for, and not fewer than pay.
  const int64_t squareBytes = kProducts * plan.inChannels() * 4;
  const int64_t inPlanes = bytes / (squareBytes * plan.tileRows);
  const int64_t overlap = plan.depth.reach() - 1;
  plan.planes =
      splitEvenly(plan.depth.out, std::max((inPlanes - overlap) / plan.depth.stride, kManyPlanes))
          .large;
  const int64_t squares = bytes / (squareBytes * plan.inPlanes());
  const int64_t tiles = splitEvenly(llvm::divideCeilSigned(plan.squares, plan.tileRows),
                                    std::max<int64_t>(squares / plan.tileRows, 1))
                            .large;
  plan.atATime = tiles * plan.tileRows;
  // Half of the second-level cache is for rows and products.
  if (2 * plan.panels * plan.panelStride() * 4 <= cachedBytes) return;
  const int64_t tilesOfPlanes = tiles * plan.planes;
  const int64_t tileBytes = kProducts * plan.tileRows * plan.panels * plan.lanes * 4;
  const int64_t most = std::min(
      {tilesOfPlanes * plan.panelTiles / kManyTasks, kMostTogether, cachedBytes / 2 / tileBytes});
  plan.tilesTogether = splitEvenly(tilesOfPlanes, std::max<int64_t>(most, 1)).large;
}

WinogradPlan makeWinogradPlan(const ConvShape& shape, const CpuTarget& cpu,
                              const ContractionTuning& tuning) {
  const int64_t lanes = cpu.vectorLanes;
  WinogradPlan plan{.lanes = lanes,
                    .inBlocks = llvm::divideCeilSigned(shape.inChannels, lanes),
                    .outBlocks = llvm::divideCeilSigned(shape.outChannels, lanes),
                    .squareRows = llvm::divideCeilSigned(shape.outHeight(), kResults),
                    .squareColumns = llvm::divideCeilSigned(shape.outWidth(), kResults),
                    .volumes = keepsDepth(shape) ? shape.inDepth : 1,
                    .depth = depthOf(shape),
                    .squares = squaresOf(shape)};
  TileShape tile = cpu.numVectorRegisters >= 32 ? TileShape{.rows = 12, .panels = 2}
                                                : TileShape{.rows = 6, .panels = 2};
  if (tuning.rows > 0) tile = {.rows = tuning.rows, .panels = tuning.panels};
  plan.panels = std::min(tile.panels, plan.outBlocks);
  plan.panelTiles = llvm::divideCeilSigned(plan.outBlocks, plan.panels);
  plan.lastPanels = plan.outBlocks - (plan.panelTiles - 1) * plan.panels;
  plan.tileRows = splitEvenly(plan.squares, tile.rows).large;
  plan.addsTaps = plan.depth.kernel > 1 && plan.depth.kernel * shape.inChannels > kLongSum;
  const int64_t weightBytes = plan.outBlocks * plan.panelStride() * 4;
  plan.arePanelsInner = !arePanelsOuter(tuning, weightBytes, cpu.cachedWeightBytes);
  takeTogether(plan, weightBytes, cpu.cachedWeightBytes);
  return plan;
}

// Whether every window has some plane inside of the image.
static bool everyWindowHasPlane(const ConvShape& shape) {
  const ConvPhase phase = phasesOf(depthOf(shape)).front();
  for (int64_t i = 0; i < phase.count; ++i) {
    int64_t t = 0;
    while (t < phase.taps && !phase.isInside(i, t)) ++t;
    if (t == phase.taps) return false;
  }
  return true;
}

bool canBeWinograd(const ConvShape& s) {
  const bool isOfRows = s.kernelHeight == 3 && s.kernelWidth == 3 && s.strideHeight == 1 &&
                        s.strideWidth == 1 && s.dilationHeight == 1 && s.dilationWidth == 1;
  return isOfRows && s.groups == 1 && !s.isTransposed && s.outer.empty() && everyWindowHasPlane(s);
}

namespace {

/// Taps of the depth that lie inside of the image.
struct DepthTaps {
  int64_t inside = 0;   ///< Of all planes of the results.
  int64_t reached = 0;  ///< Those that some plane has.
};

/// Cycles for a position of the result. Counted; measured from 8 to 64 channels of one plane it is
/// right within a third.
struct Cycles {
  double multiplyAdds = 0;  ///< Of an input channel and a block of output channels.
  double toProducts = 0;    ///< Transforming a block of input channels.
  double toResults = 0;     ///< Writing, reading and transforming products of an output block.

  double of(const ConvShape& shape, int64_t lanes) const {
    const auto in = static_cast<double>(llvm::divideCeilSigned(shape.inChannels, lanes)),
               out = static_cast<double>(llvm::divideCeilSigned(shape.outChannels, lanes));
    return multiplyAdds * static_cast<double>(shape.inChannels) * out + toProducts * in +
           toResults * out;
  }
};

}  // namespace

static DepthTaps depthTapsOf(const ConvShape& shape) {
  DepthTaps taps;
  const ConvPhase phase = phasesOf(depthOf(shape)).front();
  for (int64_t t = 0; t < phase.taps; ++t) {
    int64_t planes = 0;
    for (int64_t i = 0; i < phase.count; ++i) planes += phase.isInside(i, t) ? 1 : 0;
    taps.inside += planes;
    taps.reached += planes > 0 ? 1 : 0;
  }
  return taps;
}

bool isForWinograd(const ConvShape& s, int64_t lanes) {
  // Results of half a block and less are for row-major convolutions.
  if (!canBeWinograd(s) || s.outChannels <= lanes / 2) return false;
  const ConvAxis depth = depthOf(s);
  const int64_t squares = squaresOf(s),
                positions = plannedVolumes(s) * s.outHeight() * s.outWidth();
  const DepthTaps taps = depthTapsOf(s);
  // A tap of the depth is for the planes that it is inside of, and has weights of its own.
  const double squaresOfTap =
      static_cast<double>(squares * taps.inside) / static_cast<double>(taps.reached);
  const int64_t weightBytes = kProducts * s.inChannels * s.outChannels * taps.reached * 4;
  if (squaresOfTap < kFewSquares && weightBytes > kMostWeightBytesOfFew) return false;
  const double waste =
      static_cast<double>(squares * kResults * kResults) / static_cast<double>(positions);
  const auto ofPlane = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(depth.out);
  };
  const Cycles direct{.multiplyAdds = 9 * ofPlane(taps.inside)};
  const double reading = std::max(kSquaresOfReading / squaresOfTap, 1.0);
  const Cycles winograd{.multiplyAdds = 2.25 * reading * ofPlane(taps.inside),
                        .toProducts = 14 * ofPlane(depth.in),
                        .toResults = 20};
  return waste < 1.6 && waste * winograd.of(s, lanes) < 0.85 * direct.of(s, lanes);
}

bool canPoolSquares(const ConvShape& pool) {
  const bool isWindow = pool.kernelHeight == kPooled && pool.kernelWidth == kPooled &&
                        pool.strideHeight == kPooled && pool.strideWidth == kPooled &&
                        pool.dilationHeight == 1 && pool.dilationWidth == 1;
  // Negative padding cuts off what no window reaches.
  return isWindow && keepsDepth(pool) && pool.padTop == 0 && pool.padLeft == 0 &&
         pool.padBottom <= 0 && pool.padRight <= 0;
}

}  // namespace tessera::lowering
