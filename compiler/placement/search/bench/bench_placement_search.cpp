// How long the solvers take on problems of the size of large networks (1,500 operators), how surely
// they solve them (gap_percent), and how much of one a lazy search measures. Each case checks that
// what it gets is a choice with the cost that it is said to have.
//   bench_placement_search [--benchmark_filter=...]
#include <benchmark/benchmark.h>

#include "compiler/placement/search/frontier.h"
#include "compiler/placement/search/ilp.h"
#include "compiler/placement/search/lazy.h"
#include "compiler/placement/search/test/network_problem.h"
#include "compiler/placement/search/tree.h"
#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {
namespace {

/// Chains of one layout; chains in three; whole runs and groups across branches besides; and with
/// blocks that read the results of eight blocks before.
enum Kind : int64_t { kCones, kLayouts, kRegions, kDense };

Problem problemOf(int64_t kind) {
  switch (kind) {
    case kCones:
      return networkProblem({.numStates = 1, .hasRegions = false});
    case kLayouts:
      return networkProblem({.hasRegions = false});
    case kRegions:
      return networkProblem();
    default:
      return networkProblem({.numLater = 8});
  }
}

Solution firstOf(const Solution& found) { return found; }
Solution firstOf(const LazySolution& found) { return found.solution; }
Solution firstOf(const std::vector<Solution>& found) { return found.front(); }

/// Runs `solveIt` on a problem again and again, then checks the last result.
template <typename SolveIt>
void run(benchmark::State& state, SolveIt solveIt) {
  const Problem problem = problemOf(state.range(0));
  decltype(solveIt(problem)) found = noChoice();
  for (auto _ : state) found = solveIt(problem);
  if (!found) return state.SkipWithError(found.error().message.c_str());
  const Solution solution = firstOf(*found);
  if (!checkChoice(problem, solution.chosen) ||
      toSeconds(costOf(problem, solution.chosen)) != solution.seconds)
    return state.SkipWithError("a wrong choice");
  state.SetLabel(solution.solver);
  state.counters["candidates"] = static_cast<double>(problem.candidates.size());
  state.counters["chosen"] = static_cast<double>(solution.chosen.size());
  state.counters["cost_ms"] = solution.seconds * 1e3;
  state.counters["gap_percent"] = solution.gap() * 100;
}

void benchSolve(benchmark::State& state) {
  run(state, [](const Problem& problem) { return solve(problem); });
}

void benchTree(benchmark::State& state) {
  run(state, [](const Problem& problem) { return solveTree(problem, usableCandidates(problem)); });
}

void benchFrontier(benchmark::State& state) {
  run(state, [](const Problem& problem) {
    return solveFrontier(problem, withoutDominated(problem, usableCandidates(problem)), 1,
                         Deadline(10));
  });
}

void benchIlp(benchmark::State& state) {
  run(state, [](const Problem& problem) {
    return solveIlp(problem, withoutDominated(problem, usableCandidates(problem)), 1, /*gap=*/0,
                    Deadline(30));
  });
}

void benchEightBest(benchmark::State& state) {
  run(state, [](const Problem& problem) { return kBest(problem, 8); });
}

/// With lower bounds of 70 to 98 % of what is measured.
void benchLazy(benchmark::State& state) {
  size_t numMeasured = 0, numRounds = 0;
  run(state, [&](const Problem& measured) {
    Problem problem = measured;
    uint32_t random = 1;
    for (CostClass& cost : problem.classes) {
      random = random * 1664525 + 1013904223;  // Knuth's linear congruence.
      cost.seconds *= 0.7 + 0.28 * (random >> 8) / double{1 << 24};
      cost.isMeasured = false;
    }
    Result<LazySolution> lazy = solveLazily(problem, [&](const Round& round, Problem& now) {
      for (const ClassId id : round.classes) now.classes[id] = measured.classes[id];
      return true;
    });
    if (lazy) numMeasured = lazy->numMeasured, numRounds = lazy->numRounds;
    return lazy;
  });
  state.counters["measured"] = static_cast<double>(numMeasured);
  state.counters["rounds"] = static_cast<double>(numRounds);
}

BENCHMARK(benchTree)->Arg(kCones)->Unit(benchmark::kMillisecond);
BENCHMARK(benchSolve)->DenseRange(kCones, kDense)->Unit(benchmark::kMillisecond);
BENCHMARK(benchFrontier)->DenseRange(kLayouts, kDense)->Unit(benchmark::kMillisecond);
BENCHMARK(benchIlp)->DenseRange(kLayouts, kDense)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(benchEightBest)->Arg(kRegions)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(benchLazy)->Arg(kCones)->Arg(kRegions)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::placement::search

BENCHMARK_MAIN();
