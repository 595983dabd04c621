// What the cost classes of a problem are measured by.
#pragma once

#include <map>
#include <tuple>

#include "compiler/placement/candidates/problem_of.h"
#include "compiler/placement/find_plan.h"
#include "compiler/placement/placed_calls.h"

namespace tessera::placement {

/// Goes from cost classes to modules, and from the calls of a placed model back to cost classes.
class ClassSubjects {
 public:
  /// All of these are to outlive it; set and search may change (update()).
  ClassSubjects(const PlanRequest& request, const OperatorGraph& graph,
                const CandidateSet& candidates, const SearchProblem& search)
      : request_(request), graph_(graph), set_(candidates), search_(search) {
    update();
  }

  /// After the set or the search became another one.
  void update();

  /// What a cost class stands for, whatever its number is: a candidate class, or a conversion.
  using Key = std::tuple<size_t, const void*, const void*>;
  Key keyOf(search::ClassId id) const;
  /// A class, and those that differ from it by what a change costs.
  std::vector<search::ClassId> sameConversions(search::ClassId id) const;
  /// One of the tiles of a candidate class.
  const Tile& tileOf(size_t candidateClass) const;
  /// What a cost class is measured by; `keep` owns modules that are made for it. The error is that
  /// nobody takes a conversion.
  Result<Subject> subjectOf(search::ClassId id,
                            std::vector<mlir::OwningOpRef<mlir::ModuleOp>>& keep) const;
  /// A candidate of the same operators, target and types, or the conversion between these types.
  std::optional<search::ClassId> classOf(const PlacedCall& call) const;

 private:
  const PlanRequest& request_;
  const OperatorGraph& graph_;
  const CandidateSet& set_;
  const SearchProblem& search_;
  std::map<size_t, size_t> tileOf_;  ///< A tile of each candidate class.
  /// A value for each conversion.
  std::map<std::pair<const void*, const void*>, mlir::Value> valueOf_;
};

}  // namespace tessera::placement
