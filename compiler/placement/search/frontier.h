// The solver that needs no library: exact where few operators are open at a time, else a good
// choice with an honest bound.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/placement/search/deadline.h"
#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

inline constexpr size_t kMostFrontiers = 4096;

/// The `count` cheapest choices of `candidates`, cheapest first, as Solution::lowerBound says how
/// surely; fewer where there are no more. None has two candidates that wait for each other
/// (conflicts.h); longer cycles are not ruled out. At most `mostFrontiers` go on from each
/// operator. Errors: kInvalidInput, there is no choice; kTargetFailed, none was found.
Result<std::vector<Solution>> solveFrontier(const Problem& problem,
                                            std::span<const CandidateId> candidates, size_t count,
                                            const Deadline& deadline,
                                            size_t mostFrontiers = kMostFrontiers);

}  // namespace tessera::placement::search
