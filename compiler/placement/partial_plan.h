// A plan for a model that has changed since.
#pragma once

#include "compiler/partition/owner_index.h"
#include "compiler/placement/candidates/proposal.h"

namespace tessera::placement {

struct PartialPlan {
  std::vector<Tile> tiles;         ///< They cover the entry function.
  size_t numPlannedOperators = 0;  ///< Those that the plan knew; the others stand behind them.
};

/// The tiles of the plan's file that still fit (readFittingTiles); what is in none of them goes
/// where greedy placement puts it. Nothing where greedy placement won. Errors (kInvalidInput):
/// those of readFittingTiles; tiles would wait for each other.
Result<std::optional<PartialPlan>> fitPlan(const OperatorGraph& graph,
                                           const partition::OwnerIndex& owners,
                                           const std::string& text, const PlaceTile& place);

}  // namespace tessera::placement
