// Plans that nobody chose for being fast: what they take says how good predictions are.
#pragma once

#include <optional>
#include <random>

#include "compiler/placement/search/solve.h"

namespace tessera::placement {

/// Limits of a search whose result is not needed.
inline constexpr search::Limits kQuickSearch{.seconds = 2, .gap = 0};

/// The cheapest choice of costs drawn anew around those known; nothing where none is found in time.
/// What costs infinity is not chosen.
std::optional<search::Solution> drawPlan(search::Problem problem, std::mt19937_64& random);

}  // namespace tessera::placement
