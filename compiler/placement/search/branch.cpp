// Branch and bound: where a choice has a cycle, not all of the cycle's candidates can be taken, so
// the other choices are those without its first one, those without its second one, and so on.
#include "compiler/placement/search/branch.h"

#include <map>
#include <set>
#include <utility>

#include "compiler/placement/search/quotient.h"
#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {
namespace {

/// Choices of some candidates, by their cheapest.
struct Branch {
  std::vector<CandidateId> candidates;
  std::vector<Solution> best;
  size_t next = 0;  ///< Of those.

  Ticks bound() const { return toTicks(best[next].lowerBound); }
};

}  // namespace

Result<std::vector<Solution>> solveWithoutCycles(const Problem& problem,
                                                 std::vector<CandidateId> candidates, size_t count,
                                                 const Deadline& deadline, const Relaxed& solve) {
  TESSERA_TRY(std::vector<Solution> first, solve(candidates));
  std::multimap<Ticks, Branch> open;
  const auto add = [&](Ticks atLeast, Branch branch) {
    const Ticks bound = std::max(atLeast, branch.bound());
    open.emplace(bound, std::move(branch));
  };
  add(0, {.candidates = std::move(candidates), .best = std::move(first)});
  std::vector<Solution> found;
  std::set<std::vector<CandidateId>> isFound;
  Ticks lost = kNeverTicks;  // What is in branches where nothing was found in time.
  while (!open.empty() && found.size() < count && !(deadline.isOver() && !found.empty())) {
    auto entry = open.extract(open.begin());
    Branch& branch = entry.mapped();
    Solution& solution = branch.best[branch.next];
    const auto cycles = findCycles(problem, solution.chosen);
    if (cycles.empty()) {
      solution.lowerBound = toSeconds(std::min(entry.key(), lost));
      if (isFound.insert(solution.chosen).second) found.push_back(std::move(solution));
      if (++branch.next < branch.best.size()) add(entry.key(), std::move(branch));
      continue;
    }
    if (deadline.isOver()) return targetFailed("no choice of candidates was found in time");
    for (const CandidateId id : cycles.front()) {
      std::vector<CandidateId> without = branch.candidates;
      std::erase(without, id);
      if (auto best = solve(without))
        add(entry.key(), {.candidates = std::move(without), .best = *std::move(best)});
      else if (best.error().code == ErrorCode::kTargetFailed)
        lost = std::min(lost, entry.key());
    }
  }
  if (found.empty()) return noChoice();
  std::ranges::stable_sort(found, {}, &Solution::seconds);
  return found;
}

}  // namespace tessera::placement::search
