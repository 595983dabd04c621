// Axes of Resize that grow by a whole number of times.
#pragma once

#include <optional>

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// Result o is made from `numTaps` elements from (o + shift) / scale + first on, where those
/// outside are like the outermost one.
struct WholeScale {
  int64_t scale = 2, shift = 0, first = 0, numTaps = 1;
  int64_t input = 0, output = 0;  ///< Sizes.
};

/// What an axis of such sizes is resized by, where `scale` is 2, 4 or 8 and coordinates are exact:
/// they repeat then.
std::optional<WholeScale> wholeScaleOf(ir::ResizeOp op, mlir::Value input, mlir::Value output,
                                       std::optional<double> scale);

/// Whether a dimension that grows `scale` times shows each of its elements so often, in order.
bool repeatsElements(ir::ResizeOp op, int64_t scale);

/// `x` with its innermost dimension resampled. `weights` [taps, output]; null for one tap, as it
/// is.
mlir::Value resampleWhole(KernelBuilder& b, mlir::Value x, const WholeScale& how,
                          mlir::Value weights);

}  // namespace tessera::backend_native
