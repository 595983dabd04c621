#include "compiler/placement/search/lazy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "compiler/placement/search/test/random_problem.h"

namespace tessera::placement::search {
namespace {

/// What is known before anything is measured: bounds of half to all of it.
Problem withBounds(const Problem& measured, std::mt19937& random) {
  Problem problem = measured;
  for (CostClass& cost : problem.classes) {
    const double share = 0.5 + 0.5 * static_cast<double>(random() % 1000) / 1000;
    // That a class fails is not known beforehand.
    cost.seconds = std::isinf(cost.seconds) ? 1e-6 : cost.seconds * share;
    cost.isMeasured = false;
  }
  return problem;
}

Measure from(const Problem& measured) {
  return [&measured](const Round& round, Problem& problem) {
    for (const ClassId id : round.classes) problem.classes[id] = measured.classes[id];
    return true;
  };
}

TEST(Lazy, FindsTheSameOptimumWithFewerMeasurements) {
  size_t numMeasured = 0, numClasses = 0;
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Problem measured = randomProblem(random);
    Problem problem = withBounds(measured, random);
    const Result<Solution> optimum = solve(measured);
    const Result<LazySolution> lazy = solveLazily(problem, from(measured));
    ASSERT_EQ(lazy.has_value(), optimum.has_value());
    if (!lazy) continue;
    EXPECT_FALSE(lazy->isStopped);
    EXPECT_EQ(lazy->solution.seconds, optimum->seconds);
    EXPECT_EQ(costOf(measured, lazy->solution.chosen), toTicks(optimum->seconds));
    EXPECT_EQ(lazy->solution.gap(), 0);
    numMeasured += lazy->numMeasured;
    numClasses += measured.classes.size();
  }
  EXPECT_LT(numMeasured * 2, numClasses);
}

TEST(Lazy, AsksForEachClassOnce) {
  std::mt19937 random(7);
  const Problem measured = randomProblem(random);
  Problem problem = withBounds(measured, random);
  std::vector<ClassId> asked;
  const Result<LazySolution> lazy = solveLazily(problem, [&](const Round& round, Problem& now) {
    asked.insert(asked.end(), round.classes.begin(), round.classes.end());
    EXPECT_FALSE(round.optimum.chosen.empty());
    return from(measured)(round, now);
  });
  ASSERT_TRUE(lazy.has_value());
  EXPECT_EQ(lazy->numMeasured, asked.size());
  std::ranges::sort(asked);
  EXPECT_EQ(std::ranges::adjacent_find(asked), asked.end());
}

TEST(Lazy, StoppedItGivesTheBestThatIsMeasured) {
  uint32_t numFound = 0;
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Problem measured = randomProblem(random);
    const Result<Solution> optimum = solve(measured);
    if (!optimum) continue;
    for (size_t numRounds = 1; numRounds <= 3; ++numRounds) {
      Problem problem = withBounds(measured, random);
      size_t round = 0;
      const Result<LazySolution> lazy = solveLazily(problem, [&](const Round& asked, Problem& now) {
        from(measured)(asked, now);
        return ++round < numRounds;
      });
      if (!lazy) {
        EXPECT_EQ(lazy.error().code, ErrorCode::kTargetFailed) << lazy.error().message;
        continue;
      }
      ++numFound;
      EXPECT_EQ(costOf(measured, lazy->solution.chosen), toTicks(lazy->solution.seconds));
      EXPECT_GE(lazy->solution.seconds, optimum->seconds);
      EXPECT_LE(lazy->solution.lowerBound, optimum->seconds);
    }
  }
  EXPECT_GT(numFound, 100);
}

TEST(Lazy, StopsWhereNothingGetsMeasured) {
  std::mt19937 random(7);
  Problem problem = withBounds(randomProblem(random), random);
  const Result<LazySolution> lazy =
      solveLazily(problem, [](const Round&, Problem&) { return true; });
  ASSERT_FALSE(lazy.has_value());
  EXPECT_EQ(lazy.error().message, "measuring was stopped before any placement was measured");
}

}  // namespace
}  // namespace tessera::placement::search
