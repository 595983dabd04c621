// Candidates as a problem for the search.
#pragma once

#include <memory>

#include "compiler/placement/candidates/candidate_set.h"
#include "compiler/placement/problem.h"

namespace tessera::placement {

/// What a cost class of the problem stands for.
struct CostSubject {
  size_t candidateClass = 0;      ///< Index into CandidateSet::classes, unless it is a conversion.
  mlir::Type from = {}, to = {};  ///< A conversion; null otherwise.

  bool isConversion() const { return static_cast<bool>(from); }
};

/// A problem whose candidates are those of the set, in that order, and whose cost classes are
/// unmeasured, with lower bounds.
struct SearchProblem {
  search::Problem problem;
  std::vector<CostSubject> subjects;  ///< Of each cost class.
  /// The layouts of each value at a candidate's border, by state.
  std::vector<std::pair<mlir::Value, std::vector<mlir::Type>>> states;
};
SearchProblem problemOf(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                        const CandidateSet& candidates);

}  // namespace tessera::placement
