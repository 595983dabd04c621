// Whether one of two is faster by more than the noise.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

/// What somebody took in one turn of a race.
struct Turn {
  double seconds = 0;
  bool isCalm = true;  ///< The machine was (yardstick.h), before and after.
};

/// Of each, whatever the machine was like.
std::vector<double> secondsOf(std::span<const Turn> turns);

/// Seconds of two, the i-th taken right before or after the other's i-th.
struct Pairs {
  std::vector<double> challenger, incumbent;
};

/// The i-th turn of one and the i-th of the other where the machine was calm for both: on a
/// disturbed one who needs other cores more loses more, and another one wins there than on a calm
/// one. All of them where so few were calm that they decide nothing.
Pairs pairsOf(std::span<const Turn> challenger, std::span<const Turn> incumbent);

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
