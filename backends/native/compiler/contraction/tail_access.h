// How the elementwise tail of a contraction reads what it does not compute.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tessera::backend_native {

enum class TailAccess {
  kUnknown,
  kConstant,     ///< One element, known now.
  kScalar,       ///< One element of a buffer.
  kSamePlace,    ///< Shape and layout of the result.
  kPerChannel,   ///< Channels of a convolution, for each image or for all, in the result's layout.
  kPerPosition,  ///< Positions of images, or of all, or images: one element for all channels.
  kPerColumn,    ///< Row-major, the last dimension that of the result, all others 1.
  kMatrix,       ///< Row-major, broadcasts to the result; sizes may be known at run time only.
};

/// True when both lie in memory in the same order.
bool hasSameOrder(mlir::RankedTensorType type, mlir::RankedTensorType result);

/// How a buffer of `type` that broadcasts to `result` can be read beside the accumulators of
/// `contraction`; `lanes` is the size of channel blocks.
TailAccess tailAccessOf(mlir::RankedTensorType type, mlir::RankedTensorType result,
                        mlir::Operation* contraction, int64_t lanes);

}  // namespace tessera::backend_native
