// What targets say of operators after a search, and without one.
#include "compiler/placement/node_answers.h"

#include <nlohmann/json.hpp>

#include "compiler/partition/test/placement_for_test.h"
#include "compiler/placement/costing/cost_table.h"
#include "compiler/placement/find_plan.h"
#include "compiler/placement/passes.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/saved_plans/plan_file.h"

namespace tessera::placement {
namespace {

using namespace mlir;
using nlohmann::json;
using partition::only;

constexpr const char* kChain = R"(
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
    %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
    %2 = tsr.abs %1 : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  })";

/// Times of a table, but for one target, whose results are wrong.
class PartlyWrong final : public Measurer {
 public:
  PartlyWrong(CostTable table, std::string wrong)
      : table_(std::move(table)), wrong_(std::move(wrong)) {}

  bool isExact() const override { return true; }
  std::vector<Measurement> measure(ArrayRef<Subject> subjects, Effort /*effort*/) override {
    std::vector<Measurement> found = table_.measureWhole(subjects, /*areRivals=*/true);
    for (auto [subject, measurement] : llvm::zip_equal(subjects, found)) {
      if (subject.target && subject.target.getKind() == wrong_)
        measurement = {.outcome = costs::Outcome::kWrong, .reason = "output 0 differs"};
    }
    return found;
  }
  std::vector<Measurement> measureWhole(ArrayRef<Subject> subjects, bool areRivals) override {
    return table_.measureWhole(subjects, areRivals);
  }

 private:
  CostTableMeasurer table_;
  std::string wrong_;
};

class NodeAnswersTest : public partition::PlacementTest {
 protected:
  Status placeModule(ModuleOp module) {
    return partition::placeUntilAccepted(module, [&](ModuleOp attempt) -> Status {
      PassManager manager(&context_);
      const auto addNothing = [](OpPassManager&) {};
      if (attempt->hasAttr(kPlanAttribute))
        buildPlannedPartition(manager, addNothing);
      else
        partition::buildGreedyPartition(manager, addNothing);
      if (succeeded(manager.run(attempt))) return {};
      return targetFailed("it cannot be placed");
    });
  }

  /// The plan's file for the chain.
  json find(const char* costs, const std::string& wrong = "") {
    auto module = parse(kChain);
    auto table = CostTable::parse(costs);
    if (!table) return table.error().message;
    PartlyWrong measurer(std::move(*table), wrong);
    const auto found = findPlan({.module = *module,
                                 .place = [&](ModuleOp each) { return placeModule(each); },
                                 .measurer = &measurer});
    return found ? asJson(*module, *found) : json(found.error().message);
  }
  json greedy() {
    auto module = parse(kChain);
    const auto found = describeGreedy(*module, [&](ModuleOp each) { return placeModule(each); });
    return found ? asJson(*module, *found) : json(found.error().message);
  }
  static json asJson(ModuleOp module, const FoundPlan& found) {
    return json::parse(toJson(OperatorGraph(ir::entryFunction(module)),
                              *partition::OwnerIndex::of(module), found, "here"));
  }

  /// Those of a target about an operator.
  static std::vector<json> answersOf(const json& plan, const std::string& target,
                                     const std::string& node) {
    std::vector<json> answers;
    for (const json& each : plan["answers"]) {
      const std::string nodes = " " + each["operators"].get<std::string>() + " ";
      if (each["target"] == target && nodes.find(" " + node + " ") != std::string::npos)
        answers.push_back(each);
    }
    return answers;
  }
};

TEST_F(NodeAnswersTest, WhoTakesAnOperatorSaysWhatThePlanWouldLose) {
  place({{.name = "a"}, {.name = "host"}});
  const json plan = find(R"([{"target": "a", "operator": "relu", "seconds": 1},
                             {"target": "a", "operator": ".*", "seconds": 9},
                             {"target": "host", "operator": ".*", "seconds": 5}])");
  EXPECT_EQ(plan["operators"], json::parse(R"({"0 relu": "", "1 exp": "0", "2 abs": "1"})"));
  const std::vector<json> exp = answersOf(plan, "a", "1");
  ASSERT_EQ(exp.size(), 1U);
  EXPECT_EQ(exp[0]["takes"], "1");
  EXPECT_EQ(exp[0]["cost"]["seconds"], 9);
  EXPECT_EQ(exp[0]["loss"], 4);
  ASSERT_EQ(answersOf(plan, "host", "1").size(), 1U);
  EXPECT_EQ(answersOf(plan, "host", "1")[0]["loss"], 0);
  EXPECT_FALSE(plan.contains("parts"));  // The tiles say it.
}

TEST_F(NodeAnswersTest, WhoDeclinesSaysWhyAndEqualAnswersAreOne) {
  place({{.name = "a", .supports = only({"relu"})}, {.name = "host"}});
  const json plan = find(R"([{"operator": ".*", "seconds": 1}])");
  ASSERT_EQ(answersOf(plan, "a", "1").size(), 1U);
  EXPECT_EQ(answersOf(plan, "a", "1")[0]["declined"], "it takes no exp");
  ASSERT_EQ(answersOf(plan, "a", "2").size(), 1U);
  EXPECT_EQ(answersOf(plan, "a", "2")[0]["declined"], "it takes no abs");
}

TEST_F(NodeAnswersTest, WhatFailedSaysHow) {
  place({{.name = "a", .supports = only({"relu"})}, {.name = "host"}});
  const json plan = find(R"([{"target": "a", "operator": ".*", "seconds": 1},
                             {"target": "host", "operator": ".*", "seconds": 5}])",
                         "a");
  ASSERT_EQ(answersOf(plan, "a", "0").size(), 1U);
  EXPECT_EQ(answersOf(plan, "a", "0")[0]["wrong"], "output 0 differs");
}

TEST_F(NodeAnswersTest, WhereAnotherPlanWinsItsPartsAreToldWithWhatIsKnownOfThem) {
  place({{.name = "a", .supports = only({"relu"})}, {.name = "host"}});
  // The call costs nothing by itself: the best plan is what the host makes of all.
  const json plan = find(R"([{"target": "a", "operator": ".*", "seconds": 5},
                             {"target": "host", "operator": ".*", "seconds": 5}])");
  ASSERT_NE(plan["plan"], "search");
  ASSERT_TRUE(plan.contains("parts"));
  std::string operators;
  for (const json& part : plan["parts"]) {
    EXPECT_TRUE(part.contains("cost"));
    for (const json& each : part["operators"]) operators += each.get<std::string>() + ";";
  }
  EXPECT_EQ(operators, "0 relu;1 exp;2 abs;");
}

TEST_F(NodeAnswersTest, GreedyPlacementIsToldWithoutCosts) {
  place({{.name = "a", .supports = only({"relu"})}, {.name = "host"}});
  const json plan = greedy();
  EXPECT_EQ(plan["plan"], "greedy");
  EXPECT_EQ(plan["parts"][0]["target"], "a");
  EXPECT_EQ(plan["parts"][1]["target"], "host");
  ASSERT_EQ(answersOf(plan, "host", "0-2").size(), 1U);
  EXPECT_EQ(answersOf(plan, "host", "0-2")[0]["takes"], "0-2");
  EXPECT_EQ(answersOf(plan, "a", "1")[0]["declined"], "it takes no exp");
}

}  // namespace
}  // namespace tessera::placement
