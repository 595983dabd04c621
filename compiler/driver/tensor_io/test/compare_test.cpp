#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tessera/tensor_compare.h"

namespace tessera {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
HostTensor tensorOf(ElementType type, const std::vector<T>& values) {
  auto made = allocateTensor("y", type, {static_cast<int64_t>(values.size())});
  if (!values.empty()) std::memcpy(made->data, values.data(), values.size() * sizeof(T));
  return made->tensor;
}

TensorDifference compare(const std::vector<double>& actual, const std::vector<double>& expected) {
  return compareTensors(tensorOf(ElementType::kF64, actual), tensorOf(ElementType::kF64, expected),
                        {.relative = 1e-3, .absolute = 1e-5});
}

TEST(CompareTest, ToleranceIsRelativeAndAbsolute) {
  EXPECT_TRUE(compare({1000.9, 0.00001}, {1000, 0}).isWithin);
  EXPECT_FALSE(compare({1001.1}, {1000}).isWithin);
  EXPECT_FALSE(compare({0.00002}, {0}).isWithin);
  const TensorDifference scaled = compare({1000, 0.5}, {1000, 0});
  EXPECT_FALSE(scaled.isWithin);
  EXPECT_TRUE(scaled.isWithinScaled);
  EXPECT_EQ(scaled.firstOutside, 1U);
  EXPECT_EQ(scaled.firstValues, "0.5, expected 0");
}

TEST(CompareTest, NothingButItselfIsCloseToAnInfinityOrNan) {
  EXPECT_TRUE(compare({kInf, -kInf, kNan}, {kInf, -kInf, -kNan}).isWithin);
  for (const double expected : {kInf, -kInf, kNan, 1.0}) {
    for (const double actual : {-kInf, kInf, kNan, 1e300, 0.0, 2.0}) {
      if (actual == expected || (std::isnan(actual) && std::isnan(expected))) continue;
      const TensorDifference difference = compare({1, actual}, {1, expected});
      EXPECT_FALSE(difference.isWithin) << actual << " for " << expected;
      EXPECT_EQ(difference.firstOutside, 1U);
      const bool isFinite = std::isfinite(actual) && std::isfinite(expected);
      EXPECT_EQ(difference.numNotFinite, isFinite ? 0U : 1U);
      EXPECT_FALSE(difference.isWithinScaled) << actual << " for " << expected;
    }
  }
}

TEST(CompareTest, DistancesAreThoseOfNumbers) {
  const TensorDifference difference = compare({kInf, kInf, 3.5, kNan, 4}, {kInf, 1, 3, 0, 4});
  EXPECT_EQ(difference.numNotFinite, 2U);
  EXPECT_EQ(difference.greatest, 0.5);
  EXPECT_EQ(difference.relativeError, 0.1);
  EXPECT_EQ(difference.firstValues, "inf, expected 1");
}

TEST(CompareTest, IntegersAreEqualOrNot) {
  constexpr int64_t kLarge = int64_t{1} << 60;
  const auto difference =
      compareTensors(tensorOf<int64_t>(ElementType::kI64, {kLarge + 1}),
                     tensorOf<int64_t>(ElementType::kI64, {kLarge}), {.relative = 1});
  EXPECT_FALSE(difference.isWithin);
  EXPECT_FALSE(difference.isWithinScaled);
  EXPECT_EQ(difference.greatest, 1);
  EXPECT_EQ(difference.firstValues, "1152921504606846977, expected 1152921504606846976");
  const auto extreme = compareTensors(tensorOf<int8_t>(ElementType::kI8, {127}),
                                      tensorOf<int8_t>(ElementType::kI8, {-128}), {});
  EXPECT_EQ(extreme.greatest, 255);
}

TEST(CompareTest, SmallFloatsAreNumbers) {
  constexpr uint16_t kOne = 0x3C00, kNext = 0x3C01, kInfinity = 0x7C00;
  const auto f16 = [](uint16_t actual, uint16_t expected) {
    return compareTensors(tensorOf<uint16_t>(ElementType::kF16, {actual}),
                          tensorOf<uint16_t>(ElementType::kF16, {expected}), {});
  };
  EXPECT_TRUE(f16(kNext, kOne).isWithin);
  EXPECT_EQ(f16(kNext, kOne).greatest, 1.0 / 1024);
  EXPECT_EQ(f16(kOne, kInfinity).numNotFinite, 1U);
}

TEST(CompareTest, ShapesAndTypesMustMatch) {
  const auto mismatch = compareTensors(tensorOf<int8_t>(ElementType::kI8, {1}),
                                       tensorOf<uint8_t>(ElementType::kU8, {1, 1}), {});
  EXPECT_EQ(mismatch.mismatch, "found i8[1], expected u8[2]");
  EXPECT_FALSE(mismatch.isWithin);
  EXPECT_TRUE(compare({}, {}).isWithin);
}

}  // namespace
}  // namespace tessera
