// The best choices without cycles, from a solver that does not rule out all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "compiler/placement/search/deadline.h"
#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// Gives the cheapest choices of these candidates, cycles or not, cheapest first.
using Relaxed = std::function<Result<std::vector<Solution>>(std::span<const CandidateId>)>;

/// The `count` cheapest choices of `candidates` without cycles, cheapest first; fewer where there
/// are no more, or where time is over. `solve` gives `count` choices where there are as many.
/// Errors: what `solve` says; kTargetFailed, time was over before one was found.
Result<std::vector<Solution>> solveWithoutCycles(const Problem& problem,
                                                 std::vector<CandidateId> candidates, size_t count,
                                                 const Deadline& deadline, const Relaxed& solve);

}  // namespace tessera::placement::search
