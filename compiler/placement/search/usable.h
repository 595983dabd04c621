// Which candidates a solver has to look at.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// Those that can be had, ascending.
std::vector<CandidateId> usableCandidates(const Problem& problem);

/// Without those in whose place another one is never worse: the same nodes and borders for less.
/// Of equal ones the first stays.
std::vector<CandidateId> withoutDominated(const Problem& problem,
                                          std::span<const CandidateId> candidates);

/// By node: which of the candidates it is in. Errors (kInvalidInput): it is in none.
Result<std::vector<std::vector<CandidateId>>> candidatesByNode(
    const Problem& problem, std::span<const CandidateId> candidates);

/// What to say where no choice covers each operator once.
Error noChoice();

}  // namespace tessera::placement::search
