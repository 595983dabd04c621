// From a plan's file. What an old one lacks stays empty.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/number_ranges.h"
#include "compiler/report/explain/explanation.h"

namespace tessera::report {

using json = nlohmann::ordered_json;

static Error malformed(const std::string& what) { return invalidInput("it is no plan: " + what); }

static const json& fieldOf(const json& object, const char* name) {
  static const json kNone;
  const auto it = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && it != object.end() ? *it : kNone;
}

static std::string textOf(const json& object, const char* name) {
  const json& field = fieldOf(object, name);
  return field.is_string() ? field.get<std::string>() : "";
}

static std::optional<double> numberOf(const json& object, const char* name) {
  const json& field = fieldOf(object, name);
  return field.is_number() ? std::optional(field.get<double>()) : std::nullopt;
}

static size_t countOf(const json& object, const char* name) {
  const json& field = fieldOf(object, name);
  return field.is_number_unsigned() ? field.get<size_t>() : 0;
}

static std::optional<Cost> costOf(const json& object, const char* name) {
  const json& field = fieldOf(object, name);
  const auto seconds = numberOf(field, "seconds");
  if (!seconds) return std::nullopt;
  return Cost{.seconds = *seconds,
              .low = numberOf(field, "low").value_or(*seconds),
              .high = numberOf(field, "high").value_or(*seconds)};
}

namespace {

class PlanReader {
 public:
  explicit PlanReader(const json& plan) : plan_(plan) {}

  Result<Explanation> run() {
    const json& winner = fieldOf(plan_, "plan");
    if (!winner.is_string()) return malformed("it does not say which plan it is");
    result_.plan = winner.get<std::string>();
    result_.machine = textOf(plan_, "machine");
    for (const json& target : fieldOf(plan_, "targets"))
      if (target.is_string()) result_.targets.push_back(target.get<std::string>());
    readSearch(fieldOf(plan_, "search"));
    for (const json& each : fieldOf(plan_, "contestants")) readContestant(each);
    for (const json& remark : fieldOf(plan_, "remarks"))
      if (remark.is_string()) result_.remarks.push_back(remark.get<std::string>());
    if (result_.contestants.empty()) result_.contestants.push_back({.name = result_.plan});
    TESSERA_TRY_VOID(readOperators());
    const json& parts = fieldOf(plan_, "parts");
    for (const json& each : parts.is_array() ? parts : fieldOf(plan_, "tiles"))
      TESSERA_TRY_VOID(readPart(each));
    for (const json& each : fieldOf(plan_, "answers")) TESSERA_TRY_VOID(readAnswer(each));
    orderParts();
    return std::move(result_);
  }

 private:
  void readSearch(const json& search) {
    result_.solver = textOf(search, "solver");
    result_.numCandidates = countOf(search, "candidates");
    result_.numClasses = countOf(search, "classes");
    result_.numMeasured = countOf(search, "measured");
    result_.numRounds = countOf(search, "rounds");
    const auto bound = numberOf(search, "lower_bound");
    if (bound && *bound > 0) result_.lowerBound = bound;
  }

  void readContestant(const json& each) {
    result_.contestants.push_back({.name = textOf(each, "name"),
                                   .predicted = numberOf(each, "predicted"),
                                   .measured = costOf(each, "measured"),
                                   .failure = textOf(each, "failed"),
                                   .winnersShare = numberOf(each, "winners_share")});
    const json& tiles = fieldOf(each, "tiles");
    if (!tiles.is_object()) return;
    for (const auto& [target, count] : tiles.items())
      if (count.is_number_unsigned()) result_.contestants.back().numTiles[target] = count;
  }

  /// Plans without a list of operators name those of their tiles only.
  Status readOperators() {
    const json& operators = fieldOf(plan_, "operators");
    if (operators.is_object()) {
      for (const auto& [label, reads] : operators.items()) addNode(label);
      for (const auto& [label, reads] : operators.items()) {
        TESSERA_TRY(std::vector<size_t> nodes, nodesOf(reads));
        result_.nodes[index_.at(label)].reads = std::move(nodes);
      }
      return {};
    }
    std::map<size_t, std::string> labels;
    for (const json& tile : fieldOf(plan_, "tiles")) {
      for (const json& label : fieldOf(tile, "operators")) {
        if (!label.is_string()) return malformed("an operator is no text");
        labels.emplace(std::strtoul(label.get<std::string>().c_str(), nullptr, 10), label);
      }
    }
    for (const auto& [number, label] : labels) addNode(label);
    return {};
  }

  /// "3 conv 'conv1' 'bias1'"
  void addNode(const std::string& label) {
    Node node{.label = label, .op = {}, .sources = {}, .reads = {}};
    const size_t op = label.find(' ') + 1;
    node.op = label.substr(op, label.find(' ', op) - op);
    for (size_t at = label.find(" '"); at != std::string::npos;) {
      const size_t next = label.find("' '", at);
      const size_t end = next == std::string::npos ? label.size() - 1 : next;
      node.sources.push_back(label.substr(at + 2, end - at - 2));
      at = next == std::string::npos ? next : next + 1;
    }
    index_[label] = result_.nodes.size();
    result_.nodes.push_back(std::move(node));
  }

  Result<std::vector<size_t>> nodesOf(const json& text) const {
    if (!text.is_string()) return malformed("numbers of operators are no text");
    auto nodes = base::readRanges(text.get<std::string>(), result_.nodes.size());
    if (!nodes) return malformed("'" + text.get<std::string>() + "' names no operators");
    return std::move(*nodes);
  }

  Status readPart(const json& each) {
    Part part{.target = textOf(each, "target"), .rule = textOf(each, "rule")};
    for (const json& label : fieldOf(each, "operators")) {
      const auto it = label.is_string() ? index_.find(label.get<std::string>()) : index_.end();
      if (it == index_.end()) return malformed("a tile has an operator that is not in its list");
      part.operators.push_back(it->second);
    }
    if (part.operators.empty()) return malformed("a tile has no operators");
    std::ranges::sort(part.operators);
    part.cost = costOf(each, "cost");
    part.runnerUp = textOf(fieldOf(each, "runner_up"), "target");
    part.slack = numberOf(fieldOf(each, "runner_up"), "slack").value_or(0);
    result_.parts.push_back(std::move(part));
    return {};
  }

  Status readAnswer(const json& each) {
    TESSERA_TRY(const std::vector<size_t> operators, nodesOf(fieldOf(each, "operators")));
    Answer answer{.target = textOf(each, "target"), .kind = {}};
    for (const char* kind :
         {"takes", "declined", "not_measured", "failed", "crashed", "timed_out", "wrong"}) {
      if (fieldOf(each, kind).is_string()) answer.kind = kind;
    }
    if (answer.kind.empty()) return malformed("an answer says nothing");
    if (answer.kind == "takes") {
      TESSERA_TRY(answer.operators, nodesOf(each["takes"]));
      answer.rule = textOf(each, "rule");
      answer.cost = costOf(each, "cost");
      answer.loss = numberOf(each, "loss");
    } else {
      answer.reason = textOf(each, answer.kind.c_str());
    }
    for (const size_t node : operators) result_.nodes[node].answers.push_back(answer);
    return {};
  }

  void orderParts() {
    std::ranges::sort(result_.parts, {}, &Part::operators);
    for (size_t part = 0; part < result_.parts.size(); ++part) {
      for (const size_t node : result_.parts[part].operators) result_.nodes[node].part = part;
    }
  }

  const json& plan_;
  Explanation result_;
  std::map<std::string, size_t> index_;
};

}  // namespace

Result<Explanation> readExplanation(const std::string& text) {
  const json plan = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (plan.is_discarded()) return malformed("it is no JSON");
  const json& version = fieldOf(plan, "tessera_plan");
  if (!version.is_number_integer()) return malformed("it has no field 'tessera_plan'");
  constexpr int kVersion = 1;
  if (version.get<int64_t>() < 1) return malformed("its version is below 1");
  if (version.get<int64_t>() > kVersion)
    return invalidInput("it is a plan of version " + version.dump() + ", expected at most " +
                        std::to_string(kVersion));
  return PlanReader(plan).run();
}

}  // namespace tessera::report
