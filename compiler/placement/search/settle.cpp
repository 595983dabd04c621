#include "compiler/placement/search/settle.h"

#include <optional>
#include <tuple>

#include "compiler/placement/search/quotient.h"

namespace tessera::placement::search {
namespace {

class Settler {
 public:
  Settler(const Problem& problem, std::span<const CandidateId> chosen)
      : problem_(problem),
        index_(problem),
        cover_(problem, chosen),
        isChosen_(problem.candidates.size()) {
    for (const CandidateId id : chosen) isChosen_[id] = true;
  }

  /// Whether the exchange was made.
  bool exchange(CandidateId offered);
  std::vector<CandidateId> chosen() const;

 private:
  using Rank = std::tuple<Ticks, size_t, size_t, CandidateId>;

  std::optional<std::vector<CandidateId>> covered(const Candidate& by) const;
  Rank rank(std::span<const CandidateId> parts, std::span<const ValueId> around) const;
  void replace(std::span<const CandidateId> before, std::span<const CandidateId> after);

  const Problem& problem_;
  const ValuesOfNodes index_;
  Cover cover_;
  std::vector<bool> isChosen_;
};

}  // namespace

std::vector<CandidateId> Settler::chosen() const {
  std::vector<CandidateId> ids;
  for (NodeId node = 0; node < problem_.numNodes; ++node)
    if (problem_.candidates[cover_[node]].nodes.front() == node) ids.push_back(cover_[node]);
  return ids;
}

/// The chosen candidates that it consists of, if it does.
std::optional<std::vector<CandidateId>> Settler::covered(const Candidate& by) const {
  std::vector<CandidateId> parts;
  size_t numNodes = 0;
  for (const NodeId node : by.nodes) {
    const Candidate& part = problem_.candidates[cover_[node]];
    if (part.nodes.front() != node) continue;
    parts.push_back(cover_[node]);
    numNodes += part.nodes.size();
    if (!std::ranges::includes(by.nodes, part.nodes)) return std::nullopt;
  }
  return numNodes == by.nodes.size() ? std::optional(parts) : std::nullopt;
}

/// Of what an exchange can change: lower is better.
Settler::Rank Settler::rank(std::span<const CandidateId> parts,
                            std::span<const ValueId> around) const {
  Ticks ticks = 0;
  for (const CandidateId id : parts)
    ticks = addTicks(ticks, toTicks(problem_.seconds(problem_.candidates[id].cost)));
  size_t numSwitches = 0;
  for (const ValueId id : around) {
    ticks = addTicks(ticks, cover_.conversionTicks(id));
    const Value& value = problem_.values[id];
    if (value.producer == kNoNode) continue;
    const uint32_t owner = problem_.candidates[cover_[value.producer]].owner;
    for (const NodeId reader : value.readers)
      numSwitches += problem_.candidates[cover_[reader]].owner != owner ? 1 : 0;
  }
  return {ticks, parts.size(), numSwitches, parts.front()};
}

void Settler::replace(std::span<const CandidateId> before, std::span<const CandidateId> after) {
  for (const CandidateId id : before) isChosen_[id] = false;
  for (const CandidateId id : after) isChosen_[id] = true;
  for (const CandidateId id : after) cover_.replace(id);
}

bool Settler::exchange(CandidateId offered) {
  if (isChosen_[offered]) return false;
  const Candidate& candidate = problem_.candidates[offered];
  const std::optional<std::vector<CandidateId>> before = covered(candidate);
  if (!before) return false;
  std::vector<ValueId> around;
  for (const NodeId node : candidate.nodes) {
    std::ranges::copy(index_.reads[node], std::back_inserter(around));
    std::ranges::copy(index_.computes[node], std::back_inserter(around));
  }
  std::ranges::sort(around);
  around.erase(std::ranges::unique(around).begin(), around.end());

  const std::vector<CandidateId> after = {offered};
  const Rank old = rank(*before, around);
  replace(*before, after);
  if (rank(after, around) < old &&
      (hasOneEnd(problem_, index_, candidate) || findCycles(problem_, chosen()).empty()))
    return true;
  replace(after, *before);
  return false;
}

std::vector<CandidateId> settleTies(const Problem& problem, std::span<const CandidateId> candidates,
                                    std::vector<CandidateId> chosen) {
  Settler settler(problem, chosen);
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (const CandidateId id : candidates) isChanged |= settler.exchange(id);
  }
  return settler.chosen();
}

}  // namespace tessera::placement::search
