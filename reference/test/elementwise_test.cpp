// Unary, binary, activation and cast operators.
#include <limits>

#include "reference/test/testing.h"

namespace tessera::reference::testing {

static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
static constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Unary, RoundsHalvesToEven) {
  expectTensor<float>(run("round", {}, tensor<float>({4}, {0.5F, 1.5F, -2.5F, 2.7F})), {4},
                      {0, 2, -2, 3});
}

TEST(Unary, AbsAndNegWrapTheSmallestInteger) {
  expectTensor<int8_t>(run("abs", {}, tensor<int8_t>({2}, {-128, -3})), {2}, {-128, 3});
  expectTensor<int8_t>(run("neg", {}, tensor<int8_t>({2}, {-128, 5})), {2}, {-128, -5});
}

TEST(Unary, IsInfSeesTheSign) {
  const Tensor x = tensor<float>({3}, {kInf, -kInf, kNan});
  expectTensor<Boolean>(run("is_inf", {}, x), {3}, {true, true, false});
  expectTensor<Boolean>(run("is_inf", {{"detect_negative", int64_t{0}}}, x), {3},
                        {true, false, false});
}

TEST(Unary, RefusesTypesWithoutMeaning) {
  EXPECT_EQ(failure("sin", {}, tensor<int32_t>({1}, {1})),
            "sin: element type i32 is not supported");
}

TEST(Activation, MatchesItsFormula) {
  const Tensor x = tensor<double>({3}, {-2, 0, 3});
  expectTensor<double>(run("leaky_relu", {{"alpha", 0.1}}, x), {3}, {-0.2, 0, 3});
  expectTensor<double>(run("hard_swish", {}, x), {3}, {-2.0 / 6, 0, 3});
  expectTensor<double>(run("elu", {{"alpha", 2.0}}, x), {3}, {2 * (std::exp(-2.0) - 1), 0, 3});
  expectTensor<double>(run("shrink", {{"lambd", 1.5}, {"bias", 1.0}}, x), {3}, {-1, 0, 2});
  expectTensor<double>(run("gelu", {}, x), {3}, {-2 * 0.0227501319, 0, 3 * 0.9986501020}, 1e-8);
}

TEST(Activation, StaysFiniteFarFromZero) {
  const Tensor x = tensor<float>({2}, {-1000, 1000});
  expectTensor<float>(run("sigmoid", {}, x), {2}, {0, 1});
  expectTensor<float>(run("softplus", {}, x), {2}, {0, 1000});
}

TEST(Binary, BroadcastsBothWays) {
  const Tensor a = iota<float>({2, 1, 3}), b = tensor<float>({2, 1}, {10, 20});
  expectTensor<float>(run("add", {}, a, b), {2, 2, 3},
                      {10, 11, 12, 20, 21, 22, 13, 14, 15, 23, 24, 25});
}

TEST(Binary, RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(failure("add", {}, iota<float>({2}), iota<float>({3})),
            "add: shape [3] does not broadcast with [2]");
  EXPECT_EQ(failure("add", {}, iota<float>({2}), iota<double>({2})),
            "add: input 1 has element type f64, expected f32");
}

TEST(Binary, IntegerDivisionIsDefinedEverywhere) {
  expectTensor<int32_t>(
      run("div", {}, tensor<int32_t>({2}, {-7, INT32_MIN}), tensor<int32_t>({2}, {2, -1})), {2},
      {-3, INT32_MIN});
  EXPECT_EQ(failure("div", {}, ints({1}), ints({0})), "div: integer division by zero");
  EXPECT_EQ(failure("mod", {}, ints({1}), ints({0})), "mod: integer division by zero");
}

TEST(Binary, ModTakesTheSignOfTheDivisorOrTheDividend) {
  const Tensor a = ints({-4, 7, 5}), b = ints({3, -3, 8});
  expectTensor<int64_t>(run("mod", {}, a, b), {3}, {2, -2, 5});
  expectTensor<int64_t>(run("mod", {{"fmod", int64_t{1}}}, a, b), {3}, {-1, 1, 5});
}

TEST(Binary, PowKeepsTheBaseType) {
  expectTensor<int64_t>(run("pow", {}, ints({2, -3, 2}), tensor<float>({3}, {3, 3, -1})), {3},
                        {8, -27, 0});
  expectTensor<int64_t>(run("pow", {}, ints({3}), ints({39})), {1}, {4052555153018976267});
}

TEST(Binary, ComparesAndShifts) {
  expectTensor<Boolean>(run("less", {}, ints({1, 2, 3}), ints({2})), {3}, {true, false, false});
  const Tensor a = tensor<uint8_t>({3}, {16, 4, 255}), b = tensor<uint8_t>({3}, {1, 2, 9});
  expectTensor<uint8_t>(run("bit_shift", {{"direction", "LEFT"}}, a, b), {3}, {32, 16, 0});
}

TEST(Binary, PreluBroadcastsItsSlopeOnly) {
  const Tensor x = tensor<float>({2, 2}, {-1, 2, -3, -4});
  expectTensor<float>(run("prelu", {}, x, tensor<float>({2, 1}, {0.5F, 2})), {2, 2},
                      {-0.5F, 2, -6, -8});
  EXPECT_NE(failure("prelu", {}, x, iota<float>({3, 2, 2})), "");
}

TEST(Variadic, FoldsAnyNumberOfInputs) {
  const Tensor a = tensor<float>({2}, {1, 5}), b = tensor<float>({1}, {3}),
               c = tensor<float>({2}, {kNan, 4});
  expectTensor<float>(run("max", {}, a, b, c), {2}, {kNan, 5});
  expectTensor<float>(run("min", {}, a), {2}, {1, 5});
  expectTensor<float>(run("mean", {}, a, b), {2}, {2, 4});
}

TEST(Select, WhereAndClip) {
  const Tensor condition = tensor<Boolean>({2, 1}, {true, false});
  expectTensor<int64_t>(run("where", {}, condition, ints({1, 2}), ints({8, 9})), {2, 2},
                        {1, 2, 8, 9});
  const Tensor x = tensor<float>({4}, {-5, 0, 5, kNan});
  expectTensor<float>(run("clip", {}, x, tensor<float>({}, {-1}), tensor<float>({}, {2})), {4},
                      {-1, 0, 2, kNan});
  expectTensor<float>(run("clip", {}, x, absent(), tensor<float>({}, {2})), {4}, {-5, 0, 2, kNan});
}

TEST(Select, ClipOfSpecialValues) {
  constexpr float kMax = std::numeric_limits<float>::max();
  const Tensor x = tensor<float>({4}, {kInf, -kInf, kNan, 3});
  const auto bound = [](float value) { return tensor<float>({}, {value}); };
  // An absent bound is the last finite number, a bound that is NaN none at all.
  expectTensor<float>(run("clip", {}, x), {4}, {kMax, -kMax, kNan, 3});
  expectTensor<float>(run("clip", {}, x, bound(kNan), bound(kNan)), {4}, {kInf, -kInf, kNan, 3});
  expectTensor<float>(run("clip", {}, x, bound(-kInf), bound(kInf)), {4}, {kInf, -kInf, kNan, 3});
  expectTensor<float>(run("clip", {}, x, bound(kInf), bound(kInf)), {4}, {kInf, kInf, kNan, kInf});
  expectTensor<float>(run("clip", {}, x, bound(2), bound(1)), {4}, {1, 1, kNan, 1});
  expectTensor<int32_t>(run("clip", {}, tensor<int32_t>({1}, {7}), absent(), absent()), {1}, {7});
}

TEST(Unary, SignOfZeroHasNoSign) {
  const Tensor y = run("sign", {}, tensor<float>({4}, {-0.0F, 0, -3, kNan}));
  expectTensor<float>(y, {4}, {0, 0, -1, kNan});
  EXPECT_FALSE(std::signbit(y.as<float>()[0]));
}

TEST(Unary, ShrinkWithNegativeLimitAddsFirst) {
  const Tensor x = tensor<float>({3}, {-2, 0, 2});
  expectTensor<float>(run("shrink", {{"lambd", -1.0}, {"bias", 5.0}}, x), {3}, {3, 5, -3});
}

TEST(Cast, IntegersTruncateAndNeverLeaveTheirRange) {
  const Tensor x = tensor<float>({5}, {-1.7F, 2.9F, 1e20F, -1e20F, kNan});
  expectTensor<int32_t>(run("cast", {{"to", int64_t{6}}}, x), {5},
                        {-1, 2, INT32_MAX, INT32_MIN, 0});
  expectTensor<Boolean>(run("cast", {{"to", int64_t{9}}}, x), {5}, {true, true, true, true, true});
}

TEST(Cast, HalvesRoundToNearestEven) {
  // 1 + 2^-11 lies between two f16 and goes down to the even one; 65520 overflows; 2^-25 goes down
  // to 0.
  const Tensor x = tensor<double>({5}, {1 + 0x1p-11, 1 + 0x1.8p-10, 65519, 65520, 0x1p-25});
  const Tensor half = run("cast", {{"to", int64_t{10}}}, x);
  const std::vector<uint16_t> expected = {0x3c00, 0x3c02, 0x7bff, 0x7c00, 0};
  ASSERT_EQ(half.type(), ElementType::kF16);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(half.as<uint16_t>()[i], expected[i]) << i;
  expectTensor<float>(run("cast", {{"to", int64_t{1}}}, half), {5},
                      {1, 1.001953125F, 65504, kInf, 0});
}

TEST(Cast, EveryHalfSurvivesARoundTrip) {
  Tensor all(ElementType::kBF16, {65536});
  for (int i = 0; i < 65536; ++i) all.as<uint16_t>()[i] = static_cast<uint16_t>(i);
  const Tensor wide = run("cast", {{"to", int64_t{11}}}, all);
  const Tensor back = run("cast", {{"to", int64_t{16}}}, wide);
  for (int i = 0; i < 65536; ++i) {
    if (std::isnan(wide.as<double>()[i])) continue;
    ASSERT_EQ(back.as<uint16_t>()[i], i);
  }
}

}  // namespace tessera::reference::testing
