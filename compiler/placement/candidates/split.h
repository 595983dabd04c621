// Parts of a region that may be tiles of their own.
#pragma once

#include "compiler/placement/candidates/regions_of_target.h"

namespace tessera::placement {

/// The stretches of a convex set of nodes between places where one value passes from what is before
/// to what is behind; in order, one stretch when there is no such place.
std::vector<NodeSet> stretchesOf(const OperatorGraph& graph, llvm::ArrayRef<uint32_t> nodes);

/// Unions of 1, 2, 4, ... neighbouring stretches, fewer than all: as many as there are levels times
/// stretches at most. Runs begin at multiples of half their length.
std::vector<NodeSet> runsOf(llvm::ArrayRef<NodeSet> stretches);

/// The beginnings and ends of a chain: up to `maxLength` nodes each, all of the chain left out.
std::vector<NodeSet> endsOf(llvm::ArrayRef<uint32_t> chain, size_t maxLength);

}  // namespace tessera::placement
