// Small problems with everything in them that a solver can get wrong.
#pragma once

#include <random>

#include "compiler/placement/problem.h"

namespace tessera::placement::search {

struct RandomOptions {
  uint32_t maxNodes = 14;
  uint32_t maxStates = 3;      ///< 1: there are no conversions.
  bool hasSeveralEnds = true;  ///< Candidates that are no cones too.
  uint32_t numOwners = 3;
};

/// Valid (`validate`); not always is there a choice. Costs are whole microseconds, some equal, some
/// infinite.
Problem randomProblem(std::mt19937& random, const RandomOptions& options = {});

}  // namespace tessera::placement::search
