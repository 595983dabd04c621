// The physical orders that this backend's fast kernels read and write.
#pragma once

#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/pool.h"

namespace tessera::backend_native {

/// Whether all sizes but that of dimension 0, the number of images, are known.
bool hasKnownImage(mlir::RankedTensorType type);
/// Elements of one image.
int64_t imageElements(mlir::RankedTensorType type);

/// `type` with dimension `dim` in blocks of `lanes`: [N, C, H, W] -> [N, C/c, H, W, c].
mlir::RankedTensorType blockedAlong(mlir::RankedTensorType type, int64_t dim, int64_t lanes);
/// True for types whose only block is `lanes` elements of dimension `dim`.
bool isBlockedAlong(mlir::RankedTensorType type, int64_t dim, int64_t lanes);

/// The order in which emitConv reads the weights of a convolution, or of a transposed one.
mlir::RankedTensorType convWeightsType(mlir::RankedTensorType weights, lowering::ConvKind kind,
                                       bool isTransposed, int64_t lanes);
/// The order in which emitMatmul reads a packed B: [n/c][k][c], of B as [k, n] or, transposed, [n,
/// k].
mlir::RankedTensorType packedMatrixType(mlir::RankedTensorType matrix, bool isTransposed,
                                        int64_t lanes);

/// Groups of a conv or conv_transpose.
int64_t groupsOf(mlir::Operation* conv);

/// Why the geometry of a convolution (conv or conv_transpose) is none for lowering::ConvShape: "has
/// no elements".
std::optional<std::string> whyNoConvShape(mlir::Operation* op);

/// The geometry of a convolution (conv or conv_transpose) of static f32 tensors; nothing
/// for others.
std::optional<lowering::ConvShape> convShapeOf(mlir::Operation* op);

/// The same for max_pool (without indices) and average_pool in one or two dimensions, as the shape
/// of a depthwise convolution, and what its windows give.
struct PoolGeometry {
  lowering::ConvShape shape;
  lowering::Pool pool;
};
std::optional<PoolGeometry> poolGeometryOf(mlir::Operation* op);

/// True for a convolution of static f32 tensors that looks at one position for each result.
bool isPointwise(ir::ConvOp op);

}  // namespace tessera::backend_native
