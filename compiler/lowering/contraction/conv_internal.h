// Shared by the convolution emitters; not for other folders.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// One channel (block) of the input as tiles see it, with borders where the convolution reads past
/// the image.
struct PaddedPlane {
  bool isCopy = false;  ///< Whether a bordered copy is needed.
  int64_t height = 0, width = 0;
  int64_t pixelStride = 1;  ///< Elements of one pixel: c, or 1 for a plain input.
  int64_t numPlanes = 1;    ///< Channels or channel blocks of an image.

  int64_t rowStride() const { return width * pixelStride; }
  int64_t planeStride() const { return height * rowStride(); }
};

/// The input as it is, and with the borders of a 2-D convolution.
PaddedPlane unpaddedPlane(const ConvShape& shape, ConvKind kind, int64_t lanes);
PaddedPlane paddedPlane(const ConvShape& shape, ConvKind kind, int64_t lanes);

/// Number of images.
mlir::OpFoldResult batchSize(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                             mlir::Value input);

/// `input`, or a copy of it with zero borders as `plane` describes, made in parallel.
mlir::Value emitPaddedInput(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                            const PaddedPlane& plane, mlir::Value input);

void emitDepthwiseConv(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                       const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                       const ContractionTuning& tuning);

void emitShuffledConv(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                      const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                      const ContractionTuning& tuning);

void emitRowMajorConv(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                      const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                      const ContractionTuning& tuning);

}  // namespace tessera::lowering
