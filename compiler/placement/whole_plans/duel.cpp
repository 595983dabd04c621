#include "compiler/placement/whole_plans/duel.h"

#include <algorithm>

namespace tessera::placement {

static bool isSurelyFaster(const Pairs& pairs) {
  constexpr PairedOptions kWorthIt{.leastGain = 0.005};
  constexpr double kMuchSlower = 1.5;
  if (pairs.challenger.empty()) return false;
  return std::ranges::min(pairs.incumbent) > median(pairs.challenger) * kMuchSlower ||
         comparePaired(pairs.challenger, pairs.incumbent, kWorthIt).isFaster;
}

bool isSurelyFaster(std::span<const Turn> challenger, std::span<const Turn> incumbent) {
  return isSurelyFaster(pairsOf(challenger, incumbent));
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

bool Duel::isWon() const { return !isLost_ && isSurelyFaster(pairs_); }

}  // namespace tessera::placement
