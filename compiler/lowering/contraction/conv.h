// Convolutions, of activations whose channels lie in blocks and of row-major ones.
#pragma once

#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/contraction/tuning.h"
#include "compiler/lowering/contraction/window_reach.h"
#include "compiler/lowering/object/llvm_target.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera::lowering {

/// One spatial dimension.
struct ConvAxis {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, padBegin = 0, padEnd = 0;
  bool isTransposed = false;

  /// One input, one output, made of it.
  bool isTrivial() const { return in == 1 && out == 1 && kernel == 1 && padBegin == 0; }
  /// Output element i is input element i.
  bool isIdentity() const { return kernel == 1 && stride == 1 && padBegin == 0 && out == in; }
  /// Whether all taps of all outputs lie inside the input.
  bool isInside() const;
  /// What `count` neighbouring windows reach over.
  int64_t reach(int64_t count = 1) const { return windowReach(kernel, dilation, stride, count); }
};

/// The product of what `axes` have for `member`.
inline int64_t productOf(llvm::ArrayRef<ConvAxis> axes, int64_t ConvAxis::* member) {
  int64_t product = 1;
  for (const ConvAxis& axis : axes) product *= axis.*member;
  return product;
}

/// A convolution over three spatial dimensions (fewer: the first ones have extents of 1) and what
/// there is in front of them. Channels are logical; c is the CPU's vectorLanes.
struct ConvShape {
  int64_t batch = 1;  ///< mlir::ShapedType::kDynamic: read from the input.
  int64_t groups = 1;
  int64_t inChannels = 1, outChannels = 1;
  int64_t inDepth = 1, inHeight = 1, inWidth = 1;
  int64_t kernelDepth = 1, kernelHeight = 1, kernelWidth = 1;
  int64_t strideDepth = 1, strideHeight = 1, strideWidth = 1;
  int64_t dilationDepth = 1, dilationHeight = 1, dilationWidth = 1;
  int64_t padFront = 0, padTop = 0, padLeft = 0, padBack = 0, padBottom = 0, padRight = 0;
  /// A transposed one (ONNX ConvTranspose): strides are the output's, pads what is cut off of it;
  /// those at the end may be negative, where output_padding adds to it.
  bool isTransposed = false;
  /// Spatial dimensions in front of the depth, outermost first.
  llvm::SmallVector<ConvAxis, 0> outer = {};

  int64_t outDepth() const {
    return outExtent(inDepth, padFront + padBack, kernelDepth, strideDepth, dilationDepth);
  }
  int64_t outHeight() const {
    return outExtent(inHeight, padTop + padBottom, kernelHeight, strideHeight, dilationHeight);
  }
  int64_t outWidth() const {
    return outExtent(inWidth, padLeft + padRight, kernelWidth, strideWidth, dilationWidth);
  }
  int64_t kernelSize() const {
    return productOfOuter(&ConvAxis::kernel) * kernelDepth * kernelHeight * kernelWidth;
  }
  /// The product of what the dimensions in front have for `member`.
  int64_t productOfOuter(int64_t ConvAxis::* member) const { return productOf(outer, member); }

 private:
  int64_t outExtent(int64_t in, int64_t padding, int64_t kernel, int64_t stride,
                    int64_t dilation) const {
    if (isTransposed) return windowReach(kernel, dilation, stride, in) - padding;
    return (in + padding - windowReach(kernel, dilation)) / stride + 1;
  }
};

/// How the operands lie in memory; the output is blocked but for kRowMajor.
enum class ConvKind : uint8_t {
  kBlocked,  ///< [N, IC/c, ..., D, H, W, c]; groups > 1 need channels per group, in and out, that are
             ///< multiples of c.
  kBanded,    ///< The same for groups that are no whole blocks: each block of output channels reads
              ///< the blocks in which the inputs of its groups lie.
  kShuffled,  ///< As kBanded: each vector of results is multiplied with one of inputs for each
              ///< channel of a group, whose lanes are shuffled to those of the results.
  kPlainInput,  ///< [N, IC, D, H, W] with few channels, the first layer of a network; groups == 1.
  kDepthwise,   ///< [N, C/c, D, H, W, c] with groups == inChannels == outChannels.
  kRowMajor,    ///< [N, IC, D, H, W] to [N, OC, D, H, W]; canBeRowMajor (row_major_conv.h).
};

/// The emitter for a convolution whose input is blocked (or plain, as in `isPlainInput`); none when
/// no emitter fits.
std::optional<ConvKind> convKindFor(const ConvShape& shape, bool isPlainInput, int64_t lanes);

/// Whether a convolution of this kind reads weights that emitPreparedWeights made.
bool readsPreparedWeights(ConvKind kind);

/// Elements of those.
int64_t preparedWeightsSize(const ConvShape& shape, ConvKind kind, int64_t lanes);

/// Emits target (flat) = those weights from `weights`, flat, which are in ONNX's order.
void emitPreparedWeights(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                         ConvKind kind, mlir::Value weights, mlir::Value target, int64_t lanes);

/// f32 memrefs with identity layout. Channel counts are rounded up to multiples of c: padded input
/// channels must hold finite values, padded output channels are written (0 before the epilogue).
///   weights  kBlocked [OC/c][IC/c][KD][KH][KW][c in][c out] for each group, kBanded and kShuffled
///            as emitPreparedWeights makes them, kPlainInput [OC/c][IC][KD][KH][KW][c out],
///            kDepthwise [C/c][KD][KH][KW][c]; missing channels are 0;
///            kRowMajor in ONNX's order
///   bias     [OC rounded up], or null; of kRowMajor null
///   output   [N, OC/c, OD, OH, OW, c], or row-major; may be a residual operand that the epilogue
///            reads at the same place, not the input
struct ConvOperands {
  mlir::Value input, weights, bias, output;
};

/// Emits output = epilogue(conv(input, weights) + bias) at `b`, parallel over images, rows and
/// channel blocks. To epilogues a row-major result is a matrix whose rows are the channels of all
/// images.
void emitConv(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape, ConvKind kind,
              const ConvOperands& operands, const CpuTarget& cpu,
              const Epilogue& epilogue = nullptr, const ContractionTuning& tuning = {});

/// Steps of the reduction that emitConv may go through in blocks (ContractionTuning::reduce); 0: it
/// does not.
int64_t blockableReduction(const ConvShape& shape, ConvKind kind, const CpuTarget& cpu);

/// Whether emitConvOfPrologue computes a convolution of kind kBlocked.
bool canHavePrologue(const ConvShape& shape);
/// Whether it is expected to be faster than emitConv behind a pass over memory that makes its
/// inputs.
bool isForPrologue(const ConvShape& shape, const CpuTarget& cpu);

/// The same of inputs that are computed where they are read: what is in front of the convolution is
/// no pass of its own. `operands.input` is not read and may be null.
void emitConvOfPrologue(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                        const ConvOperands& operands, const CpuTarget& cpu,
                        const Prologue& prologue, const Epilogue& epilogue,
                        const ContractionTuning& tuning = {});

}  // namespace tessera::lowering
