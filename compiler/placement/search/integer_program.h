// The search as an integer program.
#pragma once

#include <span>
#include <vector>

#include "compiler/placement/search/highs.h"
#include "compiler/placement/search/solution.h"

namespace tessera::placement::search {

/// The program whose whole solutions are the choices of these candidates, cycles or not: column i
/// is 1 where candidates[i] is taken. Costs are in ticks times `scale`. Errors (kInvalidInput): a
/// node is in no candidate.
Result<Program> programOf(const Problem& problem, std::span<const CandidateId> candidates,
                          double scale);

}  // namespace tessera::placement::search
