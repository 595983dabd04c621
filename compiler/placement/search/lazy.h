// Measuring no more than the optimum needs.
#pragma once

#include <functional>
#include <span>

#include "compiler/placement/search/solve.h"

namespace tessera::placement::search {

/// What is to be measured next: the classes without a measurement that `optimum` pays, ascending,
/// each once. While they are lower bounds, its cost is one too.
struct Round {
  std::span<const ClassId> classes;
  const Solution& optimum;
};

/// Measures: sets `seconds` and `isMeasured` of these classes of the problem, infinite where it
/// failed; or raises the bound of one, whose measurement is asked for again where that does not
/// rule it out. False: stop here; some of the classes may be measured.
using Measure = std::function<bool(const Round& round, Problem& problem)>;

struct LazySolution {
  Solution solution = {};  ///< Fully measured.
  bool isStopped = false;  ///< There may be better choices among what was not measured.
  size_t numRounds = 0;
  size_t numMeasured = 0;  ///< Classes.
};

/// The optimum of the problem in which every class is measured, where the lower bounds are ones:
/// the last optimum is fully measured, and all others cost no less than their bounds. Stopped
/// before that: the best choice that is fully measured, with the bound of all. Errors: those of
/// solve; kTargetFailed also where it was stopped before any choice was measured.
Result<LazySolution> solveLazily(Problem& problem, const Measure& measure,
                                 const Limits& limits = {});

}  // namespace tessera::placement::search
