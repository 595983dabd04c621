// Resize whose sizes are known: where each result comes from.
#pragma once

#include "compiler/ir/tsr.h"
#include "compiler/lowering/resample/resample.h"

namespace tessera::backend_native {

/// Whether the output shows a region of interest, and a given value outside of the input.
bool isCropped(ir::ResizeOp op);

/// The output size over the input size of resized dimension number i, where it is known.
std::optional<double> knownScale(ir::ResizeOp op, size_t i);

/// Resized dimension number i, where its sizes are known and neither cropped nor antialiased.
std::optional<lowering::ResampledAxis> resampledAxisOf(ir::ResizeOp op, size_t i);

/// A resize of f32 in the last dimension of [N, C, W], or the last two of [N, C, H, W], of known
/// sizes, without antialias; nothing for others.
std::optional<lowering::Resampling> resamplingOf(ir::ResizeOp op);

}  // namespace tessera::backend_native
