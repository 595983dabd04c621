// Convolutions, transposed ones too, of row-major images whose spatial sizes are known at run time
// only.
#pragma once

#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/open/open_axis.h"

namespace tessera::lowering {

struct OpenConvShape {
  int64_t groups = 1, inChannels = 1, outChannels = 1;
  bool isTransposed = false;
  llvm::SmallVector<OpenAxis, 3> axes = {};  ///< One to three, outermost first.
};

/// Why emitOpenConv does not compute a convolution, whose sizes are not looked at: "has more than
/// three spatial dimensions of open sizes". Nothing where it does.
std::optional<llvm::StringRef> whyNoOpenConv(const OpenConvShape& shape);

/// Emits output = epilogue(conv(input, weights)) at `b`, parallel over images, groups, blocks of
/// positions and, with many weights, of channels: [N, IC, spatial...] to [N, OC, spatial...] of any
/// sizes, weights in ONNX's order. To epilogues the result is a matrix whose rows are the channels
/// of all images; it may be a residual operand that they read at the same place.
void emitOpenConv(mlir::OpBuilder& b, mlir::Location loc, const OpenConvShape& shape,
                  const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue);

}  // namespace tessera::lowering
