// Pairs of candidates that wait for each other are ruled out from the start (conflicts.h), all that
// share a node in one row. Longer cycles are cut off as they turn up: of their candidates with
// several ends, through which alone there may be no way in the graph, at least one is not taken. A
// choice that has been given is cut off likewise, for the next best.
#include "compiler/placement/search/ilp.h"

#include "compiler/placement/search/conflicts.h"
#include "compiler/placement/search/integer_program.h"
#include "compiler/placement/search/quotient.h"
#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {
namespace {

/// What is solved again and again with more rows.
class CutProgram {
 public:
  CutProgram(const Problem& problem, std::span<const CandidateId> candidates, double scale,
             std::unique_ptr<Highs> highs)
      : problem_(problem),
        index_(problem),
        candidates_(candidates),
        scale_(scale),
        highs_(std::move(highs)) {}

  /// The best choice that is left; empty `chosen`: there is none. Errors (kTargetFailed).
  Result<Solution> next(double gap, const Deadline& deadline);
  void startFrom(std::span<const CandidateId> choice);
  /// Not all of these.
  void forbid(std::span<const CandidateId> together);

 private:
  std::vector<CandidateId> chosenBy(std::span<const double> values) const;
  int32_t columnOf(CandidateId id) const {
    return static_cast<int32_t>(std::ranges::lower_bound(candidates_, id) - candidates_.begin());
  }
  void forbidCycle(std::vector<CandidateId> cycle);

  const Problem& problem_;
  const ValuesOfNodes index_;
  std::span<const CandidateId> candidates_;
  const double scale_;
  std::unique_ptr<Highs> highs_;
};

constexpr double kTaken = 0.5;
/// Costs are scaled so that the cheap candidates of all operators sum to this: HiGHS' tolerances
/// (1e-6) are small against it.
constexpr double kWhole = 1e4;

}  // namespace

std::vector<CandidateId> CutProgram::chosenBy(std::span<const double> values) const {
  std::vector<CandidateId> chosen;
  for (size_t i = 0; i < candidates_.size(); ++i)
    if (values[i] > kTaken) chosen.push_back(candidates_[i]);
  std::ranges::sort(chosen, {},
                    [&](CandidateId id) { return problem_.candidates[id].nodes.front(); });
  return chosen;
}

void CutProgram::startFrom(std::span<const CandidateId> choice) {
  std::vector<int32_t> columns;
  for (const CandidateId id : choice) columns.push_back(columnOf(id));
  highs_->startFrom(columns);
}

void CutProgram::forbid(std::span<const CandidateId> together) {
  Program::Row row{.least = Program::kNoLimit, .most = static_cast<double>(together.size()) - 1};
  for (const CandidateId id : together) row.terms.push_back({.column = columnOf(id)});
  highs_->addRow(row);
}

void CutProgram::forbidCycle(std::vector<CandidateId> cycle) {
  std::erase_if(
      cycle, [&](CandidateId id) { return hasOneEnd(problem_, index_, problem_.candidates[id]); });
  forbid(cycle);
}

Result<Solution> CutProgram::next(double gap, const Deadline& deadline) {
  double bound = 0;
  while (true) {
    TESSERA_TRY(const ProgramResult result,
                highs_->run(std::max(deadline.secondsLeft(), 0.0), gap));
    if (result.isInfeasible) return Solution{};
    bound = std::max(bound, result.bound);
    if (result.values.empty()) return targetFailed("HiGHS found no choice in time");
    Solution solution{.chosen = chosenBy(result.values), .solver = "ilp"};
    const auto cycles = findCycles(problem_, solution.chosen);
    if (cycles.empty()) {
      const Ticks ticks = costOf(problem_, solution.chosen);
      solution.seconds = toSeconds(ticks);
      // What rounding alone makes of an optimum is no gap.
      const double whole = static_cast<double>(ticks) * scale_;
      constexpr double kRounding = 1e-9;
      solution.lowerBound = whole - bound <= kRounding * std::max(whole, kWhole)
                                ? solution.seconds
                                : std::max(bound, 0.0) / scale_ / kTicksPerSecond;
      return solution;
    }
    if (deadline.isOver()) return targetFailed("HiGHS found no choice without cycles in time");
    for (const auto& cycle : cycles) forbidCycle(cycle);
  }
}

/// At most one of a shape and of those of its conflicts that share a node, for each conflict.
static void addConflicts(const Problem& problem, std::span<const CandidateId> candidates,
                         Program& program) {
  const Conflicts conflicts(problem, candidates);
  const auto append = [&](Program::Row& row, uint32_t shape) {
    for (const CandidateId id : conflicts.candidates[shape])
      row.terms.push_back({.column = static_cast<int32_t>(std::ranges::lower_bound(candidates, id) -
                                                          candidates.begin())});
  };
  for (uint32_t shape = 0; shape < conflicts.with.size(); ++shape) {
    std::vector<uint32_t> others = conflicts.with[shape];
    std::erase_if(others, [&](uint32_t other) { return other < shape; });
    while (!others.empty()) {
      const NodeId shared =
          problem.candidates[conflicts.candidates[others.front()].front()].nodes.front();
      Program::Row row{.least = Program::kNoLimit, .most = 1};
      append(row, shape);
      std::erase_if(others, [&](uint32_t other) {
        const Candidate& candidate = problem.candidates[conflicts.candidates[other].front()];
        if (!std::ranges::binary_search(candidate.nodes, shared)) return false;
        append(row, other);
        return true;
      });
      program.rows.push_back(std::move(row));
    }
  }
}

/// The least that its candidates cost for each operator, summed.
static Ticks cheapTicks(const Problem& problem, std::span<const CandidateId> candidates) {
  std::vector<Ticks> least(problem.numNodes, kNeverTicks);
  for (const CandidateId id : candidates) {
    const Candidate& candidate = problem.candidates[id];
    const Ticks share =
        toTicks(problem.seconds(candidate.cost)) / static_cast<Ticks>(candidate.nodes.size());
    for (const NodeId node : candidate.nodes) least[node] = std::min(least[node], share);
  }
  Ticks sum = 0;
  for (const Ticks ticks : least) sum = addTicks(sum, ticks);
  return sum;
}

Result<std::vector<Solution>> solveIlp(const Problem& problem,
                                       std::span<const CandidateId> candidates, size_t count,
                                       double gap, const Deadline& deadline,
                                       std::span<const CandidateId> start) {
  const double scale =
      kWhole / static_cast<double>(std::max<Ticks>(cheapTicks(problem, candidates), 1));
  TESSERA_TRY(Program program, programOf(problem, candidates, scale));
  addConflicts(problem, candidates, program);
  TESSERA_TRY(std::unique_ptr<Highs> highs, Highs::open(program));
  CutProgram left(problem, candidates, scale, std::move(highs));
  if (!start.empty()) left.startFrom(start);
  std::vector<Solution> found;
  while (found.size() < count && (found.empty() || !deadline.isOver())) {
    Result<Solution> next = left.next(gap, deadline);
    if (!next && found.empty()) return std::move(next).error();
    if (!next || next->chosen.empty()) break;
    left.forbid(next->chosen);
    found.push_back(*std::move(next));
  }
  if (found.empty()) return noChoice();
  std::ranges::stable_sort(found, {}, &Solution::seconds);
  return found;
}

}  // namespace tessera::placement::search
