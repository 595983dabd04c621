// Conversions between element types that are defined for every value.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "reference/loops/dispatch.h"

namespace tessera::reference {

/// Float to integer truncates towards zero, clamps to the range of T, and takes NaN to 0;
/// everything else is the C++ conversion.
template <typename T, typename From>
T convertTo(From value) {
  if constexpr (std::is_same_v<T, Boolean>) {
    return Boolean(value != From{0});
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<T>) {
    if (std::isnan(value)) return T{0};
    // The limits of 64-bit integers are rounded outwards here, hence >= and <=.
    if (value >= static_cast<From>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (value <= static_cast<From>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace tessera::reference
