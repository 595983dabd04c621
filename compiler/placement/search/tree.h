// The exact solver for cones without conversions, in a few hundred microseconds.
#pragma once

#include <optional>
#include <span>

#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// Whether solveTree is exact for these candidates: each has one end (quotient.h), and no value is
/// read in another state than it is given in, except for nothing.
bool isTree(const Problem& problem, std::span<const CandidateId> candidates);

/// The cheapest choice of them, of equal ones one with the fewest candidates. Linear in the nodes
/// of all candidates. Errors (kInvalidInput): there is none.
Result<Solution> solveTree(const Problem& problem, std::span<const CandidateId> candidates);

}  // namespace tessera::placement::search
