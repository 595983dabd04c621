// Candidates as a problem for the search.
#pragma once

#include <memory>

#include "compiler/placement/candidates/candidate_set.h"
#include "compiler/placement/problem.h"

namespace tessera::placement {

/// What it costs when a target's code reads what another's computed, beyond conversions. Targets
/// that do not mind each other are of one group.
struct Changes {
  std::vector<uint32_t> groups = {};  ///< By owner (OwnerIndex); empty: all are of one.
  /// From one group to another; 0 within one. Empty: there is one.
  std::vector<std::vector<double>> seconds = {};

  bool areFree() const { return seconds.size() < 2; }
};

/// What a cost class of the problem stands for.
struct CostSubject {
  size_t candidateClass = 0;      ///< Index into CandidateSet::classes, unless it is a conversion.
  mlir::Type from = {}, to = {};  ///< A conversion, if they are equal none but a change; or null.
  double change = 0;              ///< Seconds on top of a conversion: others read the value.

  bool isConversion() const { return static_cast<bool>(from); }
  bool isChangeAlone() const { return isConversion() && from == to; }
};

/// A problem whose candidates are those of the set, in that order, and whose cost classes are
/// unmeasured, with lower bounds; what nothing but changes cost is known. A state of a value is a
/// layout and, where changes cost something, the group of whoever computes or reads it.
struct SearchProblem {
  search::Problem problem;
  std::vector<CostSubject> subjects;  ///< Of each cost class.
  /// The layouts of each value at a candidate's border, by state.
  std::vector<std::pair<mlir::Value, std::vector<mlir::Type>>> states;
};
SearchProblem problemOf(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                        const CandidateSet& candidates, const Changes& changes = {});

}  // namespace tessera::placement
