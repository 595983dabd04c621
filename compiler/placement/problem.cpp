#include "compiler/placement/problem.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>

namespace tessera::placement::search {

ValuesOfNodes::ValuesOfNodes(const Problem& problem)
    : computes(problem.numNodes), reads(problem.numNodes) {
  for (ValueId id = 0; id < problem.values.size(); ++id) {
    const Value& value = problem.values[id];
    if (value.producer != kNoNode) computes[value.producer].push_back(id);
    for (const NodeId reader : value.readers) reads[reader].push_back(id);
  }
}

static Error wrong(const char* what, size_t index, const std::string& why) {
  return invalidInput(std::string(what) + " " + std::to_string(index) + " " + why);
}

/// Ascending, each once, all below `end`.
static bool areNodes(std::span<const NodeId> nodes, NodeId end) {
  return std::ranges::adjacent_find(nodes, std::greater_equal<>()) == nodes.end() &&
         (nodes.empty() || nodes.back() < end);
}

static bool isClass(const Problem& problem, ClassId id) {
  return id == kFree || id == kNever || id < problem.classes.size();
}

static Status checkValue(const Problem& problem, size_t index) {
  const Value& value = problem.values[index];
  if (value.producer != kNoNode && value.producer >= problem.numNodes)
    return wrong("value", index, "has a producer that there is not");
  if (!areNodes(value.readers, problem.numNodes))
    return wrong("value", index, "has readers that are unsorted or that there are not");
  if (value.producer != kNoNode && !value.readers.empty() &&
      value.readers.front() <= value.producer)
    return wrong("value", index, "is read before it is made");
  if (value.numStates == 0 || value.numStates > kMaxStates)
    return wrong("value", index, "has " + std::to_string(value.numStates) + " states");
  if (value.conversions.size() != size_t{value.numStates} * value.numStates)
    return wrong("value", index, "lacks conversions");
  for (StateId from = 0; from < value.numStates; ++from)
    for (StateId to = 0; to < value.numStates; ++to)
      if (from == to ? value.conversion(from, to) != kFree
                     : !isClass(problem, value.conversion(from, to)))
        return wrong("value", index, "has a conversion of no class");
  return {};
}

/// Whether a path of values leaves the candidate and comes back.
static bool comesBack(const Problem& problem, const ValuesOfNodes& index,
                      const std::vector<NodeId>& nodes) {
  const NodeId first = nodes.front();
  std::vector<bool> isInside(nodes.back() - first + 1), isAfter(nodes.back() - first + 1);
  for (const NodeId node : nodes) isInside[node - first] = true;
  for (NodeId node = first; node <= nodes.back(); ++node) {
    for (const ValueId value : index.reads[node]) {
      const NodeId producer = problem.values[value].producer;
      if (producer == kNoNode || producer < first) continue;
      if (isInside[node - first] && isAfter[producer - first]) return true;
      if (!isInside[node - first] && (isInside[producer - first] || isAfter[producer - first]))
        isAfter[node - first] = true;
    }
  }
  return false;
}

/// Whether these are the borders at `values`, each once and in a state that its value has.
static bool areBorders(const Problem& problem, const std::vector<Border>& borders,
                       std::vector<ValueId> values) {
  std::vector<ValueId> given;
  for (const Border& border : borders) {
    if (border.value >= problem.values.size() ||
        border.state >= problem.values[border.value].numStates)
      return false;
    given.push_back(border.value);
  }
  std::ranges::sort(given);
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return given == values;
}

static Status checkCandidate(const Problem& problem, const ValuesOfNodes& index, size_t id) {
  const Candidate& candidate = problem.candidates[id];
  if (candidate.nodes.empty() || !areNodes(candidate.nodes, problem.numNodes))
    return wrong("candidate", id, "has no nodes, unsorted ones or some that there are not");
  if (!isClass(problem, candidate.cost)) return wrong("candidate", id, "has a cost of no class");
  const auto isInside = [&](NodeId node) {
    return std::ranges::binary_search(candidate.nodes, node);
  };
  std::vector<ValueId> reads, gives;
  for (const NodeId node : candidate.nodes) {
    for (const ValueId value : index.reads[node]) {
      const NodeId producer = problem.values[value].producer;
      if (producer == kNoNode || !isInside(producer)) reads.push_back(value);
    }
    for (const ValueId value : index.computes[node])
      if (problem.values[value].isResult ||
          !std::ranges::all_of(problem.values[value].readers, isInside))
        gives.push_back(value);
  }
  if (!areBorders(problem, candidate.reads, std::move(reads)))
    return wrong("candidate", id, "does not read what comes from outside");
  if (!areBorders(problem, candidate.gives, std::move(gives)))
    return wrong("candidate", id, "does not give what leaves it");
  if (comesBack(problem, index, candidate.nodes))
    return wrong("candidate", id, "depends on itself");
  return {};
}

Status validate(const Problem& problem) {
  for (size_t i = 0; i < problem.classes.size(); ++i)
    if (!(problem.classes[i].seconds >= 0))
      return wrong("cost class", i, "is no number of seconds of 0 or more");
  for (size_t i = 0; i < problem.values.size(); ++i) TESSERA_TRY_VOID(checkValue(problem, i));
  const ValuesOfNodes index(problem);
  for (size_t i = 0; i < problem.candidates.size(); ++i)
    TESSERA_TRY_VOID(checkCandidate(problem, index, i));
  return {};
}

}  // namespace tessera::placement::search
