// What the entry promises, whichever solver it takes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "compiler/placement/search/quotient.h"
#include "compiler/placement/search/solve.h"
#include "compiler/placement/search/test/brute_force.h"
#include "compiler/placement/search/test/network_problem.h"
#include "compiler/placement/search/test/problem_builder.h"
#include "compiler/placement/search/test/random_problem.h"

namespace tessera::placement::search {
namespace {

TEST(Solve, IsExactAndTheSameEachTime) {
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Problem problem = randomProblem(random);
    const std::vector<CountedChoice> all = allChoices(problem);
    const Result<Solution> once = solve(problem), again = solve(problem);
    ASSERT_EQ(once.has_value(), !all.empty());
    ASSERT_EQ(again.has_value(), !all.empty());
    if (!once) continue;
    EXPECT_EQ(toTicks(once->seconds), all.front().ticks);
    EXPECT_EQ(costOf(problem, once->chosen), all.front().ticks);
    EXPECT_TRUE(checkChoice(problem, once->chosen).has_value());
    EXPECT_EQ(once->gap(), 0);
    EXPECT_EQ(once->chosen, again->chosen);
  }
}

/// The candidates of owners below `numOwners`.
Problem ofOwners(Problem problem, uint32_t numOwners) {
  std::erase_if(problem.candidates,
                [&](const Candidate& candidate) { return candidate.owner >= numOwners; });
  return problem;
}

TEST(Solve, AnotherOwnerNeverRaisesTheOptimum) {
  uint32_t numLowered = 0;
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    const Problem problem = randomProblem(random, {.numOwners = 3});
    double before = std::numeric_limits<double>::infinity();
    for (uint32_t numOwners = 1; numOwners <= 3; ++numOwners) {
      const Result<Solution> found = solve(ofOwners(problem, numOwners));
      const double now = found ? found->seconds : std::numeric_limits<double>::infinity();
      EXPECT_LE(now, before) << "seed " << seed;
      numLowered += now < before ? 1 : 0;
      before = now;
    }
  }
  EXPECT_GT(numLowered, 500);
}

TEST(Solve, AWorseCandidateChangesNothing) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    Problem problem = randomProblem(random);
    const Result<Solution> before = solve(problem);
    if (!before) continue;
    problem.classes.push_back({.seconds = 1});
    for (size_t i = problem.candidates.size(); i-- > 0;) {
      Candidate worse = problem.candidates[i];
      worse.cost = static_cast<ClassId>(problem.classes.size() - 1);
      problem.candidates.push_back(std::move(worse));
    }
    const Result<Solution> after = solve(problem);
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(after->chosen, before->chosen) << "seed " << seed;
  }
}

/// Two chains side by side, 0 -> 1 and 2 -> 3; {0, 3} and {1, 2} can run each, but not both.
Problem crossing(double pairSeconds) {
  ProblemBuilder builder(4);
  builder.addValue(kNoNode, {0, 2});
  builder.addValue(0, {1});
  builder.addValue(1, {}, /*isResult=*/true);
  builder.addValue(2, {3});
  builder.addValue(3, {}, /*isResult=*/true);
  const ClassId single = builder.addClass(10 * kMicrosecond);
  for (NodeId node = 0; node < 4; ++node) builder.addCandidate({node}, single);
  const ClassId pair = builder.addClass(pairSeconds);
  builder.addCandidate({0, 3}, pair);
  builder.addCandidate({1, 2}, pair);
  return builder.problem();
}

TEST(Solve, CD2_GroupsThatWaitForEachOtherAreNotTakenTogether) {
  const Problem problem = crossing(kMicrosecond);
  ASSERT_TRUE(validate(problem).has_value());
  EXPECT_EQ(findCycles(problem, std::vector<CandidateId>{4, 5}).size(), 1u);
  EXPECT_FALSE(checkChoice(problem, std::vector<CandidateId>{4, 5}).has_value());
  const Result<Solution> found = solve(problem);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(toTicks(found->seconds), toTicks(21 * kMicrosecond));
}

/// Three chains; each of three pairs waits for the next one only: no two of them are in conflict.
TEST(Solve, LongerCyclesAreFoundToo) {
  ProblemBuilder builder(6);
  builder.addValue(kNoNode, {0, 2, 4});
  for (NodeId node = 0; node < 6; node += 2) {
    builder.addValue(node, {node + 1});
    builder.addValue(node + 1, {}, /*isResult=*/true);
  }
  const ClassId single = builder.addClass(10 * kMicrosecond);
  for (NodeId node = 0; node < 6; ++node) builder.addCandidate({node}, single);
  const ClassId pair = builder.addClass(kMicrosecond);
  const std::vector<CandidateId> ring = {builder.addCandidate({0, 3}, pair),
                                         builder.addCandidate({1, 4}, pair),
                                         builder.addCandidate({2, 5}, pair)};
  const Problem problem = builder.problem();
  ASSERT_TRUE(validate(problem).has_value());
  ASSERT_EQ(findCycles(problem, ring).front().size(), 3u);
  const Result<Solution> found = solve(problem);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(toTicks(found->seconds), toTicks(22 * kMicrosecond));
}

TEST(Solve, SaysWhatCannotBeCovered) {
  ProblemBuilder builder(2);
  builder.addValue(0, {1});
  builder.addValue(1, {}, /*isResult=*/true);
  builder.addCandidate({0}, kFree);
  builder.addCandidate({1}, builder.addClass(std::numeric_limits<double>::infinity()));
  const Result<Solution> found = solve(builder.problem());
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().message, "operator 1 is in no candidate that works");
}

TEST(Solve, SaysWhereNothingFits) {
  ProblemBuilder builder(3);
  builder.addValue(0, {1});
  builder.addValue(1, {2});
  builder.addValue(2, {}, /*isResult=*/true);
  builder.addCandidate({0, 1}, kFree);
  builder.addCandidate({1, 2}, kFree);
  const Result<Solution> found = solve(builder.problem());
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().message,
            "no choice of candidates covers each operator once and can be had");
}

TEST(Solve, NothingToPlaceIsPlaced) {
  const Result<Solution> found = solve(Problem{});
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->chosen.empty());
  EXPECT_EQ(found->seconds, 0);
}

/// A chain of three, each free for two owners, the middle one's first candidate is another's.
TEST(Solve, OfEqualChoicesTheOneWithFewerSwitches) {
  ProblemBuilder builder(3);
  builder.addValue(0, {1});
  builder.addValue(1, {2});
  builder.addValue(2, {}, /*isResult=*/true);
  const ClassId cost = builder.addClass(kMicrosecond);
  builder.addCandidate({0}, cost, 1);
  builder.addCandidate({1}, cost, 0);
  builder.addCandidate({1}, cost, 1);
  builder.addCandidate({2}, cost, 1);
  Result<Solution> found = solve(builder.problem());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->chosen, (std::vector<CandidateId>{0, 2, 3}));

  builder.addCandidate({0, 1, 2}, builder.addClass(3 * kMicrosecond), 0);
  found = solve(builder.problem());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->chosen, (std::vector<CandidateId>{4}));
}

TEST(KBest, AreTheCheapestOfAll) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Problem problem = randomProblem(random, {.maxNodes = 10});
    const std::vector<CountedChoice> all = allChoices(problem);
    const size_t count = 1 + seed % 8;
    const Result<std::vector<Solution>> found = kBest(problem, count);
    ASSERT_EQ(found.has_value(), !all.empty());
    if (!found) continue;
    ASSERT_EQ(found->size(), std::min(count, all.size()));
    for (size_t i = 0; i < found->size(); ++i) {
      EXPECT_EQ(toTicks((*found)[i].seconds), all[i].ticks);
      EXPECT_EQ(costOf(problem, (*found)[i].chosen), all[i].ticks);
      for (size_t k = 0; k < i; ++k) EXPECT_NE((*found)[k].chosen, (*found)[i].chosen);
    }
  }
}

TEST(Solve, CD10_LargeNetworksAreCertainInTime) {
  const Problem cones = networkProblem({.numStates = 1, .hasRegions = false});
  const Problem regions = networkProblem();
  for (const Problem* problem : {&cones, &regions}) {
    ASSERT_TRUE(validate(*problem).has_value());
    ASSERT_GE(problem->numNodes, 1500u);
    const auto begin = std::chrono::steady_clock::now();
    const Result<Solution> found = solve(*problem);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->solver == "tree", problem == &cones);
    constexpr double kMostSeconds = 60;  // Ten, on a machine that does nothing else.
    EXPECT_LT(spent.count(), kMostSeconds);
    EXPECT_TRUE(checkChoice(*problem, found->chosen).has_value());
    EXPECT_EQ(costOf(*problem, found->chosen), toTicks(found->seconds));
    EXPECT_LE(found->gap(), 0.005);
  }
}

/// Frontiers of these are wide: nothing but an integer program solves them.
TEST(Solve, CD10_SoAreThoseWithManyLateReaders) {
  const Problem problem = networkProblem({.numLater = 8});
  ASSERT_GE(problem.numNodes, 1500u);
  const Result<Solution> found = solve(problem);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->solver, "ilp");
  EXPECT_TRUE(checkChoice(problem, found->chosen).has_value());
  EXPECT_LE(found->gap(), 0.005);
}

/// The same, smaller.
TEST(Solve, WithoutHighsItSaysWhyAndHowSurely) {
  const Problem problem = networkProblem({.numNodes = 200, .numLater = 8});
  const Result<Solution> best = solve(problem);
  ASSERT_TRUE(best.has_value());
  setenv("TESSERA_HIGHS", "/no/such/library.so", /*overwrite=*/1);
  const Result<Solution> found = solve(problem, {.seconds = 1});
  unsetenv("TESSERA_HIGHS");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(checkChoice(problem, found->chosen).has_value());
  EXPECT_EQ(found->solver, "frontier");
  EXPECT_NE(found->remark.find("cannot load HiGHS"), std::string::npos) << found->remark;
  EXPECT_GT(found->gap(), 0);
  EXPECT_LE(found->lowerBound, best->seconds);
}

}  // namespace
}  // namespace tessera::placement::search
