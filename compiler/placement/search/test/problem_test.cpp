#include "compiler/placement/problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "compiler/placement/search/test/problem_builder.h"

namespace tessera::placement::search {
namespace {

/// 0 -> 1 -> 2, read in two states, with one candidate for {0, 1} and one for {2}.
Problem chain() {
  ProblemBuilder builder(3);
  builder.addValue(kNoNode, {0});
  builder.addValue(0, {1});
  builder.addValue(1, {2}, /*isResult=*/false, /*numStates=*/2, builder.addClass(1));
  builder.addValue(2, {}, /*isResult=*/true);
  builder.addCandidate({0, 1}, builder.addClass(2));
  builder.addCandidate({2}, kFree, 0, {{2, 1}});
  return builder.problem();
}

std::string whyNot(const std::function<void(Problem&)>& spoil) {
  Problem problem = chain();
  spoil(problem);
  const Status status = validate(problem);
  return status ? "" : status.error().message;
}

TEST(Problem, IsValid) {
  EXPECT_EQ(whyNot([](Problem&) {}), "");
}

TEST(Problem, CostsAreNumbers) {
  EXPECT_EQ(whyNot([](Problem& p) { p.classes[0].seconds = std::nan(""); }),
            "cost class 0 is no number of seconds of 0 or more");
  EXPECT_EQ(whyNot([](Problem& p) { p.classes[1].seconds = -1; }),
            "cost class 1 is no number of seconds of 0 or more");
  EXPECT_EQ(
      whyNot([](Problem& p) { p.classes[1].seconds = std::numeric_limits<double>::infinity(); }),
      "");
}

TEST(Problem, ValuesAreChecked) {
  EXPECT_EQ(whyNot([](Problem& p) { p.values[1].producer = 3; }),
            "value 1 has a producer that there is not");
  EXPECT_EQ(whyNot([](Problem& p) { p.values[1].readers = {2, 1}; }),
            "value 1 has readers that are unsorted or that there are not");
  EXPECT_EQ(whyNot([](Problem& p) { p.values[2].readers = {1}; }),
            "value 2 is read before it is made");
  EXPECT_EQ(whyNot([](Problem& p) { p.values[2].numStates = 65; }), "value 2 has 65 states");
  EXPECT_EQ(whyNot([](Problem& p) { p.values[2].numStates = 3; }), "value 2 lacks conversions");
  EXPECT_EQ(whyNot([](Problem& p) { p.values[2].conversions[1] = 9; }),
            "value 2 has a conversion of no class");
  EXPECT_EQ(whyNot([](Problem& p) { p.values[2].conversions[3] = 0; }),
            "value 2 has a conversion of no class");
}

TEST(Problem, CandidatesAreChecked) {
  EXPECT_EQ(whyNot([](Problem& p) { p.candidates[1].nodes = {}; }),
            "candidate 1 has no nodes, unsorted ones or some that there are not");
  EXPECT_EQ(whyNot([](Problem& p) { p.candidates[1].cost = 2; }),
            "candidate 1 has a cost of no class");
  EXPECT_EQ(whyNot([](Problem& p) { p.candidates[1].reads = {}; }),
            "candidate 1 does not read what comes from outside");
  EXPECT_EQ(whyNot([](Problem& p) { p.candidates[1].reads[0].state = 2; }),
            "candidate 1 does not read what comes from outside");
  EXPECT_EQ(whyNot([](Problem& p) { p.candidates[0].gives.push_back({.value = 1}); }),
            "candidate 0 does not give what leaves it");
  EXPECT_EQ(whyNot([](Problem& p) {
              p.candidates[0] = {.nodes = {0, 2},
                                 .reads = {{.value = 0}, {.value = 2}},
                                 .gives = {{.value = 1}, {.value = 3}}};
            }),
            "candidate 0 depends on itself");
}

}  // namespace
}  // namespace tessera::placement::search
