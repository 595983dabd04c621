// What schedules set of the contraction emitters.
#pragma once

#include <cstdint>

namespace tessera::lowering {

/// The outermost loop over tiles: the tiles that follow each other share its panels, or its rows.
enum class OuterLoop : uint8_t { kDefault, kPanels, kRows };

/// 0, or kDefault, leaves the choice to the emitter's cost model.
struct ContractionTuning {
  int64_t rows = 0;  ///< Rows (pixels; channels of row-major results) of a register tile, at most.
  int64_t panels = 0;  ///< Column panels (channel blocks; vectors of positions) of a register tile,
                       ///< at most; needs rows.
  int64_t unroll = 0;  ///< Reduction steps per iteration of the inner loop.
  OuterLoop outer = OuterLoop::kDefault;
  int64_t reduce = 0;  ///< Reduction steps (keys of attention) of a block, about; all of them: no
                       ///< blocks. Not beside a split.
  int64_t split = 0;   ///< Of products: parts of the reduction that threads may share, 1: none.
};

/// Whether panels are outermost: by themselves where their weights are more bytes than stay in the
/// second-level cache.
inline bool arePanelsOuter(const ContractionTuning& tuning, int64_t weightBytes,
                           int64_t cachedBytes) {
  if (tuning.outer != OuterLoop::kDefault) return tuning.outer == OuterLoop::kPanels;
  return weightBytes > cachedBytes;
}

}  // namespace tessera::lowering
