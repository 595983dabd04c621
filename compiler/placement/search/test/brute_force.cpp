#include "compiler/placement/search/test/brute_force.h"

#include <algorithm>

#include "compiler/placement/search/quotient.h"

namespace tessera::placement::search {
namespace {

struct Enumeration {
  const Problem& problem;
  std::vector<bool> isCovered;
  std::vector<CandidateId> chosen;
  std::vector<CountedChoice> found;

  void extend(NodeId first) {
    while (first < problem.numNodes && isCovered[first]) ++first;
    if (first == problem.numNodes) {
      const Ticks ticks = costOf(problem, chosen);
      if (ticks < kNeverTicks && findCycles(problem, chosen).empty())
        found.push_back({.ticks = ticks, .chosen = chosen});
      return;
    }
    for (CandidateId id = 0; id < problem.candidates.size(); ++id) {
      const std::vector<NodeId>& nodes = problem.candidates[id].nodes;
      if (nodes.front() != first ||
          toTicks(problem.seconds(problem.candidates[id].cost)) >= kNeverTicks ||
          std::ranges::any_of(nodes, [&](NodeId node) { return isCovered[node]; }))
        continue;
      for (const NodeId node : nodes) isCovered[node] = true;
      chosen.push_back(id);
      extend(first);
      chosen.pop_back();
      for (const NodeId node : nodes) isCovered[node] = false;
    }
  }
};

}  // namespace

std::vector<CountedChoice> allChoices(const Problem& problem) {
  Enumeration all{.problem = problem,
                  .isCovered = std::vector<bool>(problem.numNodes),
                  .chosen = {},
                  .found = {}};
  all.extend(0);
  std::ranges::stable_sort(all.found, {}, &CountedChoice::ticks);
  return std::move(all.found);
}

}  // namespace tessera::placement::search
