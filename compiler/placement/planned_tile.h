// Candidates as parts of a plan, with what is known of them.
#pragma once

#include "compiler/placement/candidates/candidate_set.h"
#include "compiler/placement/plan.h"
#include "compiler/placement/search/solution.h"

namespace tessera::placement {

/// Measurements of candidates by their class.
using CandidateTimes = llvm::DenseMap<size_t, Measurement>;

/// With its cost, its evidence, and who of the others would run the same operators in the least
/// time.
PlannedTile plannedTile(const CandidateSet& set, const CandidateTimes& times,
                        const CandidateTile& from);

/// The tiles of a choice, in its order.
std::vector<PlannedTile> plannedTiles(const CandidateSet& set, const CandidateTimes& times,
                                      const search::Solution& solution);

/// A part that was placed, with its cost where a candidate is the same.
PlannedTile knownPart(const CandidateSet& set, const CandidateTimes& times, Tile part);

}  // namespace tessera::placement
