// Which of equally cheap choices is taken.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// A choice of the same cost that no exchange of one candidate for those that it covers improves:
/// fewer candidates, else fewer values that go from one owner to another, else a lower index.
/// `candidates`: that may be taken, ascending.
std::vector<CandidateId> settleTies(const Problem& problem, std::span<const CandidateId> candidates,
                                    std::vector<CandidateId> chosen);

}  // namespace tessera::placement::search
