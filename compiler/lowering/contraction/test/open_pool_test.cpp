// Pools whose spatial sizes are known at run time only against plain loops: one kernel, many sizes
// and pads, for both vector widths.
#include "compiler/lowering/contraction/open/open_pool.h"

#include <limits>
#include <ostream>

#include "compiler/lowering/contraction/test/open_fixture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::lowering {
namespace {

/// A spatial dimension.
struct PoolAxis {
  int64_t kernel = 1, stride = 1, dilation = 1, padBegin = 0, padEnd = 0;
  int64_t in = 1;
  bool isRoundedUp = false;  ///< A last window may begin inside and end past the padding.

  int64_t reach() const { return (kernel - 1) * dilation + 1; }
  int64_t out() const {
    const int64_t free = padBegin + in + padEnd - reach();
    if (free < 0) return 0;
    const bool hasPart = free % stride != 0 && (free / stride + 1) * stride < padBegin + in;
    return free / stride + 1 + (isRoundedUp && hasPart ? 1 : 0);
  }
};

/// Pools of one kernel: those that differ in sizes alone, or in pads, too.
struct PoolCase {
  Pool pool;
  std::vector<PoolAxis> axes;  ///< Outermost first.
  bool hasOpenPads = false;

  std::vector<OpenAxis> knownAxes() const {
    std::vector<OpenAxis> known;
    for (const PoolAxis& axis : axes)
      known.push_back({.kernel = axis.kernel, .stride = axis.stride, .dilation = axis.dilation});
    return known;
  }
};

std::ostream& operator<<(std::ostream& out, const PoolCase& pool) {
  out << (pool.pool.isMaximum ? "maximum" : "mean")
      << (pool.pool.countsPadding ? " with padding" : "")
      << (pool.hasOpenPads ? ", open pads" : "");
  for (const PoolAxis& axis : pool.axes)
    out << ", " << axis.in << ": kernel " << axis.kernel << " stride " << axis.stride
        << " dilation " << axis.dilation << " pads " << axis.padBegin << " " << axis.padEnd
        << (axis.isRoundedUp ? " rounded up" : "");
  return out;
}

int64_t sizeOf(const PoolCase& pool, int64_t (*size)(const PoolAxis&)) {
  int64_t product = 1;
  for (const PoolAxis& axis : pool.axes) product *= size(axis);
  return product;
}
int64_t inputsOf(const PoolCase& pool) {
  return sizeOf(pool, [](const PoolAxis& axis) { return axis.in; });
}
int64_t outputsOf(const PoolCase& pool) {
  return sizeOf(pool, [](const PoolAxis& axis) { return axis.out(); });
}

/// A window along a dimension: elements of the input, and how many a mean is over.
struct Window {
  std::vector<int64_t> elements;
  int64_t count = 0;
};

Window windowOf(const PoolAxis& axis, int64_t output, bool countsPadding) {
  Window window;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t at = output * axis.stride - axis.padBegin + tap * axis.dilation;
    const bool isInside = at >= 0 && at < axis.in;
    if (isInside) window.elements.push_back(at);
    if (isInside || (countsPadding && at < axis.in + axis.padEnd)) ++window.count;
  }
  return window;
}

/// Of all elements, the offsets, of a window over all dimensions.
Window windowOf(const PoolCase& pool, int64_t output) {
  Window window{.elements = {0}, .count = 1};
  int64_t stride = 1;
  for (auto axis = pool.axes.rbegin(); axis != pool.axes.rend(); ++axis) {
    const Window one = windowOf(*axis, output % axis->out(), pool.pool.countsPadding);
    std::vector<int64_t> elements;
    for (const int64_t outer : one.elements) {
      for (const int64_t inner : window.elements) elements.push_back(outer * stride + inner);
    }
    window = {.elements = std::move(elements), .count = window.count * one.count};
    output /= axis->out();
    stride *= axis->in;
  }
  return window;
}

double combined(const Pool& pool, const Window& window, const float* volume) {
  double sum = 0, greatest = -std::numeric_limits<double>::infinity();
  for (const int64_t at : window.elements) {
    if (pool.isMaximum && std::isnan(volume[at])) return NAN;
    sum += volume[at];
    greatest = std::max<double>(greatest, volume[at]);
  }
  return pool.isMaximum ? greatest : sum / static_cast<double>(std::max<int64_t>(window.count, 1));
}

std::vector<double> referencePool(const PoolCase& pool, const std::vector<float>& x,
                                  int64_t volumes) {
  const int64_t outputs = outputsOf(pool), inputs = inputsOf(pool);
  std::vector<double> y(volumes * outputs);
  for (int64_t output = 0; output < outputs; ++output) {
    const Window window = windowOf(pool, output);
    for (int64_t volume = 0; volume < volumes; ++volume)
      y[volume * outputs + output] = combined(pool.pool, window, x.data() + volume * inputs);
  }
  return y;
}

/// Some numbers that are not finite among others.
std::vector<float> valuesWithNan(size_t count, uint32_t seed) {
  constexpr float kOthers[] = {NAN, INFINITY, -INFINITY};
  std::vector<float> values = randomValues(count, seed);
  std::mt19937 generator(seed);
  for (float& value : values)
    if (const uint32_t chance = generator() % 64; chance < 3) value = kOthers[chance];
  return values;
}

class OpenPool : public OpenSizes {
 protected:
  static constexpr int64_t kImages = 2, kChannels = 2;

  std::unique_ptr<LoadedKernels> compilePool(const PoolCase& pool);
  // A kernel called with a pool that it was compiled for.
  void checkSize(const LoadedKernels& kernels, const PoolCase& pool);
  // Images of each of these [height, width].
  void check(PoolCase pool, const std::vector<std::array<int64_t, 2>>& sizes);

  bool hasNan_ = false;  // Some elements are not finite.
};

std::unique_ptr<LoadedKernels> OpenPool::compilePool(const PoolCase& pool) {
  const int64_t open = mlir::ShapedType::kDynamic;
  const auto rank = static_cast<int64_t>(pool.axes.size());
  llvm::SmallVector<int64_t> image = {open, kChannels};
  image.append(rank, open);
  // Pads of the run are sizes of an operand without elements.
  const mlir::MemRefType pads = f32(llvm::SmallVector<int64_t>(2 * rank, open));
  return compile(*buildOpen({f32(image), pads}, f32(image),
                            [&](mlir::OpBuilder& builder, mlir::ValueRange operands,
                                mlir::Value output, const Epilogue& epilogue) {
                              IndexBuilder b(builder.getUnknownLoc(), builder);
                              const auto padOf = [&](int64_t number, int64_t known) -> mlir::Value {
                                if (!pool.hasOpenPads) return b.index(known);
                                return b.create<mlir::memref::DimOp>(operands[1], number);
                              };
                              std::vector<OpenAxis> axes = pool.knownAxes();
                              for (int64_t d = 0; d < rank; ++d) {
                                axes[d].in = b.create<mlir::memref::DimOp>(operands[0], d + 2);
                                axes[d].out = b.create<mlir::memref::DimOp>(output, d + 2);
                                axes[d].padBegin = padOf(2 * d, pool.axes[d].padBegin);
                                axes[d].padEnd = padOf(2 * d + 1, pool.axes[d].padEnd);
                              }
                              emitOpenPool(b, b.getLoc(), axes, pool.pool, operands[0], output,
                                           target_, epilogue);
                            }));
}

void OpenPool::checkSize(const LoadedKernels& kernels, const PoolCase& pool) {
  const int64_t volumes = kImages * kChannels;
  const auto make = hasNan_ ? valuesWithNan : randomValues;
  OpenOperand x{.values = make(volumes * inputsOf(pool), 1), .sizes = {kImages}}, pads;
  std::vector<int64_t> sizes = {kImages};
  int64_t taps = 1;
  for (const PoolAxis& axis : pool.axes) {
    x.sizes.push_back(axis.in);
    sizes.push_back(axis.out());
    pads.sizes.insert(pads.sizes.end(), {axis.padBegin, axis.padEnd});
    taps *= axis.kernel;
  }
  // Elements are below 1: each partial sum of a mean is rounded, and what it is multiplied by. The
  // epilogue rounds once.
  const int64_t roundings = pool.pool.isMaximum ? 1 : taps + 4;
  const OpenResult result{
      .wanted = referencePool(pool, x.values, volumes),
      .sizes = sizes,
      .tolerance = std::numeric_limits<float>::epsilon() * static_cast<double>(roundings)};
  expectResult(kernels, {x, pads}, result);
}

void OpenPool::check(PoolCase pool, const std::vector<std::array<int64_t, 2>>& sizes) {
  const auto kernels = compilePool(pool);
  ASSERT_TRUE(kernels);
  for (const auto& [height, width] : sizes) {
    pool.axes[0].in = height;
    pool.axes[1].in = width;
    SCOPED_TRACE(testing::Message() << pool);
    checkSize(*kernels, pool);
  }
}

PoolCase squarePool(Pool pool, PoolAxis axis) { return {.pool = pool, .axes = {axis, axis}}; }

std::vector<Pool> allPools() {
  return {{}, {.isMaximum = false}, {.isMaximum = false, .countsPadding = true}};
}

// Rows that end anywhere in a vector, of less than one and of several blocks; no elements at all.
TEST_P(OpenPool, RowsOfAnyLength) {
  const std::vector<std::array<int64_t, 2>> sizes = {{1, 1},   {2, 7},   {3, 8},   {50, 5},
                                                     {4, 9},   {5, 15},  {18, 16}, {4, 17},
                                                     {19, 33}, {2, 700}, {0, 5},   {5, 0}};
  for (const EpilogueKind kind :
       {EpilogueKind::kNone, EpilogueKind::kRelu, EpilogueKind::kReluOfSum}) {
    epilogue_ = kind;
    for (const Pool& pool : allPools())
      check(squarePool(pool, {.kernel = 3, .padBegin = 1, .padEnd = 1}), sizes);
  }
}

TEST_P(OpenPool, StepsOfTwoAndMore) {
  for (const Pool& pool : allPools()) {
    for (const int64_t stride : {2, 3, 4})
      check(squarePool(pool, {.kernel = 3, .stride = stride, .padBegin = 1, .padEnd = 1}),
            {{1, 1}, {6, 13}, {12, 64}, {37, 300}});
  }
}

// A maximum is NaN where the window has one, and nowhere else.
TEST_P(OpenPool, NotANumber) {
  hasNan_ = true;
  for (const EpilogueKind kind : {EpilogueKind::kNone, EpilogueKind::kReluOfSum}) {
    epilogue_ = kind;
    for (const Pool& pool : allPools()) {
      check(squarePool(pool, {.kernel = 3, .padBegin = 1, .padEnd = 1}),
            {{1, 2}, {7, 7}, {9, 40}, {20, 16}});
      check(squarePool(pool, {.kernel = 2, .stride = 3}), {{2, 2}, {40, 100}});
    }
  }
}

// What lies past the padding is in no mean.
TEST_P(OpenPool, WindowsPastThePadding) {
  for (const Pool& pool : allPools())
    check(squarePool(pool,
                     {.kernel = 3, .stride = 2, .padBegin = 1, .padEnd = 1, .isRoundedUp = true}),
          {{1, 1}, {2, 2}, {6, 18}, {8, 40}});
}

/// Windows, pads and sizes by chance; equal for equal seeds.
class Chance {
 public:
  explicit Chance(uint32_t seed) : generator_(seed) {}

  int64_t from(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(generator_);
  }
  bool isOneOf(int64_t count) { return from(1, count) == 1; }

  PoolCase pool() {
    PoolCase pool{.pool = {.isMaximum = isOneOf(2), .countsPadding = isOneOf(2)},
                  .axes = std::vector<PoolAxis>(from(1, 3)),
                  .hasOpenPads = isOneOf(2)};
    const int64_t rank = std::ssize(pool.axes);
    do {
      for (PoolAxis& axis : pool.axes) setWindow(axis);
      if (isOneOf(2)) setRareWindow(pool.axes[from(0, rank - 1)], rank);
    } while (whyNoOpenPool(pool.knownAxes()));
    return pool;
  }

  void setSizes(PoolCase& pool) {
    const int64_t rank = std::ssize(pool.axes);
    for (PoolAxis& axis : pool.axes) {
      if (pool.hasOpenPads) setPads(axis, axis.kernel + from(-1, 2));
      axis.in = from(isOneOf(16) ? 0 : 1, 24 / rank);
    }
    // Less than a vector, or several blocks.
    pool.axes.back().in = isOneOf(3) ? from(1, rank == 1 ? 5000 : 500) : from(1, 40);
    // Windows that do not fit are not asked for.
    for (PoolAxis& axis : pool.axes)
      axis.in = std::max(axis.in, axis.reach() - axis.padBegin - axis.padEnd);
  }

 private:
  void setWindow(PoolAxis& axis) {
    axis = {.kernel = from(1, 4),
            .stride = from(1, 4),
            .dilation = isOneOf(3) ? 2 : 1,
            .isRoundedUp = isOneOf(2)};
    setPads(axis, axis.kernel - 1);
  }
  // Large in one way or another. Of pads as wide as windows there are windows of nothing else.
  void setRareWindow(PoolAxis& axis, int64_t rank) {
    axis.kernel = from(1, 32);
    axis.stride = from(1, 7);
    axis.dilation = from(1, 60 / rank / axis.kernel + 1);
    setPads(axis, axis.reach() + 2);
  }
  void setPads(PoolAxis& axis, int64_t most) {
    axis.padBegin = from(0, most);
    axis.padEnd = from(0, most);
  }

  std::mt19937 generator_;
};

TEST_P(OpenPool, AnyWindows) {
  constexpr uint32_t kKernels = 24, kSizes = 12;
  constexpr EpilogueKind kKinds[] = {EpilogueKind::kNone, EpilogueKind::kRelu,
                                     EpilogueKind::kReluOfSum};
  for (uint32_t seed = 1; seed <= kKernels; ++seed) {
    Chance chance(seed);
    PoolCase pool = chance.pool();
    hasNan_ = chance.isOneOf(4);
    epilogue_ = kKinds[chance.from(0, 2)];
    const auto kernels = compilePool(pool);
    ASSERT_TRUE(kernels);
    for (uint32_t i = 0; i < kSizes; ++i) {
      chance.setSizes(pool);
      SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << pool);
      ASSERT_NO_FATAL_FAILURE(checkSize(*kernels, pool));
    }
  }
}

TESSERA_FOR_BOTH_WIDTHS(OpenPool);

TEST(OpenPoolAxes, WhatIsNotComputedHasAReason) {
  const auto reason = [](const OpenAxis& width) { return whyNoOpenPool({OpenAxis(), width}); };
  EXPECT_EQ(reason({.kernel = 32, .stride = 4}), std::nullopt);
  EXPECT_EQ(reason({.kernel = 2, .stride = 5}), "has long steps over open sizes");
  EXPECT_EQ(reason({.kernel = 33}), "has long windows over open sizes");
  EXPECT_EQ(reason({.kernel = 2, .dilation = 250}), "has long windows over open sizes");
  EXPECT_EQ(whyNoOpenPool({OpenAxis{.dilation = int64_t{1} << 21}, OpenAxis()}),
            "has taps far apart over open sizes");
  EXPECT_EQ(whyNoOpenPool({}), "has no spatial dimension");
  EXPECT_EQ(whyNoOpenPool(std::vector<OpenAxis>(4)),
            "has more than three spatial dimensions of open sizes");
}

}  // namespace
}  // namespace tessera::lowering
