// Folding y[c] * scale[c] + shift[c] into the operator that makes y.
#pragma once

#include <vector>

#include "mlir/IR/PatternMatch.h"

namespace tessera::transforms {

/// One factor and one summand for each channel of a tensor.
struct ChannelAffine {
  std::vector<float> scale;
  std::vector<float> shift;
};

/// The dimension of `producer`'s result that its weights have one column for: 1 for Conv,
/// ConvTranspose and Gemm; nothing for other operators.
std::optional<int64_t> channelDim(mlir::Operation* producer);

/// The elements of a constant f32 tensor that varies along dimension `dim` of `type` only, one for
/// each channel; nothing when `value` is something else or widens `type`.
std::optional<std::vector<float>> perChannel(mlir::Value value, mlir::RankedTensorType type,
                                             int64_t dim);

/// Replaces `consumer`, which computes `affine` of the result of `producer`, by a copy of
/// `producer` with other weights and bias. Fails (saying why) when the weights are not constant f32
/// tensors, or `producer` or its weights have other users.
mlir::LogicalResult foldIntoProducer(mlir::Operation* producer, mlir::Operation* consumer,
                                     const ChannelAffine& affine, mlir::PatternRewriter& rewriter);

}  // namespace tessera::transforms
