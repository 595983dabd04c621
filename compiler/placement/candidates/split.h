// Parts of a region that may be tiles of their own.
#pragma once

#include "compiler/placement/candidates/regions_of_target.h"

namespace tessera::placement {

/// The stretches of a convex set of nodes between places where one value passes from what is before
/// to what is behind; in order, one stretch when there is no such place.
std::vector<NodeSet> stretchesOf(const OperatorGraph& graph, llvm::ArrayRef<uint32_t> nodes);

/// Unions of neighbouring stretches, fewer than all: every one where stretches are few, else those
/// of 1, 2, 4, ... that begin at multiples of half their length, as many as there are levels times
/// stretches at most.
std::vector<NodeSet> runsOf(llvm::ArrayRef<NodeSet> stretches);

/// The branches of a stretch: its longest runs of two nodes or more of which each is the only one
/// that reads what the one before it computes, and reads nothing else that the stretch computes;
/// all of the stretch left out.
std::vector<NodeSet> chainsOf(const OperatorGraph& graph, llvm::ArrayRef<uint32_t> stretch);

/// Where branches of a stretch meet: the node that reads several of its values, with as many nodes
/// behind which there is nothing else than it, nearest first, as `maxSize` has room for; all of the
/// stretch left out.
std::vector<NodeSet> conesOf(const OperatorGraph& graph, llvm::ArrayRef<uint32_t> stretch,
                             size_t maxSize);

/// The beginnings and ends of a chain: up to `maxLength` nodes each, all of the chain left out.
std::vector<NodeSet> endsOf(llvm::ArrayRef<uint32_t> chain, size_t maxLength);

}  // namespace tessera::placement
