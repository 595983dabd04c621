#include "compiler/placement/search/test/problem_builder.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tessera::placement::search {

ClassId ProblemBuilder::addClass(double seconds) {
  problem_.classes.push_back({.seconds = seconds});
  return static_cast<ClassId>(problem_.classes.size() - 1);
}

ValueId ProblemBuilder::addValue(NodeId producer, std::vector<NodeId> readers, bool isResult,
                                 uint32_t numStates, ClassId conversionClass) {
  Value value{.producer = producer,
              .readers = std::move(readers),
              .isResult = isResult,
              .numStates = numStates};
  value.conversions.assign(size_t{numStates} * numStates, conversionClass);
  for (StateId state = 0; state < numStates; ++state)
    value.conversions[state * numStates + state] = kFree;
  problem_.values.push_back(std::move(value));
  return static_cast<ValueId>(problem_.values.size() - 1);
}

void ProblemBuilder::setConversion(ValueId value, StateId from, StateId to, ClassId cost) {
  problem_.values[value].conversions[from * problem_.values[value].numStates + to] = cost;
}

/// Those that come from outside, then those that leave.
static std::pair<std::vector<ValueId>, std::vector<ValueId>> borders(
    const Problem& problem, const std::vector<NodeId>& nodes) {
  std::pair<std::vector<ValueId>, std::vector<ValueId>> found;
  const auto isInside = [&](NodeId node) { return std::ranges::binary_search(nodes, node); };
  for (ValueId id = 0; id < problem.values.size(); ++id) {
    const Value& value = problem.values[id];
    if (value.producer != kNoNode && isInside(value.producer)) {
      if (value.isResult || !std::ranges::all_of(value.readers, isInside))
        found.second.push_back(id);
    } else if (std::ranges::any_of(value.readers, isInside)) {
      found.first.push_back(id);
    }
  }
  return found;
}

bool ProblemBuilder::mayBeCandidate(const std::vector<NodeId>& nodes) const {
  std::vector<bool> isInside(problem_.numNodes), isAfter(problem_.numNodes);
  for (const NodeId node : nodes) isInside[node] = true;
  bool comesBack = false;
  for (NodeId node = 0; node < problem_.numNodes; ++node)
    for (const Value& value : problem_.values) {
      if (value.producer == kNoNode || !std::ranges::binary_search(value.readers, node)) continue;
      if (isInside[node])
        comesBack |= isAfter[value.producer];
      else if (isInside[value.producer] || isAfter[value.producer])
        isAfter[node] = true;
    }
  return !comesBack;
}

uint32_t ProblemBuilder::addCandidate(std::vector<NodeId> nodes, ClassId cost, uint32_t owner,
                                      const std::map<ValueId, StateId>& states) {
  const auto [reads, gives] = borders(problem_, nodes);
  const auto inStates = [&](const std::vector<ValueId>& values) {
    std::vector<Border> result;
    for (const ValueId value : values) {
      const auto found = states.find(value);
      result.push_back({.value = value, .state = found == states.end() ? 0 : found->second});
    }
    return result;
  };
  problem_.candidates.push_back({.nodes = std::move(nodes),
                                 .owner = owner,
                                 .cost = cost,
                                 .reads = inStates(reads),
                                 .gives = inStates(gives)});
  return static_cast<uint32_t>(problem_.candidates.size() - 1);
}

std::vector<ValueId> ProblemBuilder::bordersOf(const std::vector<NodeId>& nodes) const {
  auto [reads, gives] = borders(problem_, nodes);
  reads.insert(reads.end(), gives.begin(), gives.end());
  return reads;
}

}  // namespace tessera::placement::search
