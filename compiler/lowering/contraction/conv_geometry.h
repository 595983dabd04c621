// What taps of a convolution's window lie inside the image, along each spatial dimension. Not for
// other folders.
#pragma once

#include <array>
#include <vector>

#include "compiler/lowering/contraction/brgemm.h"
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// Depth, height, width.
std::array<ConvAxis, 3> spatialAxesOf(const ConvShape& shape);
/// The same, the longest dimension last where the last ones are trivial.
std::array<ConvAxis, 3> axesOf(const ConvShape& shape);
/// Whether an output element is computed from the input element at its place.
bool isWithoutWindow(const ConvShape& shape);
/// The same as tiles see them: without window the image, all dimensions of it, is one long row.
std::array<ConvAxis, 3> tiledAxesOf(const ConvShape& shape);

/// Taps of one output element, known at run time: input element first + t * step for kernel element
/// kernelFirst + t * kernelStep, t of [begin, end). `begin` is null where all of [0, count) lie
/// inside.
struct TapRange {
  mlir::Value first, kernelFirst, begin, end;  ///< index; a null kernelFirst is 0.
  int64_t step = 1, kernelStep = 1, count = 1;
};
TapRange tapsAt(IndexBuilder& b, const ConvAxis& axis, mlir::Value output);

/// Neighbouring outputs of which all have the same kernel elements: element i of `count`, at
/// outFirst + i * outStep, is computed from inputs inFirst + i * inStep + t * tapStep with kernel
/// elements kernelFirst + t * kernelStep, t of [0, taps). A convolution is one such phase, a
/// transposed one has as many as its stride.
struct ConvPhase {
  int64_t count = 0;
  int64_t outFirst = 0, outStep = 1;
  int64_t inFirst = 0, inStep = 1, tapStep = 1, in = 1;
  int64_t taps = 0, kernelFirst = 0, kernelStep = 1;

  /// Whether tap `t` of element `i` lies inside.
  bool isInside(int64_t i, int64_t t) const {
    const int64_t at = inFirst + i * inStep + t * tapStep;
    return 0 <= at && at < in;
  }
};
std::vector<ConvPhase> phasesOf(const ConvAxis& axis);

/// Neighbours along a transposed convolution's dimension of steps s: phase p, of [0, s), of result
/// u * s + p is computed from inputs inFirst + u - t with kernel elements first + p + t * s, t of
/// [0, count), where both are there.
struct InterleavedTaps {
  int64_t inFirst = 0, first = 0, count = 1;
};
InterleavedTaps interleavedTaps(int64_t kernel, int64_t stride, int64_t padBegin);

/// Steps over `taps` of a tile whose rows are `phases` neighbours of each of `channels` channels;
/// empty where all neighbours have all taps.
llvm::SmallVector<StepRun> stepsOfPhases(
    int64_t channels, int64_t phases, int64_t taps,
    llvm::function_ref<bool(int64_t phase, int64_t tap)> hasTap);

/// Strides of weights in ONNX's order: [OC, IC per group, taps], of a transposed convolution
/// [IC, OC per group, taps].
struct WeightOrder {
  int64_t inPerGroup = 1, outPerGroup = 1, kernelSize = 1;
  bool isTransposed = false;

  int64_t outChannelStride() const { return (isTransposed ? 1 : inPerGroup) * kernelSize; }
  int64_t inChannelStride() const { return (isTransposed ? outPerGroup : 1) * kernelSize; }
  int64_t groupStride() const { return inPerGroup * outPerGroup * kernelSize; }
};
/// Of a ConvShape or an OpenConvShape.
template <typename Shape>
WeightOrder weightOrderOf(const Shape& shape, int64_t kernelSize) {
  return {.inPerGroup = shape.inChannels / shape.groups,
          .outPerGroup = shape.outChannels / shape.groups,
          .kernelSize = kernelSize,
          .isTransposed = shape.isTransposed};
}

/// Tiles [first, last) of a phase that are alike: `size` elements each, from element `begin` on.
struct TileRun {
  int64_t first = 0, last = 0, begin = 0, size = 1;
  /// Taps that only some elements of the tile have inside; empty: all have all.
  llvm::SmallVector<StepRun> steps = {};
  int64_t phase = 0;
};

/// Cuts the phases into tiles of at most `most` elements, as equal as can be, numbered through.
std::vector<TileRun> cutTiles(const std::vector<ConvPhase>& phases, int64_t most);

/// Blocks of input channels that a block of output channels reads where groups are no whole blocks:
/// [first, first + count).
struct Band {
  Index first, count;
};
Band bandOf(IndexBuilder& b, const ConvShape& shape, Index outBlock, int64_t lanes);
/// The most blocks of a band, and how many they are on average.
int64_t mostBandBlocks(const ConvShape& shape, int64_t lanes);
double meanBandBlocks(const ConvShape& shape, int64_t lanes);

/// Where groups are small: lane i of block `outBlock` of the results needs one channel after the
/// other of its group, number `number` of which lies in this block of inputs for lane 0, and for
/// the others there or in one of those behind it.
Index firstShuffledBlock(IndexBuilder& b, const ConvShape& shape, Index outBlock, Index number,
                         int64_t lanes);
/// The most blocks that the channels for the lanes of a block lie in, of any number.
int64_t mostShuffledBlocks(const ConvShape& shape, int64_t lanes);

}  // namespace tessera::lowering
