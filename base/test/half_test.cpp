#include "base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace tessera::base {
namespace {

TEST(HalfTest, EveryPatternSurvives) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const double f16 = decodeF16(pattern), bf16 = decodeBF16(pattern);
    if (std::isnan(f16))
      EXPECT_TRUE(std::isnan(decodeF16(encodeF16(f16)))) << bits;
    else
      EXPECT_EQ(encodeF16(f16), pattern);
    if (std::isnan(bf16))
      EXPECT_TRUE(std::isnan(decodeBF16(encodeBF16(bf16)))) << bits;
    else
      EXPECT_EQ(encodeBF16(bf16), pattern);
  }
}

TEST(HalfTest, BFloatsAreTheUpperHalvesOfFloats) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const double value = decodeBF16(static_cast<uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(value, std::bit_cast<float>(bits << 16));
    }
  }
}

TEST(HalfTest, RoundsToNearestEven) {
  EXPECT_EQ(encodeF16(1.0 + 1.0 / 2048), 0x3C00);  // Half-way to the next: to the even one.
  EXPECT_EQ(encodeF16(1.0 + 3.0 / 2048), 0x3C02);
  EXPECT_EQ(encodeF16(65519), 0x7BFF);
  EXPECT_EQ(encodeF16(65520), 0x7C00);
  EXPECT_EQ(encodeF16(std::ldexp(1.0, -24)), 0x0001);  // The least subnormal.
  EXPECT_EQ(encodeF16(std::ldexp(1.0, -25)), 0x0000);
  EXPECT_EQ(encodeF16(-0.0), 0x8000);
  EXPECT_EQ(encodeBF16(std::numeric_limits<double>::infinity()), 0x7F80);
  // Not by way of float, which would round 1 + 2^-11 + 2^-40 down to the tie first.
  EXPECT_EQ(encodeF16(1.0 + 1.0 / 2048 + std::ldexp(1.0, -40)), 0x3C01);
}

}  // namespace
}  // namespace tessera::base
