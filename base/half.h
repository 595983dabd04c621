// 16-bit floats, stored only: they are widened to double to compute.
#pragma once

#include <cstdint>

namespace tessera::base {

/// Value of a small IEEE float with `mantissaBits` of mantissa below `exponentBits` of exponent.
double decodeSmallFloat(uint16_t bits, int exponentBits, int mantissaBits);
/// The nearest such float, halves to even; overflow becomes infinity, NaN a quiet NaN.
uint16_t encodeSmallFloat(double value, int exponentBits, int mantissaBits);

inline double decodeF16(uint16_t bits) { return decodeSmallFloat(bits, 5, 10); }
inline uint16_t encodeF16(double value) { return encodeSmallFloat(value, 5, 10); }
inline double decodeBF16(uint16_t bits) { return decodeSmallFloat(bits, 8, 7); }
inline uint16_t encodeBF16(double value) { return encodeSmallFloat(value, 8, 7); }

}  // namespace tessera::base
