// Functions of one f32 against those of f64: floats of all exponents and signs, what lies about
// multiples of pi / 2, about 1 and about the greatest arguments, infinities and NaN.
#include "compiler/lowering/series/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "compiler/lowering/test/kernel_harness.h"
#include "mlir/Parser/Parser.h"

namespace tessera::lowering {
namespace {

struct Function {
  const char* name;
  double (*exact)(double);
  double error;      ///< As series.h states it.
  double least = 0;  ///< 0 stands for positive numbers below this one.
  bool losesSignOfZero = false;
  const char *op = name, *attributes = "";
  double greatest = HUGE_VAL;  ///< Argument.
};

double boundedExp(double x) {
  return std::exp(std::clamp<double>(x, -87.3365447505531F, 88.37F));  // NaN stays.
}

constexpr Function kFunctions[] = {
    {.name = "acos", .exact = std::acos, .error = 3e-7},
    {.name = "acosh", .exact = std::acosh, .error = 6e-7},
    {.name = "asin", .exact = std::asin, .error = 3e-7},
    {.name = "asinh", .exact = std::asinh, .error = 6e-7},
    {.name = "atan", .exact = std::atan, .error = 3e-7},
    {.name = "atanh", .exact = std::atanh, .error = 6e-7},
    {.name = "cos", .exact = std::cos, .error = 3e-7},
    {.name = "cosh", .exact = std::cosh, .error = 6e-7},
    {.name = "erf", .exact = std::erf, .error = 4e-7},
    {.name = "exp", .exact = std::exp, .error = 3e-7, .least = FLT_MIN},
    {.name = "exp_bounded",
     .exact = boundedExp,
     .error = 3e-7,
     .op = "exp",
     .attributes = "fastmath<ninf>"},
    {.name = "exp_up_to_one",
     .exact = std::exp,
     .error = 3e-7,
     .least = FLT_MIN,
     .op = "exp",
     .attributes = "{tessera.up_to_one}",
     .greatest = 0},
    {.name = "expm1", .exact = std::expm1, .error = 3e-7, .losesSignOfZero = true},
    {.name = "sin", .exact = std::sin, .error = 3e-7},
    {.name = "sinh", .exact = std::sinh, .error = 6e-7},
    {.name = "tan", .exact = std::tan, .error = 5e-7},
};

std::vector<float> arguments() {
  constexpr uint32_t kStep = 20011;  // A prime.
  std::vector<float> xs;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStep)
    xs.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  const auto addNeighbours = [&](float x) {
    for (const float y : {x, std::nextafter(x, HUGE_VALF), std::nextafter(x, -HUGE_VALF)})
      xs.insert(xs.end(), {y, -y});
  };
  for (int i = 0; i <= 20000; ++i) addNeighbours(static_cast<float>(M_PI_2 * i));
  for (int i = 0; i <= 2000; ++i) addNeighbours(static_cast<float>(i) / 1000);
  for (int i = 0; i <= 2000; ++i) addNeighbours(88.5F + static_cast<float>(i) / 2000);
  for (const float x : {0.0F, 0x1p30F, 1e5F, HUGE_VALF, NAN}) addNeighbours(x);
  return xs;
}

/// Of NaN where both are none; of numbers below the least normal one as a part of that.
double errorOf(float got, double exact) {
  const double greatest = std::numeric_limits<float>::max();
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) == std::isnan(got) ? 0 : 1;
  if (std::fabs(exact) >= greatest * (1 + 0x1p-25) || std::isinf(got))
    return std::fabs(exact) > greatest * (1 - 1e-6) && std::fabs(got) > greatest * (1 - 1e-6) &&
                   std::signbit(got) == std::signbit(exact)
               ? 0
               : 1;
  return std::fabs(got - exact) / std::max<double>(std::fabs(exact), FLT_MIN);
}

class Series : public testing::TestWithParam<const char*> {};

TEST_P(Series, IsAsExactAsStated) {
  const auto target = makeCpuTarget(GetParam());
  ASSERT_TRUE(target) << target.error().toString();
  if (!runsHere(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  const std::vector<float> xs = arguments();
  const auto context = makeKernelContext();
  std::string text;
  for (const Function& function : kFunctions) {
    const std::string name = function.name;
    text += "func.func @" + name + "(%x: tensor<?xf32>) -> tensor<?xf32> {\n  %y = math." +
            function.op + " %x " + function.attributes +
            " : tensor<?xf32>\n  return %y : tensor<?xf32>\n}\n";
  }
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  ASSERT_TRUE(module);
  const auto kernels = LoadedKernels::compile(*module, *target, KernelForm::kTensors);
  ASSERT_TRUE(kernels) << kernels.error().toString();
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.name);
    HarnessHost host(1);
    const int64_t sizes[] = {static_cast<int64_t>(xs.size())};
    void* buffers[] = {const_cast<float*>(xs.data()), nullptr};
    ASSERT_EQ((*kernels)->find(function.name)(host.services(), buffers, sizes), 0);
    const auto* ys = reinterpret_cast<const float*>(host.outputs[0].memory.data());
    double worst = 0;
    float worstAt = 0;
    for (size_t i = 0; i < xs.size(); ++i) {
      if (xs[i] > function.greatest) continue;
      const double value = function.exact(xs[i]);
      const double exact = 0 < value && value < function.least && ys[i] == 0 ? 0 : value;
      const double error = errorOf(ys[i], exact);
      if (error > worst) worst = error, worstAt = xs[i];
      // Of it, sums and logarithms are made that would show a difference.
      if (xs[i] == 0 && exact == 1) {
        EXPECT_EQ(ys[i], 1);
      }
      if (exact == 0 && !function.losesSignOfZero) {
        EXPECT_EQ(std::signbit(ys[i]), std::signbit(exact));
      }
    }
    EXPECT_LT(worst, function.error) << "of " << worstAt;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, Series, testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto& info) {
                           return std::string(info.param) == "x86-64-v3" ? "Avx2" : "Avx512";
                         });

}  // namespace
}  // namespace tessera::lowering
