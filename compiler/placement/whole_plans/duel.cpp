#include "compiler/placement/whole_plans/duel.h"

#include <algorithm>

namespace tessera::placement {

static bool isMuchFaster(std::span<const double> challenger, std::span<const double> incumbent) {
  constexpr double kMuchSlower = 1.5;
  return std::ranges::min(incumbent) > median(challenger) * kMuchSlower;
}

static bool isFasterInPairs(const Pairs& pairs) {
  constexpr PairedOptions kWorthIt{.leastGain = 0.005};
  return comparePaired(pairs.challenger, pairs.incumbent, kWorthIt).isFaster;
}

bool isSurelyFaster(std::span<const Turn> challenger, std::span<const Turn> incumbent) {
  if (challenger.empty() || incumbent.empty()) return false;
  return isMuchFaster(secondsOf(challenger), secondsOf(incumbent)) ||
         isFasterInPairs(pairsOf(challenger, incumbent));
}

static void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void Duel::addRace(std::span<const Turn> challenger, std::span<const Turn> incumbent) {
  const Pairs pairs = pairsOf(challenger, incumbent);
  append(pairs_.challenger, pairs.challenger);
  append(pairs_.incumbent, pairs.incumbent);
  ++numRaces_;
  isLost_ |= pairs.challenger.empty() ||
             !(comparePaired(pairs.challenger, pairs.incumbent).ratio.median < 1);
}

bool Duel::isWon() const {
  if (isLost_ || pairs_.challenger.empty()) return false;
  return isMuchFaster(pairs_.challenger, pairs_.incumbent) || isFasterInPairs(pairs_);
}

}  // namespace tessera::placement
