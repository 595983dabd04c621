// Which plans are run for what they tell of others.
#include "compiler/placement/whole_plans/probes.h"

#include <gtest/gtest.h>

namespace tessera::placement {
namespace {

using Plan = std::vector<PlannedTile>;

class ProbesTest : public testing::Test {
 protected:
  ProbesTest() { context_.loadDialect<ir::TsrDialect>(); }

  /// One operator for each target, in their order.
  Plan planOf(std::initializer_list<const char*> targets) {
    Plan plan;
    for (const char* kind : targets) {
      const auto node = static_cast<uint32_t>(plan.size());
      const auto target =
          ir::TargetAttr::get(&context_, kind, 0, mlir::DictionaryAttr::get(&context_));
      plan.push_back({.tile = {.nodes = {node}, .target = target, .reads = {}}});
    }
    return plan;
  }

  mlir::MLIRContext context_;
};

TEST_F(ProbesTest, FewPlansTellOfManyChanges) {
  const std::vector<Plan> plans = {planOf({"a", "a"}), planOf({"a", "b", "a"}),
                                   planOf({"b", "c", "a", "b"})};
  const auto chosen = mostTelling(plans, 3);  // bc, ca and ab; then aa or ba.
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[0], 2U);
  EXPECT_EQ(mostTelling(plans, 1).size(), 1U);
}

TEST_F(ProbesTest, WhatTellsOfNothingNewIsLeftOut) {
  EXPECT_EQ(mostTelling({planOf({"a", "b"}), planOf({"a", "b"})}, 3).size(), 1U);
  EXPECT_EQ(mostTelling({planOf({"a"}), planOf({"a"})}, 3).size(), 1U);
  EXPECT_TRUE(mostTelling({}, 3).empty());
}

/// Tiles of a choice stand in no order of their own.
TEST_F(ProbesTest, WhoComesBehindWhomIsToldByTheirOperators) {
  Plan turned = planOf({"a", "b"});
  std::swap(turned[0], turned[1]);
  EXPECT_EQ(mostTelling({planOf({"a", "b"}), turned}, 3).size(), 1U);
}

}  // namespace
}  // namespace tessera::placement
