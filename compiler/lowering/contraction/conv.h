// Convolutions on channel-blocked activations.
#pragma once

#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/contraction/tuning.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

/// A 2-D convolution (1-D: heights of 1). Channels are logical; c is the CPU's vectorLanes.
struct ConvShape {
  int64_t batch = 1;  ///< mlir::ShapedType::kDynamic: read from the input.
  int64_t groups = 1;
  int64_t inChannels = 1, outChannels = 1;
  int64_t inHeight = 1, inWidth = 1;
  int64_t kernelHeight = 1, kernelWidth = 1;
  int64_t strideHeight = 1, strideWidth = 1;
  int64_t dilationHeight = 1, dilationWidth = 1;
  int64_t padTop = 0, padLeft = 0, padBottom = 0, padRight = 0;

  int64_t outHeight() const {
    return outExtent(inHeight, padTop + padBottom, kernelHeight, strideHeight, dilationHeight);
  }
  int64_t outWidth() const {
    return outExtent(inWidth, padLeft + padRight, kernelWidth, strideWidth, dilationWidth);
  }

 private:
  static int64_t outExtent(int64_t in, int64_t padding, int64_t kernel, int64_t stride,
                           int64_t dilation) {
    return (in + padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

/// How the input lies in memory; the output is always blocked.
enum class ConvKind : uint8_t {
  kBlocked,     ///< [N, IC/c, H, W, c]; groups > 1 need channels per group, in and out, that are
                ///< multiples of c.
  kPlainInput,  ///< [N, IC, H, W] with few channels, the first layer of a network; groups == 1.
  kDepthwise,   ///< [N, C/c, H, W, c] with groups == inChannels == outChannels.
};

/// The emitter for a convolution whose input is blocked (or plain, as in `isPlainInput`); none when
/// no emitter fits.
std::optional<ConvKind> convKindFor(const ConvShape& shape, bool isPlainInput, int64_t lanes);

/// f32 memrefs with identity layout. Channel counts are rounded up to multiples of c: padded input
/// channels must hold finite values, padded output channels are written (0 before the epilogue).
///   weights  kBlocked [OC/c][IC/c][KH][KW][c in][c out] for each group, kPlainInput
///            [OC/c][IC][KH][KW][c out], kDepthwise [C/c][KH][KW][c]; missing channels are 0
///   bias     [OC rounded up], or null
///   output   [N, OC/c, OH, OW, c]; may be a residual operand that the epilogue reads at the same
///   place, not the input
struct ConvOperands {
  mlir::Value input, weights, bias, output;
};

/// Emits output = epilogue(conv(input, weights) + bias) at `b`, parallel over images, rows and
/// channel blocks.
void emitConv(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape, ConvKind kind,
              const ConvOperands& operands, const CpuTarget& cpu,
              const Epilogue& epilogue = nullptr, const ContractionTuning& tuning = {});

}  // namespace tessera::lowering
