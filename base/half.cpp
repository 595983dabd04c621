#include "base/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::base {

double decodeSmallFloat(uint16_t bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const int maxExponent = (1 << exponentBits) - 1;
  const bool negative = ((bits >> (exponentBits + mantissaBits)) & 1) != 0;
  const int exponent = (bits >> mantissaBits) & maxExponent;
  const int mantissa = bits & ((1 << mantissaBits) - 1);
  double magnitude;
  if (exponent == maxExponent) {
    magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - bias - mantissaBits);
  } else {
    magnitude = std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
  }
  return negative ? -magnitude : magnitude;
}

uint16_t encodeSmallFloat(double value, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const int infinity = ((1 << exponentBits) - 1) << mantissaBits;
  const int sign = std::signbit(value) ? 1 << (exponentBits + mantissaBits) : 0;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | (1 << (mantissaBits - 1)));
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return static_cast<uint16_t>(sign | infinity);
  // Scale so that the last mantissa bit is worth 1; below the normal range its worth stays fixed.
  const int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  const double scaled = std::ldexp(magnitude, mantissaBits - exponent);
  const double mantissa = std::nearbyint(scaled);
  // The implicit leading 1 of a normal number adds one to the exponent field, and so does a carry.
  const double bits = mantissa + std::ldexp(exponent + bias - 1, mantissaBits);
  return static_cast<uint16_t>(sign | static_cast<int>(std::min<double>(bits, infinity)));
}

}  // namespace tessera::base
