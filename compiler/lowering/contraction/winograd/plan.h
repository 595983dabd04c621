// How the squares of one convolution are worked through. Not for other folders.
#pragma once

#include <algorithm>

#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/tuning.h"
#include "compiler/lowering/contraction/winograd/square.h"
#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

inline constexpr int64_t kPooled = 2;  ///< Results of a window, in each direction.
/// Padding between the numbers of two products: else they would meet in a few lines of a cache.
inline constexpr int64_t kGap = 48;

/// Everything static about one convolution. What its windows see of the depth is a volume: an
/// image, or each of its slices by itself. A square is a place in all planes of a volume.
struct WinogradPlan {
  int64_t lanes, inBlocks, outBlocks;
  int64_t squareRows, squareColumns;
  int64_t volumes = 1;  ///< Of an image; if many, they have one plane.
  ConvAxis depth = {};  ///< Of a volume.
  int64_t squares = 0;  ///< In all images; in one, where their number is open.
  int64_t tileRows = 1, panels = 1, panelTiles = 1, lastPanels = 1;
  int64_t planes = 1;          ///< Of results, that are worked on at a time.
  int64_t tilesTogether = 1;   ///< Tiles, each of one plane, that read weights one after the other.
  int64_t atATime = 1;         ///< Squares, a multiple of tileRows.
  bool addsTaps = false;       ///< Sums of each tap of the depth are added at the end.
  bool arePanelsInner = true;  ///< Panels are the inner loop, over the squares of one task.

  int64_t inChannels() const { return inBlocks * lanes; }
  /// Planes that `planes` of the results are computed from, at most.
  int64_t inPlanes() const { return std::min(depth.reach(planes), depth.in); }
  // Of transformed elements: [products][planes][squares][channels].
  int64_t planeStride() const { return atATime * inChannels(); }
  int64_t transformedStride() const { return inPlanes() * planeStride() + kGap; }
  // Of weights: [panels][products][taps of the depth][channels][lanes].
  int64_t weightsStride() const { return depth.kernel * inChannels() * lanes; }
  int64_t panelStride() const { return kProducts * weightsStride(); }

  /// The image that a volume is of; volumes are counted over all images.
  Index imageOf(const Index& volume) const {
    return volumes == 1 ? volume : floorDiv(volume, volumes);
  }
  /// Where a block of channels begins in plane number `plane`, of `perVolume`, of a volume.
  Index planeOf(const Index& volume, const Index& plane, int64_t perVolume, int64_t blocks,
                const Index& block, int64_t size) const {
    const Index inImage = volumes == 1 ? plane : volume % volumes;
    const Index planesOfBlock = (imageOf(volume) * blocks + block) * (volumes * perVolume);
    return (planesOfBlock + inImage) * size;
  }
};

WinogradPlan makeWinogradPlan(const ConvShape& shape, const CpuTarget& cpu,
                              const ContractionTuning& tuning);

}  // namespace tessera::lowering
