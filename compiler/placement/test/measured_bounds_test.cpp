// What searches measure, and what they leave out.
#include <array>
#include <cmath>

#include "compiler/placement/candidates/lower_bound.h"
#include "compiler/placement/test/find_plan_for_test.h"

namespace tessera::placement {
namespace {

using namespace mlir;

/// Its bounds are rooflines alone: nothing is left out that one of these could not prove dear.
class ExactMeasurer final : public TableMeasurer {
 public:
  using TableMeasurer::TableMeasurer;
  bool isExact() const override { return true; }
};

/// A model of unary and binary operators in which each reads the one before it, and some another.
std::string randomModel(std::mt19937_64& random, size_t numOperators) {
  const std::string type = "tensor<64xf32>";
  std::string text = "func.func @main(%0: " + type + ") -> " + type + " {\n";
  for (size_t i = 1; i <= numOperators; ++i) {
    const std::string value = "%" + std::to_string(i), last = "%" + std::to_string(i - 1);
    constexpr std::array kUnary = {"relu", "exp", "abs", "neg"};
    if (random() % 3 != 0 || i < 2) {
      text += value + " = tsr." + kUnary[random() % kUnary.size()] + " " + last + " : (" + type +
              ") -> " + type + "\n";
    } else {
      const std::string other = "%" + std::to_string(random() % (i - 1));
      text += value + " = tsr." + (random() % 2 == 0 ? "add " : "mul ") + last + ", " + other +
              " : (" + type + ", " + type + ") -> " + type + "\n";
    }
  }
  return text + "return %" + std::to_string(numOperators) + " : " + type + "\n}";
}

TEST_F(FindPlanTest, ABoundIsWhatTheOwnerSaysOrWhatProcessorsCanDo) {
  const auto least = [](func::FuncOp) { return std::optional(1e-12); };
  place({{.name = "a", .leastSeconds = least}, {.name = "host"}});
  for (const char* target : {"a", "host"}) {
    auto module = parse(kChain);
    const auto owners = partition::OwnerIndex::of(*module);
    Tile all{.nodes = {0, 1, 2}, .target = {}, .reads = {}};
    all.target = owners->attribute(*owners->findByText(target));
    const OperatorGraph graph(ir::entryFunction(*module));
    ExtractedTile extracted = extractTile(graph, all);
    ASSERT_TRUE(placeModule(*extracted.module));
    const double bound = lowerBound(*extracted.module, *owners);
    constexpr double kOfTwo = 2e-12;  // The two relus are one region.
    if (target == std::string("a"))
      EXPECT_DOUBLE_EQ(bound, kOfTwo);
    else
      EXPECT_GT(bound, 2 * kOfTwo);
  }
}

TEST_F(FindPlanTest, WhatIsNotMeasuredIsOnNoBetterPlan) {
  place({{.name = "a", .rules = partition::merging()}, {.name = "b"}, {.name = "host"}});
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> seconds(std::log(1e-6), 1);
  size_t numLeftOut = 0;
  for (int i = 0; i < 100; ++i) {
    Times times;
    for (const char* target : {"a", "b", "host"})
      for (const char* name : {"relu", "exp", "abs", "neg", "add", "mul", "call", ""})
        times[target][name] = seconds(random);
    const std::string text = randomModel(random, 4 + random() % 9);
    TableMeasurer lazy(times);
    ExactMeasurer exact(times);
    find(text.c_str(), exact);
    const double optimum = plan_.lowerBound;
    find(text.c_str(), lazy);
    EXPECT_NEAR(plan_.lowerBound, optimum, optimum * 1e-6) << text;
    numLeftOut += plan_.numClasses - plan_.numMeasuredClasses;
  }
  EXPECT_GT(numLeftOut, 0U);
}

TEST_F(FindPlanTest, EqualTilesAreMeasuredOnce) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer({{"a", {{"", 2e-6}}}, {"host", {{"", 1e-6}}}});
  find(kChain, measurer);
  EXPECT_EQ(measurer.numGlances, measurer.names.size());
}

TEST_F(FindPlanTest, AGlanceBelowTheBoundIsFollowedByACarefulLook) {
  place({{.name = "a"}, {.name = "host"}});
  TableMeasurer measurer(
      {{"a", {{"relu", 1e-6}, {"", 9e-6}}}, {"host", {{"exp", 1e-6}, {"", 5e-6}}}});
  measurer.glanceFactor = 1e-9;
  EXPECT_EQ(find(kChain, measurer), (Texts{"a: relu", "host: exp", "a: relu"}));
  EXPECT_EQ(plan_.searchFailure, "");
}

TEST_F(FindPlanTest, WhatAGlanceThoughtTooSlowIsNotSlowForEver) {
  place({{.name = "host"}});
  TableMeasurer measurer({{"host", {{"", 1e-6}}}});
  measurer.glanceFactor = 5;
  find(kChain, measurer);
  EXPECT_NEAR(plan_.lowerBound, 3e-6, 1e-9);
}

}  // namespace
}  // namespace tessera::placement
