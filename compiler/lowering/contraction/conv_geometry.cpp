#include "compiler/lowering/contraction/conv_geometry.h"

#include "compiler/lowering/contraction/tile.h"

namespace tessera::lowering {

using namespace mlir;

static int64_t ceilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
static int64_t floorDiv(int64_t a, int64_t b) { return -ceilDiv(-a, b); }

Band bandOf(IndexBuilder& b, const ConvShape& shape, Index outBlock, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  const Index firstOut = outBlock * lanes;
  const Index lastOut = smaller(firstOut + (lanes - 1), shape.outChannels - 1);
  const Index first = floorDiv(floorDiv(firstOut, out) * in, lanes);
  const Index end = ceilDiv((floorDiv(lastOut, out) + 1) * in, lanes);
  return {.first = first, .count = end - first};
}

int64_t mostBandBlocks(const ConvShape& shape, int64_t lanes) {
  const int64_t in = shape.inChannels / shape.groups, out = shape.outChannels / shape.groups;
  int64_t most = 0;
  for (int64_t block = 0; block * lanes < shape.outChannels; ++block) {
    const int64_t last = std::min((block + 1) * lanes, shape.outChannels) - 1;
    const int64_t first = block * lanes / out * in / lanes;
    most = std::max(most, ceilDiv((last / out + 1) * in, lanes) - first);
  }
  return most;
}

bool ConvAxis::isInside() const {
  if (isTransposed) return isTrivial();
  return padBegin == 0 && (out - 1) * stride + (kernel - 1) * dilation < in;
}

std::array<ConvAxis, 3> axesOf(const ConvShape& s) {
  std::array<ConvAxis, 3> axes = {{{.in = s.inDepth,
                                    .out = s.outDepth(),
                                    .kernel = s.kernelDepth,
                                    .stride = s.strideDepth,
                                    .dilation = s.dilationDepth,
                                    .padBegin = s.padFront,
                                    .isTransposed = s.isTransposed},
                                   {.in = s.inHeight,
                                    .out = s.outHeight(),
                                    .kernel = s.kernelHeight,
                                    .stride = s.strideHeight,
                                    .dilation = s.dilationHeight,
                                    .padBegin = s.padTop,
                                    .isTransposed = s.isTransposed},
                                   {.in = s.inWidth,
                                    .out = s.outWidth(),
                                    .kernel = s.kernelWidth,
                                    .stride = s.strideWidth,
                                    .dilation = s.dilationWidth,
                                    .padBegin = s.padLeft,
                                    .isTransposed = s.isTransposed}}};
  // What is read and written is the same; tiles run along the last axis.
  for (int i = 0; i < 2 && axes[2].isTrivial(); ++i)
    std::rotate(axes.begin(), axes.begin() + 2, axes.end());
  return axes;
}

std::array<ConvAxis, 3> tiledAxesOf(const ConvShape& shape) {
  const std::array<ConvAxis, 3> axes = axesOf(shape);
  if (!llvm::all_of(axes, [](const ConvAxis& axis) { return axis.isIdentity(); })) return axes;
  const int64_t pixels = axes[0].in * axes[1].in * axes[2].in;
  return {ConvAxis{}, ConvAxis{}, ConvAxis{.in = pixels, .out = pixels}};
}

static TapRange transposedTaps(IndexBuilder& b, const ConvAxis& axis, Value output) {
  const Index position = b.term(output) + axis.padBegin;
  const Index first = floorDiv(position, axis.stride);
  TapRange taps = {.first = first, .kernelFirst = {}, .begin = {}, .end = {}};
  const Index zero = b.term(0);
  if (axis.stride == 1) {
    taps.step = -axis.dilation;
    taps.count = axis.kernel;
    const Index above = larger(first - (axis.in - 1), zero);
    taps.begin = ceilDiv(above, axis.dilation);
    taps.end = smaller(floorDiv(first, axis.dilation) + 1, axis.kernel);
  } else {
    const Index phase = position % b.index(axis.stride);
    taps.step = -1;
    taps.kernelFirst = phase;
    taps.kernelStep = axis.stride;
    taps.count = ceilDiv(axis.kernel, axis.stride);
    const Index count = ceilDiv(b.term(axis.kernel) - phase, axis.stride);
    taps.begin = larger(first - (axis.in - 1), zero);
    taps.end = smaller(first + 1, count);
  }
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
  std::vector<ConvPhase> phases;
  for (int64_t r = 0; r < axis.stride; ++r) {
    const int64_t first = ceilDiv(axis.padBegin - r, axis.stride);
    const int64_t last = floorDiv(axis.out - 1 + axis.padBegin - r, axis.stride);
    if (last < first) continue;
    phases.push_back({.count = last - first + 1,
                      .outFirst = first * axis.stride + r - axis.padBegin,
                      .outStep = axis.stride,
                      .inFirst = first,
                      .inStep = 1,
                      .tapStep = axis.stride == 1 ? -axis.dilation : -1,
                      .in = axis.in,
                      .taps = std::max<int64_t>(ceilDiv(axis.kernel - r, axis.stride), 0),
                      .kernelFirst = r,
                      .kernelStep = axis.stride});
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

}  // namespace tessera::lowering
