#include "compiler/placement/search/solution.h"

#include <iterator>
#include <tuple>

#include "compiler/placement/search/quotient.h"

namespace tessera::placement::search {

static const Border* find(const std::vector<Border>& borders, ValueId value) {
  const auto found = std::ranges::find(borders, value, &Border::value);
  return found == borders.end() ? nullptr : &*found;
}

Cover::Cover(const Problem& problem, std::span<const CandidateId> chosen)
    : problem_(&problem), of_(problem.numNodes) {
  for (const CandidateId candidate : chosen) replace(candidate);
}

void Cover::replace(CandidateId candidate) {
  for (const NodeId node : problem_->candidates[candidate].nodes) of_[node] = candidate;
}

StateId Cover::given(ValueId value) const {
  const NodeId producer = problem_->values[value].producer;
  if (producer == kNoNode) return 0;
  const Border* border = find(problem_->candidates[of_[producer]].gives, value);
  return border == nullptr ? 0 : border->state;
}

uint64_t Cover::needed(ValueId id) const {
  const Value& value = problem_->values[id];
  if (value.numStates == 1) return 0;  // There is nothing to convert.
  uint64_t states = value.isResult ? 1 : 0;
  for (const NodeId reader : value.readers)
    if (const Border* border = find(problem_->candidates[of_[reader]].reads, id))
      states |= uint64_t{1} << border->state;
  return states;
}

Ticks Cover::conversionTicks(ValueId value) const {
  Ticks sum = 0;
  forEachConversion(value,
                    [&](ClassId id) { sum = addTicks(sum, toTicks(problem_->seconds(id))); });
  return sum;
}

std::vector<ClassId> paidClasses(const Problem& problem, std::span<const CandidateId> chosen) {
  std::vector<ClassId> paid;
  const auto pay = [&](ClassId id) {
    if (id != kFree) paid.push_back(id);
  };
  for (const CandidateId candidate : chosen) pay(problem.candidates[candidate].cost);
  const Cover cover(problem, chosen);
  for (ValueId value = 0; value < problem.values.size(); ++value)
    cover.forEachConversion(value, pay);
  return paid;
}

Ticks costOf(const Problem& problem, std::span<const CandidateId> chosen) {
  Ticks sum = 0;
  for (const ClassId id : paidClasses(problem, chosen))
    sum = addTicks(sum, toTicks(problem.seconds(id)));
  return sum;
}

Status checkChoice(const Problem& problem, std::span<const CandidateId> chosen) {
  std::vector<uint32_t> numCovers(problem.numNodes);
  for (const CandidateId id : chosen) {
    if (id >= problem.candidates.size())
      return invalidInput("there is no candidate " + std::to_string(id));
    for (const NodeId node : problem.candidates[id].nodes) ++numCovers[node];
  }
  for (NodeId node = 0; node < problem.numNodes; ++node)
    if (numCovers[node] != 1)
      return invalidInput("operator " + std::to_string(node) + " is in " +
                          std::to_string(numCovers[node]) + " chosen candidates, not in one");
  if (const auto cycles = findCycles(problem, chosen); !cycles.empty())
    return invalidInput("candidate " + std::to_string(cycles.front().front()) +
                        " depends on itself through others");
  if (costOf(problem, chosen) >= kNeverTicks)
    return invalidInput("a chosen candidate or conversion cannot be had");
  return {};
}

std::vector<Solution> cheapestOf(std::vector<Solution> a, std::vector<Solution> b, size_t count) {
  std::ranges::move(b, std::back_inserter(a));
  const auto key = [](const Solution& solution) {
    return std::tie(solution.seconds, solution.chosen);
  };
  std::ranges::stable_sort(a, {}, key);
  a.erase(std::ranges::unique(a, {}, key).begin(), a.end());
  a.resize(std::min(a.size(), count));
  return a;
}

}  // namespace tessera::placement::search
