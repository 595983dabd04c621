// "LazySP": solve with what is known, measure what the optimum rests on, again until it rests on
// measurements alone. While much is unmeasured, what is nearly an optimum shows as well what is
// worth measuring, and is found sooner; only what is fully measured is then solved to the end.
#include "compiler/placement/search/lazy.h"

#include <limits>

namespace tessera::placement::search {

static constexpr double kLooseGap = 0.005;
static constexpr double kLooseSeconds = 1;

static std::vector<ClassId> unmeasured(const Problem& problem, const Solution& solution) {
  std::vector<ClassId> classes = paidClasses(problem, solution.chosen);
  std::erase_if(classes, [&](ClassId id) { return problem.classes[id].isMeasured; });
  std::ranges::sort(classes);
  classes.erase(std::ranges::unique(classes).begin(), classes.end());
  return classes;
}

static std::vector<double> secondsOf(const Problem& problem, const std::vector<ClassId>& classes) {
  std::vector<double> seconds;
  for (const ClassId id : classes) seconds.push_back(problem.seconds(id));
  return seconds;
}

/// The best of what is measured, after measuring was stopped.
static Result<Solution> solveMeasured(Problem problem, const Limits& limits, double lowerBound) {
  for (CostClass& cost : problem.classes)
    if (!cost.isMeasured) cost.seconds = std::numeric_limits<double>::infinity();
  Result<Solution> best = solve(problem, limits);
  if (!best) return targetFailed("measuring was stopped before any placement was measured");
  best->lowerBound = std::min(best->lowerBound, lowerBound);
  return best;
}

Result<LazySolution> solveLazily(Problem& problem, const Measure& measure, const Limits& limits) {
  LazySolution lazy;
  const Limits loose{.seconds = std::min(limits.seconds, kLooseSeconds),
                     .gap = std::max(limits.gap, kLooseGap)};
  bool isLoose = true;
  double lowerBound = 0;
  while (true) {
    ++lazy.numRounds;
    TESSERA_TRY(lazy.solution, solve(problem, isLoose ? loose : limits));
    lowerBound = std::max(lowerBound, lazy.solution.lowerBound);
    const std::vector<ClassId> classes = unmeasured(problem, lazy.solution);
    if (classes.empty()) {
      if (!isLoose || lazy.solution.gap() <= limits.gap) return lazy;
      isLoose = false;
      continue;
    }
    isLoose = true;
    const std::vector<double> bounds = secondsOf(problem, classes);
    const bool goesOn = measure({.classes = classes, .optimum = lazy.solution}, problem);
    const auto isMeasured = [&](ClassId id) { return problem.classes[id].isMeasured; };
    const auto numNew = static_cast<size_t>(std::ranges::count_if(classes, isMeasured));
    lazy.numMeasured += numNew;
    if (goesOn && (numNew > 0 || secondsOf(problem, classes) != bounds)) continue;
    lazy.isStopped = true;
    TESSERA_TRY(lazy.solution, solveMeasured(problem, limits, lowerBound));
    return lazy;
  }
}

}  // namespace tessera::placement::search
