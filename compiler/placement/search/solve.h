// The entry: the cheapest choice of candidates.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

struct Limits {
  double seconds = 10;  ///< After which the best choice found is given, with its gap.
  double gap = 0;       ///< At which a solve may end, as a share of the cost. 0: the optimum.
};

/// The cheapest choice, how surely says Solution::gap: 0 wherever time sufficed. Of equally cheap
/// ones it tends to fewer candidates and fewer switches between owners (settle.h). The same problem
/// has the same solution, unless time is over. `problem` is valid (validate). Errors:
/// kInvalidInput, there is no choice; kTargetFailed, none was found in time.
Result<Solution> solve(const Problem& problem, const Limits& limits = {});

/// The `count` cheapest choices, cheapest first, no two with the same candidates; fewer where there
/// are no more, or time is over. Ties are not settled. Errors: those of solve.
Result<std::vector<Solution>> kBest(const Problem& problem, size_t count,
                                    const Limits& limits = {});

}  // namespace tessera::placement::search
