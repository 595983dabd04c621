// The exact solver for everything: an integer program, certified by HiGHS.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/search/deadline.h"
#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// The `count` cheapest choices of these candidates without cycles, cheapest first, each as
/// Solution::lowerBound says how surely; fewer where there are no more, or where time is over. A
/// solve ends once it is within `gap` of its bound. `start`: a choice that is known, or empty.
/// Errors: kInvalidInput, there is none; kTargetFailed, none was found in time, or HiGHS is not
/// there.
Result<std::vector<Solution>> solveIlp(const Problem& problem,
                                       std::span<const CandidateId> candidates, size_t count,
                                       double gap, const Deadline& deadline,
                                       std::span<const CandidateId> start = {});

}  // namespace tessera::placement::search
