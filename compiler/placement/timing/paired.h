// Whether one of two is faster by more than the noise.
#pragma once

#include <span>

#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

struct PairedOptions {
  double level = 0.95;
  double leastGain = 0;  ///< What the challenger has to gain at least: 0.01 for 1 %.
};

struct Comparison {
  Summary ratio;  ///< Challenger's time by incumbent's.
  /// The whole interval of the ratio lies below 1 - leastGain.
  bool isFaster = false;
};

/// Pairs the i-th sample of one with the i-th of the other, taken right after each other in either
/// order (race.h takes them so): what disturbs both is no part of their ratio. Samples that are
/// left over count for nothing.
Comparison comparePaired(std::span<const double> challenger, std::span<const double> incumbent,
                         const PairedOptions& options = {});

}  // namespace tessera::placement
