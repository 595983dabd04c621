#include "backends/onednn/runtime/loop.h"

#include <algorithm>
#include <cmath>

namespace tessera::backend_onednn {

using Function = Loop::Function;

/// Comparisons with NaN are false: what is kept then is NaN.
template <Function function>
static float valueOf(const Loop& loop, float a, float b) {
  if constexpr (function == Function::kRelu) return a < 0 ? 0 : a;
  if constexpr (function == Function::kHardSigmoid) a = loop.alpha * a + loop.beta;
  if constexpr (function == Function::kClip || function == Function::kHardSigmoid) {
    constexpr bool isClip = function == Function::kClip;
    const float least = isClip ? loop.alpha : 0, most = isClip ? loop.beta : 1;
    a = a < least ? least : a;
    return a > most ? most : a;
  }
  if constexpr (function == Function::kMax) return a < b || std::isnan(b) ? b : a;
  if constexpr (function == Function::kMin) return b < a || std::isnan(b) ? b : a;
  return std::isnan(a) ? a : b;
}

namespace {

struct Run {
  const Loop& loop;
  const float* a;
  const float* b;
  float* y;
  int64_t blocksPerRow;
};

}  // namespace

/// Numbers of one row that are one piece of work.
static constexpr int64_t kBlock = 8192;

template <Function function>
static void runBlocks(void* context, int64_t begin, int64_t end) {
  const Run& run = *static_cast<const Run*>(context);
  const Loop& loop = run.loop;
  constexpr bool isBinary =
      function == Function::kMax || function == Function::kMin || function == Function::kKeepNan;
  for (int64_t block = begin; block < end; ++block) {
    const int64_t row = block / run.blocksPerRow, first = block % run.blocksPerRow * kBlock;
    const int64_t last = std::min(first + kBlock, loop.columns), start = row * loop.columns;
    const float* a = run.a + start;
    float* y = run.y + start;
    const float* b = nullptr;
    if constexpr (isBinary)
      b = run.b + (loop.offsetB.empty() ? start : loop.offsetB[static_cast<size_t>(row)]);
    if (isBinary && loop.strideB == 1) {
      for (int64_t i = first; i < last; ++i) y[i] = valueOf<function>(loop, a[i], b[i]);
    } else {
      const float fixed = isBinary ? *b : 0;
      for (int64_t i = first; i < last; ++i) y[i] = valueOf<function>(loop, a[i], fixed);
    }
  }
}

void Loop::run(const tessera_host_services& services, const float* a, const float* b,
               float* y) const {
  static constexpr void (*kBodies[])(void*, int64_t, int64_t) = {
      runBlocks<Function::kRelu>, runBlocks<Function::kClip>, runBlocks<Function::kHardSigmoid>,
      runBlocks<Function::kMax>,  runBlocks<Function::kMin>,  runBlocks<Function::kKeepNan>};
  Run run{.loop = *this, .a = a, .b = b, .y = y, .blocksPerRow = (columns + kBlock - 1) / kBlock};
  // Its body reports no errors.
  (void)services.parallel_for(services.host, rows * run.blocksPerRow,
                              kBodies[static_cast<size_t>(function)], &run);
}

std::optional<Loop> loopOf(const region_graph::OperatorT& op) {
  Loop loop{.function = Function::kRelu};
  if (const auto* scalars = op.attributes.AsScalars()) {
    loop.alpha = scalars->alpha;
    loop.beta = scalars->beta;
  }
  if (op.name == "clip")
    loop.function = Function::kClip;
  else if (op.name == "hard_sigmoid")
    loop.function = Function::kHardSigmoid;
  else if (op.name == "max")
    loop.function = Function::kMax;
  else if (op.name == "min")
    loop.function = Function::kMin;
  else if (op.name == "exp")
    loop.function = Function::kKeepNan;
  else if (op.name != "relu")
    return std::nullopt;
  return loop;
}

}  // namespace tessera::backend_onednn
