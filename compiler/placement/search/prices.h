// A lower bound from a share of the cost for each operator.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// By node, such that no candidate costs less than its nodes' prices: whatever covers some nodes
/// once costs at least the sum of theirs (linear programming's weak duality). Conversions count for
/// nothing. `byNode` as candidatesByNode gives it.
std::vector<Ticks> pricesOf(const Problem& problem, std::span<const CandidateId> candidates,
                            std::span<const std::vector<CandidateId>> byNode);

}  // namespace tessera::placement::search
