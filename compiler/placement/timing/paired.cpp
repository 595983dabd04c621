#include "compiler/placement/timing/paired.h"

#include <algorithm>
#include <vector>

namespace tessera::placement {

Comparison comparePaired(std::span<const double> challenger, std::span<const double> incumbent,
                         const PairedOptions& options) {
  std::vector<double> ratios(std::min(challenger.size(), incumbent.size()));
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] = challenger[i] / incumbent[i];
  const Summary ratio = summarize(ratios, options.level);
  return {.ratio = ratio, .isFaster = ratio.high < 1 - options.leastGain};
}

}  // namespace tessera::placement
