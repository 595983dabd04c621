// Cases through the whole of the compiler and the runtime.
#pragma once

#include <set>

#include "compiler/conformance/exercise.h"

namespace tessera::conformance {

struct CasesOutcome {
  std::vector<Finding> findings = {};    ///< Of each case and check the first.
  size_t numLayouts = 0;                 ///< Blocked regions that ran.
  std::set<std::string> operators = {};  ///< In blocked regions that ran.
  std::set<std::string> spaces = {};     ///< Memory of devices that regions ran on, side by side.

  /// Takes in what became of other cases, which follow behind `numBefore` of these.
  void add(CasesOutcome other, size_t numBefore);
};

/// Compiles the cases, which the target takes, together, and runs them. What cannot be compiled or
/// run is looked for by halves.
CasesOutcome checkCases(const Kit& kit, std::span<const Case* const> cases);

}  // namespace tessera::conformance
