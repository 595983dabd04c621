#include "compiler/placement/whole_plans/probes.h"

#include <algorithm>
#include <set>

namespace tessera::placement {

/// A target, and the one whose code runs before it.
using Change = std::pair<const void*, const void*>;

/// By the order of the tiles' first operators, which is nearly that in which they run.
static std::set<Change> changesOf(const std::vector<PlannedTile>& plan) {
  std::vector<std::pair<uint32_t, const void*>> targets;
  for (const PlannedTile& planned : plan)
    targets.emplace_back(planned.tile.nodes.front(), planned.tile.target.getAsOpaquePointer());
  std::ranges::sort(targets);
  std::set<Change> changes;
  for (size_t i = 1; i < targets.size(); ++i)
    changes.emplace(targets[i - 1].second, targets[i].second);
  return changes;
}

std::vector<size_t> mostTelling(const std::vector<std::vector<PlannedTile>>& plans, size_t most) {
  std::vector<size_t> chosen;
  std::set<Change> told;
  const auto numNew = [&](const std::vector<PlannedTile>& plan) {
    return std::ranges::count_if(changesOf(plan),
                                 [&](const Change& change) { return !told.contains(change); });
  };
  while (chosen.size() < std::min(most, plans.size())) {
    const auto best = std::ranges::max_element(plans, {}, numNew);
    if (numNew(*best) == 0 && !chosen.empty()) break;
    told.merge(changesOf(*best));
    chosen.push_back(static_cast<size_t>(best - plans.begin()));
  }
  return chosen;
}

}  // namespace tessera::placement
