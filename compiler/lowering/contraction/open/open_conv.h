// Convolutions, transposed ones too, of row-major images whose spatial sizes are known at run time
// only.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// One spatial dimension; sizes are index values. Of a transposed convolution the stride is the
/// output's and the padding what is cut off at its beginning, which is constant then.
struct OpenAxis {
  int64_t kernel = 1, stride = 1, dilation = 1;
  bool isIdentity = false;  ///< Output element i is input element i.
  mlir::Value in = {}, out = {}, padBegin = {};
};

struct OpenConvShape {
  int64_t groups = 1, inChannels = 1, outChannels = 1;
  bool isTransposed = false;
  llvm::SmallVector<OpenAxis, 3> axes = {};  ///< One to three, outermost first.
};

/// Whether emitOpenConv computes a convolution of these axes, whose sizes are not looked at.
bool canBeOpenConv(llvm::ArrayRef<OpenAxis> axes, bool isTransposed);

/// Emits output = epilogue(conv(input, weights)) at `b`, parallel over images, groups and blocks of
/// positions: [N, IC, spatial...] to [N, OC, spatial...] of any sizes, weights in ONNX's order. To
/// epilogues the result is a matrix whose rows are the channels of all images; it may be a residual
/// operand that they read at the same place.
void emitOpenConv(mlir::OpBuilder& b, mlir::Location loc, const OpenConvShape& shape,
                  const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue);

}  // namespace tessera::lowering
