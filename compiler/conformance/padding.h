// Regions run by themselves on values in the layouts that their owner chose: what a model's own
// border, row-major, hides is seen, such as what lies behind the last channel of a block.
#pragma once

#include <set>

#include "compiler/conformance/exercise.h"

namespace tessera::conformance {

struct PaddingOutcome {
  std::vector<Finding> findings;
  size_t numRegions = 0;            ///< That ran.
  std::set<std::string> operators;  ///< In them.
};

/// Every region of the target in the placed module that has an argument or result which is blocked
/// or in another order. Padding of arguments that may be any numbers is filled with some; padding
/// of results must be zero where the layout says so. Errors: they do not compile or run.
Result<PaddingOutcome> runBlockedRegions(const Kit& kit, const Module& placed);

}  // namespace tessera::conformance
