// Which floats are integers.
#pragma once

#include <cmath>

namespace tessera::base {

/// Whether integers can be multiplied by it and stay integers: no fraction, and at most 64 bits.
inline bool isWhole(double number) {
  return std::trunc(number) == number && std::abs(number) < 0x1p63;
}

}  // namespace tessera::base
