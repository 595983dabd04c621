// What a choice costs, told by hand.
#include "compiler/placement/search/solution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/placement/search/test/problem_builder.h"

namespace tessera::placement::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Ticks, AreOrderedWhateverComes) {
  EXPECT_EQ(toTicks(1.5e-6), 1'500'000);
  EXPECT_EQ(toSeconds(1'500'000), 1.5e-6);
  EXPECT_EQ(toTicks(std::nan("")), kNeverTicks);
  EXPECT_EQ(toTicks(kInfinity), kNeverTicks);
  EXPECT_EQ(toTicks(-1), kNeverTicks);
  EXPECT_EQ(toTicks(1e30), kNeverTicks);
  EXPECT_EQ(addTicks(kNeverTicks, kNeverTicks), kNeverTicks);
  EXPECT_EQ(toSeconds(kNeverTicks), kInfinity);
}

/// One value in three states that 1, 2 and 3 read and the model returns; each step between states
/// costs as many seconds as `1 << to`, but nobody can bring it from 1 to 2.
class OneValue : public testing::Test {
 protected:
  OneValue() : builder_(4) {
    builder_.addValue(0, {1, 2, 3}, /*isResult=*/true, /*numStates=*/3, kNever);
    for (StateId from = 0; from < 3; ++from)
      for (StateId to = 0; to < 3; ++to)
        if (from != to && !(from == 1 && to == 2))
          builder_.setConversion(0, from, to, builder_.addClass(1 << to));
  }

  /// With 0 giving it in `given` and the others reading it in these.
  double seconds(StateId given, const std::vector<StateId>& read) {
    std::vector<CandidateId> chosen = {builder_.addCandidate({0}, kFree, 0, {{0, given}})};
    for (NodeId node = 1; node <= 3; ++node)
      chosen.push_back(builder_.addCandidate({node}, kFree, 0, {{0, read[node - 1]}}));
    EXPECT_TRUE(validate(builder_.problem()).has_value());
    return toSeconds(costOf(builder_.problem(), chosen));
  }

  ProblemBuilder builder_;
};

TEST_F(OneValue, IsPaidOncePerStateThatIsNeeded) {
  EXPECT_EQ(seconds(0, {0, 0, 0}), 0);
  EXPECT_EQ(seconds(0, {1, 1, 1}), 2);
  EXPECT_EQ(seconds(0, {1, 2, 1}), 2 + 4);
}

TEST_F(OneValue, IsReturnedInStateZero) {
  EXPECT_EQ(seconds(1, {1, 1, 1}), 1);
  EXPECT_EQ(seconds(2, {0, 2, 1}), 1 + 2);
}

TEST_F(OneValue, CostsInfinityWhereNobodyCanConvertIt) {
  EXPECT_EQ(seconds(1, {1, 2, 1}), kInfinity);
}

TEST_F(OneValue, ReadInsideItIsPaidByNobody) {
  const std::vector<CandidateId> chosen = {
      builder_.addCandidate({0, 1, 2, 3}, builder_.addClass(5))};
  EXPECT_EQ(toSeconds(costOf(builder_.problem(), chosen)), 5);
  EXPECT_EQ(paidClasses(builder_.problem(), chosen).size(), 1u);
}

TEST(Choice, AnInputComesInStateZero) {
  ProblemBuilder builder(1);
  builder.addValue(kNoNode, {0}, /*isResult=*/false, /*numStates=*/2, builder.addClass(3));
  builder.addCandidate({0}, kFree, 0, {{0, 1}});
  EXPECT_EQ(toSeconds(costOf(builder.problem(), std::vector<CandidateId>{0})), 3);
}

TEST(Choice, CoversEachOperatorOnce) {
  ProblemBuilder builder(2);
  builder.addValue(0, {1});
  builder.addValue(1, {}, /*isResult=*/true);
  builder.addCandidate({0}, kFree);
  builder.addCandidate({0, 1}, kFree);
  const auto whyNot = [&](std::vector<CandidateId> chosen) {
    const Status status = checkChoice(builder.problem(), chosen);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(whyNot({1}), "");
  EXPECT_EQ(whyNot({0}), "operator 1 is in 0 chosen candidates, not in one");
  EXPECT_EQ(whyNot({0, 1}), "operator 0 is in 2 chosen candidates, not in one");
  EXPECT_EQ(whyNot({2}), "there is no candidate 2");
}

TEST(Choice, InfiniteCostsAreNone) {
  ProblemBuilder builder(1);
  builder.addValue(0, {}, /*isResult=*/true);
  builder.addCandidate({0}, builder.addClass(kInfinity));
  EXPECT_FALSE(checkChoice(builder.problem(), std::vector<CandidateId>{0}).has_value());
}

}  // namespace
}  // namespace tessera::placement::search
