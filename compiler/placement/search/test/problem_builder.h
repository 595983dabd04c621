// Problems from a graph: a candidate's borders follow from its nodes.
#pragma once

#include <map>
#include <vector>

#include "compiler/placement/problem.h"

namespace tessera::placement::search {

inline constexpr double kMicrosecond = 1e-6;

class ProblemBuilder {
 public:
  explicit ProblemBuilder(uint32_t numNodes) { problem_.numNodes = numNodes; }

  ClassId addClass(double seconds);
  /// `conversionClass`: of every conversion between its states.
  ValueId addValue(NodeId producer, std::vector<NodeId> readers, bool isResult = false,
                   uint32_t numStates = 1, ClassId conversionClass = kFree);
  void setConversion(ValueId value, StateId from, StateId to, ClassId cost);

  /// Whether the nodes can be a candidate: sorted, and no path leaves them and comes back.
  bool mayBeCandidate(const std::vector<NodeId>& nodes) const;
  /// `states`: of values at its border, 0 where nothing is said.
  uint32_t addCandidate(std::vector<NodeId> nodes, ClassId cost, uint32_t owner = 0,
                        const std::map<ValueId, StateId>& states = {});
  /// Values at the border of these nodes: those read, then those given.
  std::vector<ValueId> bordersOf(const std::vector<NodeId>& nodes) const;

  const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

}  // namespace tessera::placement::search
