// Knobs of the contraction emitters, for searches and experiments.
#pragma once

#include <cstdint>

namespace tessera::lowering {

/// 0 leaves the choice to the emitter's cost model.
struct ContractionTuning {
  int64_t rows = 0;    ///< Rows (pixels) of a register tile, at most.
  int64_t panels = 0;  ///< Column panels (channel blocks) of a register tile, at most; needs rows.
  int64_t unroll = 0;  ///< Reduction steps per iteration of the inner loop.
};

}  // namespace tessera::lowering
