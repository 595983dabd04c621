// All solvers against all choices of random problems.
#include <gtest/gtest.h>

#include <functional>

#include "compiler/placement/search/branch.h"
#include "compiler/placement/search/frontier.h"
#include "compiler/placement/search/highs.h"
#include "compiler/placement/search/ilp.h"
#include "compiler/placement/search/quotient.h"
#include "compiler/placement/search/test/brute_force.h"
#include "compiler/placement/search/test/random_problem.h"
#include "compiler/placement/search/tree.h"
#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {
namespace {

constexpr double kSeconds = 60;
constexpr size_t kCount = 5;

using Solutions = Result<std::vector<Solution>>;

Solutions byTree(const Problem& problem) {
  TESSERA_TRY(Solution solution, solveTree(problem, usableCandidates(problem)));
  return std::vector<Solution>{std::move(solution)};
}

Solutions byIlp(const Problem& problem, size_t count) {
  return solveIlp(problem, usableCandidates(problem), count, /*gap=*/0, Deadline(kSeconds));
}

Solutions byFrontier(const Problem& problem, size_t count) {
  const Deadline deadline(kSeconds);
  return solveWithoutCycles(problem, usableCandidates(problem), count, deadline,
                            [&](std::span<const CandidateId> some) {
                              return solveFrontier(problem, some, count, deadline);
                            });
}

/// The cheapest `count` of all choices, or the error that says that there is none.
void expectBest(const Solutions& found, const Problem& problem,
                const std::vector<CountedChoice>& all, size_t count) {
  ASSERT_EQ(found.has_value(), !all.empty()) << (found ? "" : found.error().message);
  if (!found) {
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidInput) << found.error().message;
    return;
  }
  ASSERT_EQ(found->size(), std::min(count, all.size()));
  for (size_t i = 0; i < found->size(); ++i) {
    const Solution& solution = (*found)[i];
    const Status isChoice = checkChoice(problem, solution.chosen);
    ASSERT_TRUE(isChoice.has_value()) << isChoice.error().message;
    EXPECT_EQ(toTicks(solution.seconds), all[i].ticks) << i;
    EXPECT_EQ(costOf(problem, solution.chosen), all[i].ticks) << i;
    EXPECT_EQ(solution.gap(), 0) << i;
    for (size_t k = 0; k < i; ++k) EXPECT_NE((*found)[k].chosen, solution.chosen);
  }
}

/// Calls with random problems, all choices of each and the seed as a trace.
template <typename Check>
void forEachProblem(uint32_t count, const RandomOptions& options, Check check) {
  for (uint32_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Problem problem = randomProblem(random, options);
    const Status isValid = validate(problem);
    ASSERT_TRUE(isValid.has_value()) << isValid.error().message;
    check(problem, allChoices(problem));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Solvers, TreeIsExactForConesWithoutConversions) {
  forEachProblem(2000, {.maxStates = 1, .hasSeveralEnds = false},
                 [](const Problem& problem, const std::vector<CountedChoice>& all) {
                   ASSERT_TRUE(isTree(problem, usableCandidates(problem)));
                   expectBest(byTree(problem), problem, all, 1);
                 });
}

TEST(Solvers, TreeKnowsWhereItIsNotExact) {
  uint32_t numTrees = 0;
  forEachProblem(1000, {.maxNodes = 5, .maxStates = 2},
                 [&](const Problem& problem, const std::vector<CountedChoice>& all) {
                   if (!isTree(problem, usableCandidates(problem))) return;
                   ++numTrees;
                   expectBest(byTree(problem), problem, all, 1);
                 });
  EXPECT_GT(numTrees, 20);
  EXPECT_LT(numTrees, 500);
}

TEST(Solvers, FrontierIsExact) {
  forEachProblem(2000, {}, [](const Problem& problem, const std::vector<CountedChoice>& all) {
    expectBest(byFrontier(problem, 1), problem, all, 1);
  });
}

TEST(Solvers, FrontierIsExactWithoutConversions) {
  forEachProblem(500, {.maxStates = 1},
                 [](const Problem& problem, const std::vector<CountedChoice>& all) {
                   expectBest(byFrontier(problem, 1), problem, all, 1);
                 });
}

TEST(Solvers, FrontierFindsTheBestFew) {
  forEachProblem(500, {.maxNodes = 10},
                 [](const Problem& problem, const std::vector<CountedChoice>& all) {
                   expectBest(byFrontier(problem, kCount), problem, all, kCount);
                 });
}

TEST(Solvers, IlpIsExact) {
  if (!Highs::open({}).has_value()) GTEST_SKIP() << "HiGHS is not there";
  forEachProblem(1000, {.maxNodes = 14},
                 [](const Problem& problem, const std::vector<CountedChoice>& all) {
                   expectBest(byIlp(problem, 1), problem, all, 1);
                 });
}

TEST(Solvers, IlpFindsTheBestFew) {
  if (!Highs::open({}).has_value()) GTEST_SKIP() << "HiGHS is not there";
  forEachProblem(150, {.maxNodes = 9},
                 [](const Problem& problem, const std::vector<CountedChoice>& all) {
                   expectBest(byIlp(problem, kCount), problem, all, kCount);
                 });
}

/// With a width of one frontier it is rarely exact; it never claims more than holds.
TEST(Solvers, NarrowFrontiersAreHonest) {
  uint32_t numInexact = 0;
  forEachProblem(1000, {}, [&](const Problem& problem, const std::vector<CountedChoice>& all) {
    const Solutions found =
        solveFrontier(problem, usableCandidates(problem), 1, Deadline(0), kMostFrontiers);
    if (!found || all.empty() || !findCycles(problem, found->front().chosen).empty()) return;
    EXPECT_LE(toTicks(found->front().lowerBound), all.front().ticks);
    EXPECT_GE(toTicks(found->front().seconds), all.front().ticks);
    numInexact += found->front().gap() > 0 ? 1 : 0;
  });
  EXPECT_GT(numInexact, 100);
}

}  // namespace
}  // namespace tessera::placement::search
