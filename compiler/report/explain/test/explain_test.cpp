#include "tessera/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tessera {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlan = R"({
 "tessera_plan": 1, "model": "m", "machine": "cpu", "plan": "search", "targets": ["fast", "host -a=1"],
 "remarks": ["others use the machine"],
 "search": {"proposals": 9, "declined": 2, "candidates": 7, "classes": 6, "measured": 5, "rounds": 2, "lower_bound": 0.003},
 "contestants": [
  {"name": "search", "tiles": {"fast": 2, "host -a=1": 1}, "predicted": 0.0038, "measured": {"seconds": 0.004, "low": 0.0039, "high": 0.0041}},
  {"name": "only host -a=1", "measured": {"seconds": 0.006, "low": 0.006, "high": 0.006}, "winners_share": 0.625},
  {"name": "only fast", "failed": "output 0 differs"}],
 "tiles": [
  {"target": "host -a=1", "operators": ["2 softmax 'probs'"], "rule": "single", "cost": {"seconds": 0.001, "low": 0.001, "high": 0.001}},
  {"target": "fast", "operators": ["0 conv 'conv1'", "1 relu 'relu1'"], "rule": "region",
   "cost": {"seconds": 0.0025, "low": 0.0024, "high": 0.0026},
   "runner_up": {"target": "host -a=1", "seconds": 0.003, "slack": 0.0005}}],
 "operators": {"0 conv 'conv1'": "", "1 relu 'relu1'": "0", "2 softmax 'probs'": "1", "3 reshape 'flat <b>'": "2"},
 "answers": [
  {"target": "fast", "operators": "0-1", "takes": "0-1", "rule": "region", "cost": {"seconds": 0.0025, "low": 0.0024, "high": 0.0026}, "loss": 0},
  {"target": "fast", "operators": "2-3", "declined": "Softmax over axis 1 alone"},
  {"target": "fast", "operators": "1", "wrong": "output 0 differs"},
  {"target": "host -a=1", "operators": "0", "takes": "0", "rule": "single", "cost": {"seconds": 0.0019, "low": 0.0018, "high": 0.002}, "loss": 0.0007},
  {"target": "host -a=1", "operators": "1", "not_measured": "it cannot win"},
  {"target": "host -a=1", "operators": "2", "takes": "2", "rule": "single", "cost": {"seconds": 0.001, "low": 0.001, "high": 0.001}}]})";

std::string explain(const std::string& plan, const ExplanationOptions& options = {}) {
  const auto text = explainPlan(plan, options);
  return text ? *text : text.error().toString();
}

TEST(Explain, TellsTheRaceAndThePartsByTime) {
  const std::string text = explain(kPlan);
  EXPECT_THAT(text, HasSubstr("winner: search"));
  EXPECT_THAT(text, HasSubstr("predicted 3.800 ms; 2 fast, 1 host\n"));
  EXPECT_THAT(text, HasSubstr("4.000 ms (3.900 ms to 4.100 ms)"));
  EXPECT_THAT(text, HasSubstr("1.600 x"));  // In turns, not by the medians.
  EXPECT_THAT(text, HasSubstr("while measuring: others use the machine"));
  EXPECT_THAT(text, HasSubstr("7 candidates of 6 classes (1.2 each)"));
  EXPECT_THAT(text, HasSubstr("only fast: did not run: output 0 differs"));
  EXPECT_THAT(text, HasSubstr("the sum of its parts is 5.0 % less than its measured time"));
  EXPECT_THAT(text, HasSubstr("conversions between parts: 300.0 us"));
  EXPECT_THAT(text, HasSubstr("+500.0 us host"));
  EXPECT_LT(text.find("conv relu"), text.find("softmax"));  // The one that takes longer.
}

TEST(Explain, TellsWhatEveryTargetSaysOfANodeAndWhatWouldHaveToChange) {
  const std::string conv = explain(kPlan, {.node = "conv1"});
  EXPECT_THAT(conv, HasSubstr("0 conv 'conv1': run by fast with 1 other: conv relu"));
  EXPECT_THAT(conv, HasSubstr("host: takes it: 1.900 ms"));
  EXPECT_THAT(conv, HasSubstr("the plan would take 700.0 us more"));
  EXPECT_THAT(conv, HasSubstr("host would have to run this in 1.200 ms instead of 1.900 ms"));
  const std::string relu = explain(kPlan, {.node = "relu1"});
  EXPECT_THAT(relu, HasSubstr("fast: computes something else: output 0 differs"));
  EXPECT_THAT(relu, HasSubstr("host: not measured: it cannot win"));
  const std::string softmax = explain(kPlan, {.node = "probs"});
  EXPECT_THAT(softmax, HasSubstr("fast: declined: Softmax over axis 1 alone"));
  EXPECT_THAT(softmax, HasSubstr("fast would have to take it"));
  EXPECT_THAT(explain(kPlan, {.node = "3"}), HasSubstr("a view, which costs nothing"));
}

TEST(Explain, JsonHasAllOfIt) {
  const json all = json::parse(explain(kPlan, {.format = ExplanationFormat::kJson}));
  EXPECT_EQ(all["nodes"].size(), 4U);
  EXPECT_NEAR(all["error"].get<double>(), -0.05, 1e-9);
  EXPECT_EQ(all["parts"][0]["operators"], "0-1");  // In the order of the model.
  EXPECT_EQ(all["nodes"][2]["part"], 1);
  const json node =
      json::parse(explain(kPlan, {.format = ExplanationFormat::kJson, .node = "probs"}));
  EXPECT_EQ(node[0]["answers"][0]["answer"], "declined");
}

TEST(Explain, DotHasAPartForEachTileAndWhatFlowsBetweenThem) {
  const std::string dot = explain(kPlan, {.format = ExplanationFormat::kDot});
  EXPECT_THAT(dot, HasSubstr("p0 -> p1;"));
  EXPECT_THAT(dot, HasSubstr("p1 -> n3;"));
  EXPECT_THAT(dot, HasSubstr("fast  2.500 ms"));
}

TEST(Explain, ThePageLoadsNothingAndNamesCannotBreakOutOfIt) {
  const std::string page =
      explain(kPlan, {.format = ExplanationFormat::kHtml, .title = "a <script> & more"});
  EXPECT_THAT(page, HasSubstr("<title>a &lt;script> &amp; more"));
  EXPECT_THAT(page, HasSubstr("flat \\u003cb>"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
}

TEST(Explain, APlanWithoutAnswersIsExplainedAsFarAsItGoes) {
  json plan = json::parse(kPlan);
  plan.erase("operators");
  plan.erase("answers");
  EXPECT_THAT(explain(plan.dump()), HasSubstr("+500.0 us host"));
  EXPECT_THAT(explain(plan.dump(), {.node = "conv1"}),
              HasSubstr("the plan does not hold what targets said"));
  EXPECT_THAT(explain(plan.dump(), {.format = ExplanationFormat::kHtml}), HasSubstr("relu1"));
}

TEST(Explain, WhatIsNoPlanIsRefused) {
  EXPECT_THAT(explain("{}"), HasSubstr("it is no plan: it has no field 'tessera_plan'"));
  EXPECT_THAT(explain("[1]"), HasSubstr("it is no plan"));
  EXPECT_THAT(explain(R"({"tessera_plan": 9})"),
              HasSubstr("plan of version 9, expected at most 1"));
  EXPECT_THAT(explain(R"({"tessera_plan": 1})"), HasSubstr("it does not say which plan it is"));
  for (const auto& [field, value] : std::vector<std::pair<std::string, json>>{
           {"answers", {{{"target", "fast"}, {"operators", "0-9"}, {"takes", "0"}}}},
           {"answers", {{{"target", "fast"}, {"operators", "x"}, {"takes", "0"}}}},
           {"answers", {{{"target", "fast"}, {"operators", "0"}}}},
           {"answers", {7}},
           {"tiles", {{{"target", "fast"}, {"operators", {"7 add"}}}}},
           {"tiles", {{{"target", "fast"}, {"operators", json::array()}}}},
           {"operators", {{"0 conv", 7}}}}) {
    json plan = json::parse(kPlan);
    plan[field] = value;
    EXPECT_THAT(explain(plan.dump()), HasSubstr("it is no plan: ")) << plan[field];
  }
}

TEST(Explain, AnUnknownNodeIsRefusedWithThoseThereAre) {
  EXPECT_THAT(explain(kPlan, {.node = "conv9"}),
              HasSubstr("comes from a node 'conv9'; there are 'conv1', 'relu1', 'probs', "));
  EXPECT_THAT(explain(kPlan, {.format = ExplanationFormat::kDot, .node = "conv1"}),
              HasSubstr("a page or a graph shows the whole plan"));
}

}  // namespace
}  // namespace tessera
