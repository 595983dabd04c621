// Costs while they are summed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::placement::search {

/// Whole picoseconds: a sum does not depend on its order, equal costs are equal, and there is no
/// NaN that compares with nothing.
using Ticks = int64_t;

inline constexpr Ticks kNeverTicks = std::numeric_limits<Ticks>::max() / 4;
inline constexpr double kTicksPerSecond = 1e12;

/// What is infinite, negative or no number is kNeverTicks: it cannot be had.
inline Ticks toTicks(double seconds) {
  const double ticks = seconds * kTicksPerSecond;
  return ticks >= 0 && ticks < static_cast<double>(kNeverTicks) ? std::llround(ticks) : kNeverTicks;
}
inline double toSeconds(Ticks ticks) {
  return ticks >= kNeverTicks ? std::numeric_limits<double>::infinity()
                              : static_cast<double>(ticks) / kTicksPerSecond;
}
/// Never and anything is never.
inline Ticks addTicks(Ticks a, Ticks b) { return std::min(a + b, kNeverTicks); }

}  // namespace tessera::placement::search
