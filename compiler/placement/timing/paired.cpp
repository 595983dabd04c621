#include "compiler/placement/timing/paired.h"

#include <algorithm>
#include <vector>

namespace tessera::placement {

std::vector<double> secondsOf(std::span<const Turn> turns) {
  std::vector<double> seconds(turns.size());
  std::ranges::transform(turns, seconds.begin(), &Turn::seconds);
  return seconds;
}

Pairs pairsOf(std::span<const Turn> challenger, std::span<const Turn> incumbent) {
  constexpr size_t kLeast = 6;  // An interval takes as many.
  Pairs all, calm;
  for (size_t i = 0; i < std::min(challenger.size(), incumbent.size()); ++i) {
    const auto add = [&](Pairs& pairs) {
      pairs.challenger.push_back(challenger[i].seconds);
      pairs.incumbent.push_back(incumbent[i].seconds);
    };
    add(all);
    if (challenger[i].isCalm && incumbent[i].isCalm) add(calm);
  }
  return calm.challenger.size() >= kLeast ? calm : all;
}

Comparison comparePaired(std::span<const double> challenger, std::span<const double> incumbent,
                         const PairedOptions& options) {
  std::vector<double> ratios(std::min(challenger.size(), incumbent.size()));
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] = challenger[i] / incumbent[i];
  const Summary ratio = summarize(ratios, options.level);
  return {.ratio = ratio, .isFaster = ratio.high < 1 - options.leastGain};
}

}  // namespace tessera::placement
