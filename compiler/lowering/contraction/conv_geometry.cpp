#include "compiler/lowering/contraction/conv_geometry.h"

#include <numeric>

#include "compiler/lowering/contraction/tile.h"

namespace tessera::lowering {

using namespace mlir;

Band bandOf(IndexBuilder& b, const ConvShape& shape, Index outBlock, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  const Index firstOut = outBlock * lanes;
  const Index lastOut = smaller(firstOut + (lanes - 1), shape.outChannels - 1);
  const Index first = floorDiv(floorDiv(firstOut, out) * in, lanes);
  const Index end = ceilDiv((floorDiv(lastOut, out) + 1) * in, lanes);
  return {.first = first, .count = end - first};
}

// Of each block of output channels.
static SmallVector<int64_t> bandBlocks(const ConvShape& shape, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  SmallVector<int64_t> counts;
  for (int64_t begin = 0; begin < shape.outChannels; begin += lanes) {
    const int64_t last = std::min(begin + lanes, shape.outChannels) - 1;
    counts.push_back(llvm::divideCeilSigned((last / out + 1) * in, lanes) -
                     begin / out * in / lanes);
  }
  return counts;
}

int64_t mostBandBlocks(const ConvShape& shape, int64_t lanes) {
  return *llvm::max_element(bandBlocks(shape, lanes));
}

double meanBandBlocks(const ConvShape& shape, int64_t lanes) {
  const SmallVector<int64_t> counts = bandBlocks(shape, lanes);
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0})) /
         static_cast<double>(counts.size());
}

Index firstShuffledBlock(IndexBuilder& b, const ConvShape& shape, Index outBlock, Index number,
                         int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  return floorDiv(floorDiv(outBlock * lanes, out) * in + number, lanes);
}

int64_t mostShuffledBlocks(const ConvShape& shape, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  int64_t most = 0;
  for (int64_t begin = 0; begin < shape.outChannels; begin += lanes) {
    const int64_t first = begin / out, last = std::min(begin + lanes, shape.outChannels) - 1;
    for (int64_t number = 0; number < in; ++number)
      most = std::max(most, (last / out * in + number) / lanes - (first * in + number) / lanes + 1);
  }
  return most;
}

bool ConvAxis::isInside() const {
  if (isTransposed) return isTrivial();
  return padBegin == 0 && reach(out) <= in;
}

std::array<ConvAxis, 3> spatialAxesOf(const ConvShape& s) {
  return {{{.in = s.inDepth,
            .out = s.outDepth(),
            .kernel = s.kernelDepth,
            .stride = s.strideDepth,
            .dilation = s.dilationDepth,
            .padBegin = s.padFront,
            .padEnd = s.padBack,
            .isTransposed = s.isTransposed},
           {.in = s.inHeight,
            .out = s.outHeight(),
            .kernel = s.kernelHeight,
            .stride = s.strideHeight,
            .dilation = s.dilationHeight,
            .padBegin = s.padTop,
            .padEnd = s.padBottom,
            .isTransposed = s.isTransposed},
           {.in = s.inWidth,
            .out = s.outWidth(),
            .kernel = s.kernelWidth,
            .stride = s.strideWidth,
            .dilation = s.dilationWidth,
            .padBegin = s.padLeft,
            .padEnd = s.padRight,
            .isTransposed = s.isTransposed}}};
}

std::array<ConvAxis, 3> axesOf(const ConvShape& shape) {
  std::array<ConvAxis, 3> axes = spatialAxesOf(shape);
  // What is read and written is the same; tiles run along the last axis.
  for (int i = 0; i < 2 && axes[2].isTrivial(); ++i)
    std::rotate(axes.begin(), axes.begin() + 2, axes.end());
  return axes;
}

bool isWithoutWindow(const ConvShape& shape) {
  const auto isIdentity = [](const ConvAxis& axis) { return axis.isIdentity(); };
  return llvm::all_of(axesOf(shape), isIdentity) && llvm::all_of(shape.outer, isIdentity);
}

std::array<ConvAxis, 3> tiledAxesOf(const ConvShape& shape) {
  const std::array<ConvAxis, 3> axes = axesOf(shape);
  if (!isWithoutWindow(shape)) return axes;
  const int64_t pixels = shape.productOfOuter(&ConvAxis::in) * axes[0].in * axes[1].in * axes[2].in;
  return {ConvAxis{}, ConvAxis{}, ConvAxis{.in = pixels, .out = pixels}};
}

namespace {

/// Of a transposed convolution: kernel element k adds input i to the output at position p, counted
/// with padBegin, where i * stride + k * dilation = p. With both steps divided by their greatest
/// common divisor, there are taps where that divides p: they are every step-th kernel element.
struct TransposedSteps {
  int64_t divisor, step, dilation;  ///< Step and dilation have no common divisor any more.
  int64_t inverse;                  ///< dilation * inverse is 1 more than a multiple of step.

  explicit TransposedSteps(const ConvAxis& axis)
      : divisor(std::gcd(axis.stride, axis.dilation)),
        step(axis.stride / divisor),
        dilation(axis.dilation / divisor),
        inverse(0) {
    while (step > 1 && dilation * inverse % step != 1) ++inverse;
  }
};

}  // namespace

static TapRange transposedTaps(IndexBuilder& b, const ConvAxis& axis, Value output) {
  const TransposedSteps steps(axis);
  const Index position = b.term(output) + axis.padBegin, zero = b.term(0);
  const Index scaled = floorDiv(position, steps.divisor);
  TapRange taps = {.first = scaled,
                   .kernelFirst = {},
                   .begin = {},
                   .end = {},
                   .step = -steps.dilation,
                   .kernelStep = steps.step,
                   .count = llvm::divideCeilSigned(axis.kernel, steps.step)};
  Index count = b.term(taps.count);
  if (steps.step > 1) {
    const Index kernelFirst = scaled * steps.inverse % steps.step;
    taps.kernelFirst = kernelFirst;
    taps.first = floorDiv(scaled - kernelFirst * steps.dilation, steps.step);
    count = ceilDiv(b.term(axis.kernel) - kernelFirst, steps.step);
  }
  const Index first = b.term(taps.first);
  taps.begin = ceilDiv(larger(first - (axis.in - 1), zero), steps.dilation);
  const Index end = smaller(floorDiv(first, steps.dilation) + 1, count);
  const bool haveAll = steps.divisor == 1;
  taps.end = haveAll ? end : select(position % steps.divisor == zero, end, zero);
  return taps;
}

TapRange tapsAt(IndexBuilder& b, const ConvAxis& axis, Value output) {
  if (axis.isTransposed && !axis.isTrivial()) return transposedTaps(b, axis, output);
  const Index first = b.term(output) * axis.stride - axis.padBegin;
  TapRange taps = {.first = first,
                   .kernelFirst = {},
                   .begin = {},
                   .end = {},
                   .step = axis.dilation,
                   .kernelStep = 1,
                   .count = axis.kernel};
  if (axis.isInside()) return taps;
  const Index zero = b.term(0), dilation = b.term(axis.dilation);
  taps.begin = b.ceilDivUnsigned(larger(zero - first, zero), dilation);
  const Index below = larger(b.term(axis.in) - first, zero);
  taps.end = smaller(b.ceilDivUnsigned(below, dilation), axis.kernel);
  return taps;
}

std::vector<ConvPhase> phasesOf(const ConvAxis& axis) {
  if (!axis.isTransposed) {
    return {{.count = axis.out,
             .inFirst = -axis.padBegin,
             .inStep = axis.stride,
             .tapStep = axis.dilation,
             .in = axis.in,
             .taps = axis.kernel}};
  }
  // Output o is stride * q + r - padBegin: a phase has one r, its elements consecutive q.
  const TransposedSteps steps(axis);
  std::vector<ConvPhase> phases;
  for (int64_t r = 0; r < axis.stride; ++r) {
    const int64_t first = llvm::divideCeilSigned(axis.padBegin - r, axis.stride);
    const int64_t last = llvm::divideFloorSigned(axis.out - 1 + axis.padBegin - r, axis.stride);
    if (last < first) continue;
    const int64_t scaled = r / steps.divisor, kernelFirst = scaled * steps.inverse % steps.step;
    const bool hasTaps = r % steps.divisor == 0 && kernelFirst < axis.kernel;
    phases.push_back(
        {.count = last - first + 1,
         .outFirst = first * axis.stride + r - axis.padBegin,
         .outStep = axis.stride,
         .inFirst = first + (scaled - kernelFirst * steps.dilation) / steps.step,
         .inStep = 1,
         .tapStep = -steps.dilation,
         .in = axis.in,
         .taps = hasTaps ? llvm::divideCeilSigned(axis.kernel - kernelFirst, steps.step) : 0,
         .kernelFirst = kernelFirst,
         .kernelStep = steps.step});
  }
  return phases;
}

// Runs of taps that the same elements of a tile have inside; empty when all have all.
static SmallVector<StepRun> stepsOf(const ConvPhase& phase, int64_t begin, int64_t size) {
  SmallVector<StepRun> steps;
  bool areWhole = true;
  for (int64_t t = 0; t < phase.taps; ++t) {
    StepRun step = {.begin = t, .end = t + 1};
    for (int64_t i = 0; i < size; ++i) step.rows.push_back(phase.isInside(begin + i, t));
    const bool hasAll = llvm::all_of(step.rows, [](bool takesPart) { return takesPart; });
    areWhole &= hasAll;
    if (llvm::none_of(step.rows, [](bool takesPart) { return takesPart; })) continue;
    const bool isSame = !steps.empty() && steps.back().end == t && steps.back().rows == step.rows;
    if (isSame)
      steps.back().end = t + 1;
    else
      steps.push_back(std::move(step));
  }
  if (areWhole) return {};
  // No tap at all: one step without rows.
  if (steps.empty())
    steps.push_back({.begin = 0, .end = 1, .rows = SmallVector<bool>(size, false)});
  return steps;
}

std::vector<TileRun> cutTiles(const std::vector<ConvPhase>& phases, int64_t most) {
  std::vector<TileRun> runs;
  int64_t number = 0;
  for (size_t p = 0; p < phases.size(); ++p) {
    const EvenSplit split = splitEvenly(phases[p].count, most);
    int64_t begin = 0;
    for (int64_t tile = 0; tile < split.count(); ++tile) {
      const int64_t size = tile < split.numLarge ? split.large : split.large - 1;
      TileRun run = {.first = number,
                     .last = number + 1,
                     .begin = begin,
                     .size = size,
                     .steps = stepsOf(phases[p], begin, size),
                     .phase = static_cast<int64_t>(p)};
      const bool isSame = !runs.empty() && runs.back().phase == run.phase && run.steps.empty() &&
                          runs.back().steps.empty() && runs.back().size == size;
      if (isSame)
        runs.back().last = number + 1;
      else
        runs.push_back(std::move(run));
      begin += size;
      ++number;
    }
  }
  return runs;
}

// Result o has kernel element o + padBegin - i * stride of input i, and `inFirst` is the last input
// that the last phase of u = 0 has an element for.
InterleavedTaps interleavedTaps(int64_t kernel, int64_t stride, int64_t padBegin) {
  InterleavedTaps taps;
  taps.inFirst = llvm::divideFloorSigned(padBegin + stride - 1, stride);
  taps.first = padBegin - taps.inFirst * stride;
  taps.count = (kernel - 1 - taps.first) / stride + 1;
  return taps;
}

SmallVector<StepRun> stepsOfPhases(int64_t channels, int64_t phases, int64_t taps,
                                   function_ref<bool(int64_t, int64_t)> hasTap) {
  SmallVector<StepRun> steps;
  bool haveAll = true;
  for (int64_t tap = 0; tap < taps; ++tap) {
    StepRun& step = steps.emplace_back(StepRun{.begin = tap, .end = tap + 1});
    for (int64_t row = 0; row < channels * phases; ++row) {
      step.rows.push_back(hasTap(row % phases, tap));
      haveAll &= step.rows.back();
    }
  }
  return haveAll ? SmallVector<StepRun>{} : steps;
}

}  // namespace tessera::lowering
