// What every target says about every operator, for people who ask why it runs where it does.
#pragma once

#include "compiler/placement/candidates/candidate_set.h"
#include "compiler/placement/plan.h"

namespace tessera::placement {

/// What was measured, and what the search made of it.
struct Findings {
  const CandidateSet* candidates = nullptr;
  const llvm::DenseMap<size_t, Measurement>* costs = nullptr;  ///< By class; those measured.
  std::vector<Tile> chosen = {};                               ///< The search's plan.
};

/// For each operator and target at least one answer, equal ones of several operators as one:
/// - of the measured candidates that hold the operator, the one that would cost the plan least;
/// - what was tried and failed, and how;
/// - where neither is there: that its candidates were not measured, or why there are none.
std::vector<Answer> collectAnswers(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                                   const Findings& findings);

/// The same before anything was measured: who takes an operator by itself, who declines it and why.
std::vector<Answer> collectAnswers(const OperatorGraph& graph, const partition::OwnerIndex& owners);

}  // namespace tessera::placement
