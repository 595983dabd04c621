#include "backends/onednn/runtime/loop.h"

#include <algorithm>
#include <cstring>

namespace tessera::backend_onednn {

using Function = Loop::Function;

/// What every x86-64 or ARM computes at once; without, compilers keep the branches.
using Lanes = float __attribute__((vector_size(16)));
static constexpr int64_t kLanes = sizeof(Lanes) / sizeof(float);

/// On one number or several. Comparisons with NaN are false: what is kept then is NaN.
template <Function function, typename T>
static T valueOf(T a, T b, float alpha, float beta) {
  const T zero = {};
  if constexpr (function == Function::kRelu) return a < zero ? zero : a;
  if constexpr (function == Function::kLeakyRelu) return a < zero ? alpha * a : a;
  if constexpr (function == Function::kNeg) return -a;
  if constexpr (function == Function::kHardSigmoid) a = alpha * a + beta;
  if constexpr (function == Function::kClip || function == Function::kHardSigmoid) {
    constexpr bool isClip = function == Function::kClip;
    const T least = zero + (isClip ? alpha : 0), most = zero + (isClip ? beta : 1);
    a = a < least ? least : a;
    return a > most ? most : a;
  }
  if constexpr (function == Function::kMax) return ((a < b) | (b != b)) ? b : a;
  if constexpr (function == Function::kMin) return ((b < a) | (b != b)) ? b : a;
  return a != a ? a : b;
}

/// For each of `count` numbers; b is at `b[i * strideB]`.
template <Function function, int64_t strideB>
static void runRow(const Loop& loop, const float* a, const float* b, float* y, int64_t count) {
  const float alpha = loop.alpha, beta = loop.beta, fixed = *b;  // Which y does not change.
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes x, other = Lanes{} + fixed;
    std::memcpy(&x, a + i, sizeof(x));
    if constexpr (strideB == 1) std::memcpy(&other, b + i, sizeof(other));
    const Lanes value = valueOf<function>(x, other, alpha, beta);
    std::memcpy(y + i, &value, sizeof(value));
  }
  for (; i < count; ++i) y[i] = valueOf<function>(a[i], strideB == 1 ? b[i] : fixed, alpha, beta);
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
    const float *a = run.a + start + first, *b = a;
    float* y = run.y + start + first;
    if constexpr (isBinary)
      b = run.b + (loop.offsetB.empty() ? start : loop.offsetB[static_cast<size_t>(row)]) +
          first * loop.strideB;
    if (!isBinary || loop.strideB == 1) {
      runRow<function, 1>(loop, a, b, y, last - first);
    } else {
      runRow<function, 0>(loop, a, b, y, last - first);
    }
  }
}

void Loop::run(const tessera_host_services& services, const float* a, const float* b,
               float* y) const {
  static constexpr void (*kBodies[])(void*, int64_t, int64_t) = {
      runBlocks<Function::kRelu>,        runBlocks<Function::kClip>,
      runBlocks<Function::kHardSigmoid>, runBlocks<Function::kLeakyRelu>,
      runBlocks<Function::kNeg>,         runBlocks<Function::kMax>,
      runBlocks<Function::kMin>,         runBlocks<Function::kKeepNan>};
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
  else if (op.name == "leaky_relu" && loop.alpha == 0)  // The library's relu.
    loop.function = Function::kLeakyRelu;
  else if (op.name == "neg")
    loop.function = Function::kNeg;
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
