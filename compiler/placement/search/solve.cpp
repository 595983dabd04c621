#include "compiler/placement/search/solve.h"

#include <optional>

#include "compiler/placement/search/branch.h"
#include "compiler/placement/search/frontier.h"
#include "compiler/placement/search/ilp.h"
#include "compiler/placement/search/quotient.h"
#include "compiler/placement/search/settle.h"
#include "compiler/placement/search/tree.h"
#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {

using Candidates = std::vector<CandidateId>;

static constexpr size_t kFewFrontiers = 512;
static constexpr double kShareOfFrontiers = 0.2;  // Of the time.

/// Those of which every choice can run.
static Candidates withOneEnd(const Problem& problem, const Candidates& candidates) {
  Candidates kept;
  const ValuesOfNodes index(problem);
  for (const CandidateId id : candidates)
    if (hasOneEnd(problem, index, problem.candidates[id])) kept.push_back(id);
  return kept;
}

/// What needs no library. Where cycles take too long, without the candidates that make them.
static Result<std::vector<Solution>> solveAlone(const Problem& problem,
                                                const Candidates& candidates, size_t count,
                                                const Deadline& deadline, size_t mostFrontiers) {
  double bound = 0;  // Of the first solve, which is of all candidates.
  const auto relaxed = [&](std::span<const CandidateId> some) -> Result<std::vector<Solution>> {
    TESSERA_TRY(auto found, solveFrontier(problem, some, count, deadline, mostFrontiers));
    if (some.size() == candidates.size()) bound = found.front().lowerBound;
    return found;
  };
  auto found = solveWithoutCycles(problem, candidates, count, deadline, relaxed);
  if (found || found.error().code != ErrorCode::kTargetFailed) return found;
  auto simple =
      solveFrontier(problem, withOneEnd(problem, candidates), count, deadline, mostFrontiers);
  if (!simple) return found;
  for (Solution& solution : *simple) solution.lowerBound = std::min(solution.lowerBound, bound);
  return simple;
}

static bool areCertain(const Result<std::vector<Solution>>& found, double gap) {
  return found
             ? std::ranges::all_of(*found, [&](const Solution& each) { return each.gap() <= gap; })
             : found.error().code != ErrorCode::kTargetFailed;
}

/// Narrow frontiers, which are all that most networks have; else the integer program; else wide
/// frontiers.
static Result<std::vector<Solution>> solveAny(const Problem& problem, const Candidates& candidates,
                                              size_t count, const Limits& limits) {
  const Deadline deadline(limits.seconds);
  const Deadline soon(limits.seconds * kShareOfFrontiers);
  auto quick = solveAlone(problem, candidates, count, soon, kFewFrontiers);
  if (areCertain(quick, limits.gap)) return quick;
  auto found = solveIlp(
      problem, candidates, count, limits.gap, deadline,
      quick ? std::span<const CandidateId>(quick->front().chosen) : std::span<const CandidateId>());
  if (areCertain(found, limits.gap)) return found;
  std::string remark;
  if (!found) {
    remark = found.error().message;
    found = solveAlone(problem, candidates, count, deadline, kMostFrontiers);
  }
  if (!found) return quick;
  std::vector<Solution> all = *std::move(found);
  double bound = all.front().lowerBound;
  if (quick) {
    bound = std::max(bound, quick->front().lowerBound);
    all = cheapestOf(std::move(all), *std::move(quick), count);
  }
  for (Solution& solution : all) {
    solution.lowerBound = std::min(solution.seconds, std::max(solution.lowerBound, bound));
    solution.remark = remark;
  }
  return all;
}

Result<Solution> solve(const Problem& problem, const Limits& limits) {
  const Candidates usable = usableCandidates(problem);
  const Candidates candidates = withoutDominated(problem, usable);
  std::optional<Solution> best;
  if (isTree(problem, candidates)) {
    TESSERA_TRY(best, solveTree(problem, candidates));
  } else {
    TESSERA_TRY(std::vector<Solution> found, solveAny(problem, candidates, 1, limits));
    best = std::move(found.front());
  }
  best->chosen = settleTies(problem, usable, std::move(best->chosen));
  const double seconds = toSeconds(costOf(problem, best->chosen));
  best->lowerBound = best->lowerBound == best->seconds ? seconds : best->lowerBound;
  best->seconds = seconds;
  return *std::move(best);
}

Result<std::vector<Solution>> kBest(const Problem& problem, size_t count, const Limits& limits) {
  return solveAny(problem, usableCandidates(problem), count, limits);
}

}  // namespace tessera::placement::search
