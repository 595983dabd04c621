#include "compiler/placement/whole_plans/duel.h"

#include <algorithm>

#include "compiler/placement/timing/paired.h"

namespace tessera::placement {

bool isSurelyFaster(std::span<const double> challenger, std::span<const double> incumbent) {
  constexpr PairedOptions kWorthIt{.leastGain = 0.005};
  constexpr double kMuchSlower = 1.5;
  if (challenger.empty() || incumbent.empty()) return false;
  const std::vector<double> ours(challenger.begin(), challenger.end());
  return std::ranges::min(incumbent) > median(ours) * kMuchSlower ||
         comparePaired(challenger, incumbent, kWorthIt).isFaster;
}

void Duel::addRace(std::span<const double> challenger, std::span<const double> incumbent) {
  const size_t count = std::min(challenger.size(), incumbent.size());
  const auto ours = challenger.first(count), theirs = incumbent.first(count);
  challenger_.insert(challenger_.end(), ours.begin(), ours.end());
  incumbent_.insert(incumbent_.end(), theirs.begin(), theirs.end());
  ++numRaces_;
  isLost_ |= count == 0 || !(comparePaired(ours, theirs).ratio.median < 1);
}

}  // namespace tessera::placement
