#include "compiler/placement/search/usable.h"

#include <map>
#include <tuple>
#include <utility>

namespace tessera::placement::search {

std::vector<CandidateId> usableCandidates(const Problem& problem) {
  std::vector<CandidateId> usable;
  for (CandidateId id = 0; id < problem.candidates.size(); ++id)
    if (toTicks(problem.seconds(problem.candidates[id].cost)) < kNeverTicks) usable.push_back(id);
  return usable;
}

static std::vector<std::pair<ValueId, StateId>> sorted(const std::vector<Border>& borders) {
  std::vector<std::pair<ValueId, StateId>> pairs;
  pairs.reserve(borders.size());
  for (const Border& border : borders) pairs.emplace_back(border.value, border.state);
  std::ranges::sort(pairs);
  return pairs;
}

std::vector<CandidateId> withoutDominated(const Problem& problem,
                                          std::span<const CandidateId> candidates) {
  using Borders = std::vector<std::pair<ValueId, StateId>>;
  std::map<std::tuple<std::vector<NodeId>, Borders, Borders>, std::pair<Ticks, CandidateId>> best;
  for (const CandidateId id : candidates) {
    const Candidate& candidate = problem.candidates[id];
    const std::pair offer(toTicks(problem.seconds(candidate.cost)), id);
    const auto [found, isNew] = best.try_emplace(
        {candidate.nodes, sorted(candidate.reads), sorted(candidate.gives)}, offer);
    found->second = std::min(found->second, offer);
  }
  std::vector<CandidateId> kept;
  kept.reserve(best.size());
  for (const auto& [key, offer] : best) kept.push_back(offer.second);
  std::ranges::sort(kept);
  return kept;
}

Result<std::vector<std::vector<CandidateId>>> candidatesByNode(
    const Problem& problem, std::span<const CandidateId> candidates) {
  std::vector<std::vector<CandidateId>> byNode(problem.numNodes);
  for (const CandidateId id : candidates)
    for (const NodeId node : problem.candidates[id].nodes) byNode[node].push_back(id);
  for (NodeId node = 0; node < problem.numNodes; ++node)
    if (byNode[node].empty())
      return invalidInput("operator " + std::to_string(node) + " is in no candidate that works");
  return byNode;
}

Error noChoice() {
  return invalidInput("no choice of candidates covers each operator once and can be had");
}

}  // namespace tessera::placement::search
