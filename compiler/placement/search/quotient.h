// Who waits for whom among chosen candidates.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// Short cycles, no two through one candidate; none exactly where the candidates can run one after
/// another. `chosen` covers each node once. There can be cycles only where candidates have several
/// ends (`hasOneEnd`).
std::vector<std::vector<CandidateId>> findCycles(const Problem& problem,
                                                 std::span<const CandidateId> chosen);

/// Whether all that a candidate computes is there for its last node, the only one with values that
/// leave. Choices of such candidates have no cycles: a way out of one goes on from its last node,
/// and nothing inside can be waited for before that.
bool hasOneEnd(const Problem& problem, const ValuesOfNodes& index, const Candidate& candidate);

}  // namespace tessera::placement::search
