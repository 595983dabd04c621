// A large problem that looks like a network: blocks with branches, layouts, several owners.
#pragma once

#include "compiler/placement/problem.h"

namespace tessera::placement::search {

struct NetworkOptions {
  uint32_t numNodes = 1500;
  uint32_t numStates = 3;     ///< Layouts of each value.
  uint32_t numOwners = 4;     ///< Owner 0 takes every layout, each other one prefers one.
  uint32_t longestChain = 4;  ///< Of operators that are fused.
  bool hasRegions = true;     ///< Long runs of operators, and pairs in different branches.
  uint32_t numLater = 0;      ///< Blocks that read a block's result besides the next one.
  uint32_t seed = 1;
};

/// Valid, and each operator can run by itself.
Problem networkProblem(const NetworkOptions& options = {});

}  // namespace tessera::placement::search
