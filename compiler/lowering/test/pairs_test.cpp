// Functions of two f32 against C's of f64: pairs of floats of all exponents and signs, usual ones,
// infinities, zeros, NaN.
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <random>

#include "compiler/lowering/test/kernel_harness.h"
#include "mlir/Parser/Parser.h"

namespace tessera::lowering {
namespace {

struct Pairs {
  std::vector<float> xs, ys;
};

// In runs of a kind: vectors of usual numbers alone, and others.
Pairs pairs() {
  Pairs pairs;
  const auto add = [&](float x, float y) { pairs.xs.push_back(x), pairs.ys.push_back(y); };
  std::mt19937 random(1);  // NOLINT: the same numbers each time.
  const auto anyFloat = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random())); };
  std::uniform_real_distribution<float> usual(0, 8), exponent(-30, 30);
  for (int i = 0; i < 200000; ++i) add(usual(random), exponent(random));
  for (int i = 0; i < 200000; ++i) add(exponent(random), std::round(exponent(random)));
  for (int i = 0; i < 200000; ++i) add(1 + usual(random) / 1e4F, anyFloat() / 1e30F);
  for (int i = 0; i < 200000; ++i) add(anyFloat(), anyFloat());
  const float special[] = {0,       0.5F,         1,       2,           3,         1.5F, FLT_MIN,
                           FLT_MAX, FLT_TRUE_MIN, 0x1p23F, 0x1p24F + 2, HUGE_VALF, NAN,  1 / 3.F,
                           7,       1 - 0x1p-24F};
  for (const float x : special) {
    for (const float y : special) add(x, y), add(-x, y), add(x, -y), add(-x, -y);
    for (int i = 0; i < 100; ++i) add(x, anyFloat()), add(anyFloat(), x), add(x, -usual(random));
  }
  return pairs;
}

class PairFunctions : public testing::TestWithParam<const char*> {
 protected:
  // What the operator gives for all pairs.
  void compute(const std::string& op, const Pairs& pairs, std::vector<float>& results) const {
    const auto target = makeCpuTarget(GetParam());
    ASSERT_TRUE(target) << target.error().toString();
    const auto context = makeKernelContext();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n  %z = " + op +
            " %x, %y : tensor<?xf32>\n  return %z : tensor<?xf32>\n}\n",
        context.get());
    ASSERT_TRUE(module);
    const auto kernels = LoadedKernels::compile(*module, *target, KernelForm::kTensors);
    ASSERT_TRUE(kernels) << kernels.error().toString();
    HarnessHost host(1);
    const auto count = static_cast<int64_t>(pairs.xs.size());
    const int64_t sizes[] = {count, count};
    void* buffers[] = {const_cast<float*>(pairs.xs.data()), const_cast<float*>(pairs.ys.data()),
                       nullptr};
    ASSERT_EQ((*kernels)->find("f")(host.services(), buffers, sizes), 0);
    const auto* zs = reinterpret_cast<const float*>(host.outputs[0].memory.data());
    results.assign(zs, zs + count);
  }
};

bool isSame(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST_P(PairFunctions, RemaindersAreExact) {
  if (!runsHere(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  const Pairs all = pairs();
  std::vector<float> results;
  compute("arith.remf", all, results);
  for (size_t i = 0; i < results.size(); ++i)
    ASSERT_TRUE(isSame(results[i], std::fmod(all.xs[i], all.ys[i])))
        << all.xs[i] << " by " << all.ys[i] << " leaves " << results[i];
}

TEST_P(PairFunctions, PowersAreAsExactAsStated) {
  if (!runsHere(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  const Pairs all = pairs();
  std::vector<float> results;
  compute("math.powf", all, results);
  for (size_t i = 0; i < results.size(); ++i) {
    const double exact = std::pow(double{all.xs[i]}, double{all.ys[i]});
    const auto rounded = static_cast<float>(exact);
    const bool isNumber = std::isfinite(rounded) && std::fabs(exact) >= FLT_MIN;
    // Next to the greatest number and below the least, of which rounding may go either way.
    const bool isNear = std::fabs(results[i] - exact) <= 1e-7 * std::fabs(exact) + FLT_TRUE_MIN;
    ASSERT_TRUE(isSame(results[i], rounded) ||
                (isNear && std::signbit(results[i]) == std::signbit(rounded)) ||
                (!isNumber && std::fabs(std::fabs(exact) - FLT_MAX) < 1e-6 * FLT_MAX))
        << all.xs[i] << " to " << all.ys[i] << " is " << results[i] << ", not " << exact;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, PairFunctions, testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto& info) {
                           return std::string(info.param) == "x86-64-v3" ? "Avx2" : "Avx512";
                         });

}  // namespace
}  // namespace tessera::lowering
