#include "compiler/placement/whole_plans/drawn_plan.h"

#include <cmath>

namespace tessera::placement {

std::optional<search::Solution> drawPlan(search::Problem problem, std::mt19937_64& random) {
  constexpr double kMostDoublings = 3;
  std::uniform_real_distribution<double> doublings(-kMostDoublings, kMostDoublings);
  for (search::CostClass& cost : problem.classes)
    cost = {.seconds = cost.seconds * std::exp2(doublings(random)), .isMeasured = true};
  auto solution = search::solve(problem, kQuickSearch);
  return solution ? std::optional(std::move(*solution)) : std::nullopt;
}

}  // namespace tessera::placement
