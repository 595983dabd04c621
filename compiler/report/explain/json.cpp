#include <nlohmann/json.hpp>

#include "base/number_ranges.h"
#include "compiler/report/explain/render.h"

namespace tessera::report {

using json = nlohmann::ordered_json;

static json costJson(const Cost& cost) {
  return {{"seconds", cost.seconds}, {"low", cost.low}, {"high", cost.high}};
}

static json contestantJson(const Contestant& contestant) {
  json text = {{"name", contestant.name}};
  if (contestant.predicted) text["predicted"] = *contestant.predicted;
  if (contestant.measured) text["measured"] = costJson(*contestant.measured);
  if (!contestant.failure.empty()) text["failed"] = contestant.failure;
  if (!contestant.numTiles.empty()) text["tiles"] = contestant.numTiles;
  return text;
}

static json partJson(const Part& part) {
  json text = {{"target", part.target}, {"operators", base::writeRanges(part.operators)}};
  if (!part.rule.empty()) text["rule"] = part.rule;
  if (part.cost) text["cost"] = costJson(*part.cost);
  if (!part.runnerUp.empty())
    text["runner_up"] = {{"target", part.runnerUp}, {"slack", part.slack}};
  return text;
}

static json answerJson(const Explanation& plan, const Node& node, const Answer& answer) {
  json text = {{"target", answer.target}, {"answer", answer.kind}};
  if (!answer.reason.empty()) text["reason"] = answer.reason;
  if (!answer.operators.empty()) text["operators"] = base::writeRanges(answer.operators);
  if (!answer.rule.empty()) text["rule"] = answer.rule;
  if (answer.cost) text["cost"] = costJson(*answer.cost);
  if (answer.loss) text["loss"] = *answer.loss;
  const std::string change = whatWouldChange(plan, node, answer);
  if (!change.empty()) text["change"] = change;
  return text;
}

static json nodeJson(const Explanation& plan, const Node& node) {
  json text = {{"label", node.label},
               {"op", node.op},
               {"onnx_nodes", node.sources},
               {"reads", base::writeRanges(node.reads)}};
  if (node.part) text["part"] = *node.part;
  text["answers"] = json::array();
  for (const Answer& answer : node.answers)
    text["answers"].push_back(answerJson(plan, node, answer));
  return text;
}

json planJson(const Explanation& plan) {
  json text = {{"plan", plan.plan}, {"machine", plan.machine}, {"targets", plan.targets}};
  if (const auto error = predictionError(plan)) text["error"] = *error;
  text["search"] = {{"candidates", plan.numCandidates},
                    {"classes", plan.numClasses},
                    {"measured", plan.numMeasured},
                    {"rounds", plan.numRounds}};
  if (plan.lowerBound) text["search"]["lower_bound"] = *plan.lowerBound;
  text["remarks"] = plan.remarks;
  text["contestants"] = json::array();
  for (const Contestant& each : plan.contestants)
    text["contestants"].push_back(contestantJson(each));
  text["parts"] = json::array();
  for (const Part& each : plan.parts) text["parts"].push_back(partJson(each));
  text["nodes"] = json::array();
  for (const Node& each : plan.nodes) text["nodes"].push_back(nodeJson(plan, each));
  return text;
}

json nodesJson(const Explanation& plan, const std::vector<size_t>& nodes) {
  json list = json::array();
  for (const size_t node : nodes) {
    json each = nodeJson(plan, plan.nodes[node]);
    if (plan.nodes[node].part) each["part"] = partJson(plan.parts[*plan.nodes[node].part]);
    list.push_back(std::move(each));
  }
  return list;
}

}  // namespace tessera::report
