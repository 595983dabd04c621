#include "compiler/placement/saved_plans/plan_file.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/content_hash.h"
#include "base/number_ranges.h"
#include "compiler/backend_api/backend.h"
#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/types.h"
#include "compiler/placement/saved_plans/plan_differences.h"
#include "mlir/AsmParser/AsmParser.h"

namespace tessera::placement {

using namespace mlir;
using json = nlohmann::ordered_json;

static constexpr int kVersion = 1;

std::string modelHash(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto function : module.getOps<func::FuncOp>())
    function.print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  return base::contentHash(text);
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static json costOf(const Measurement& cost) {
  return {{"seconds", cost.seconds}, {"low", cost.low}, {"high", cost.high}};
}

static json tileJson(const OperatorGraph& graph, const PlannedTile& planned) {
  json operators = json::array();
  for (const uint32_t node : planned.tile.nodes) operators.push_back(describeNode(graph, node));
  json tile = {{"target", backend_api::fromAttribute(planned.tile.target).toString()},
               {"operators", std::move(operators)}};
  if (!planned.tile.reads.empty()) {
    for (const Type type : planned.tile.reads) tile["reads"].push_back(textOf(type));
  }
  if (planned.tile.choice > 0) tile["choice"] = planned.tile.choice;
  if (!planned.rule.empty()) tile["rule"] = planned.rule;
  if (!planned.evidence.empty()) {
    tile["cost"] = costOf(planned.cost);
    tile["evidence"] = planned.evidence;
    if (!planned.cost.remarks.empty()) tile["remarks"] = planned.cost.remarks;
  }
  if (planned.runnerUp)
    tile["runner_up"] = {{"target", backend_api::fromAttribute(planned.runnerUp).toString()},
                         {"seconds", planned.runnerUpSeconds},
                         {"slack", planned.runnerUpSeconds - planned.cost.seconds}};
  return tile;
}

/// How many tiles of a plan each target has, where tiles are what was put together.
static json numTilesJson(const Contestant& contestant) {
  json counts = json::object();
  if (contestant.origin == Origin::kAlone || !contestant.tiles) return counts;
  for (const PlannedTile& each : *contestant.tiles) {
    json& count = counts[backend_api::fromAttribute(each.tile.target).toString()];
    count = count.is_null() ? 1U : count.get<unsigned>() + 1;
  }
  return counts;
}

static json contestantJson(const Contestant& contestant) {
  json text = {{"name", contestant.name}};
  if (json counts = numTilesJson(contestant); !counts.empty()) text["tiles"] = std::move(counts);
  if (contestant.predicted > 0) text["predicted"] = contestant.predicted;
  if (contestant.measured.outcome != costs::Outcome::kOk)
    text["failed"] = contestant.measured.reason;
  else if (contestant.measured.seconds > 0)
    text["measured"] = costOf(contestant.measured);
  if (contestant.winnersShare > 0) text["winners_share"] = contestant.winnersShare;
  if (contestant.memoryBytes > 0) text["memory_bytes"] = contestant.memoryBytes;
  if (!contestant.measured.remarks.empty()) text["remarks"] = contestant.measured.remarks;
  return text;
}

static std::string rangesOf(ArrayRef<uint32_t> nodes) {
  return base::writeRanges(std::vector<size_t>(nodes.begin(), nodes.end()));
}

/// Every operator by its name, with the numbers of those that it reads from.
static json operatorsJson(const OperatorGraph& graph) {
  json operators = json::object();
  for (uint32_t node = 0; node < graph.size(); ++node) {
    std::set<size_t> sorted;
    for (const Value value : graph.reads(node)) {
      if (graph.producerOf(value) != graph.size()) sorted.insert(graph.producerOf(value));
    }
    const std::vector<size_t> producers(sorted.begin(), sorted.end());
    operators[describeNode(graph, node)] = base::writeRanges(producers);
  }
  return operators;
}

static json fingerprintsJson(const OperatorGraph& graph) {
  json fingerprints = json::array();
  for (uint32_t node = 0; node < graph.size(); ++node)
    fingerprints.push_back(fingerprintOf(graph, node));
  return fingerprints;
}

static std::string kindName(const Answer& answer) {
  switch (answer.kind) {
    case Answer::Kind::kTakes:
      return "takes";
    case Answer::Kind::kDeclined:
      return "declined";
    case Answer::Kind::kNotMeasured:
      return "not_measured";
    case Answer::Kind::kFailed:
      break;
  }
  return std::string(costs::outcomeName(answer.cost.outcome));
}

/// Operators by their numbers: they are named once, in "operators".
static json answerJson(const Answer& answer) {
  json text = {{"target", backend_api::fromAttribute(answer.target).toString()},
               {"operators", rangesOf(answer.operators)}};
  if (answer.kind != Answer::Kind::kTakes) {
    text[kindName(answer)] = answer.reason;
    return text;
  }
  text["takes"] = answer.tile.empty() ? text["operators"] : json(rangesOf(answer.tile));
  if (answer.tile.empty()) return text;
  text["rule"] = answer.rule;
  text["cost"] = costOf(answer.cost);
  if (answer.loss) text["loss"] = *answer.loss;
  return text;
}

std::string toJson(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                   const FoundPlan& plan, const std::string& machine) {
  auto module = cast<ModuleOp>(graph.entry()->getParentOp());
  const Contestant& winner = plan.contestants.front();
  json text = {{"tessera_plan", kVersion},
               {"model", modelHash(module)},
               {"machine", machine},
               {"plan", winner.name}};
  for (size_t i = 0; i < owners.size(); ++i) text["targets"].push_back(owners[i].target.toString());
  text["search"] = {{"proposals", plan.numProposals},
                    {"declined", plan.numDeclined},
                    {"candidates", plan.numCandidates},
                    {"classes", plan.numClasses},
                    {"measured", plan.numMeasuredClasses},
                    {"rounds", plan.numRounds},
                    {"lower_bound", plan.lowerBound},
                    {"without_conversions", plan.withoutConversions},
                    {"solver", plan.solver}};
  if (plan.isStopped) text["search"]["stopped"] = true;
  if (!plan.searchFailure.empty()) text["search"]["failed"] = plan.searchFailure;
  if (!plan.remarks.empty()) text["remarks"] = plan.remarks;
  for (const Contestant& contestant : plan.contestants)
    text["contestants"].push_back(contestantJson(contestant));
  if (winner.tiles) {
    for (const PlannedTile& tile : *winner.tiles) text["tiles"].push_back(tileJson(graph, tile));
  }
  for (const PlannedTile& part : plan.parts) text["parts"].push_back(tileJson(graph, part));
  text["operators"] = operatorsJson(graph);
  text["fingerprints"] = fingerprintsJson(graph);
  for (const Answer& answer : plan.answers) text["answers"].push_back(answerJson(answer));
  return text.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

static Error malformed(const std::string& what) { return invalidInput("it is no plan: " + what); }

/// The field of an object; null where there is none.
static json fieldOf(const json& object, const char* name) {
  return object.is_object() ? object.value(name, json()) : json();
}

static Result<json> parse(const std::string& text) {
  json plan = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (plan.is_discarded()) return malformed("it is no JSON");
  const json version = fieldOf(plan, "tessera_plan");
  if (!version.is_number_integer()) return malformed("it has no field 'tessera_plan'");
  const auto number = version.get<int64_t>();
  if (number < 1) return malformed("its version is below 1");
  if (number > kVersion)
    return invalidInput("it is a plan of version " + std::to_string(number) +
                        ", expected at most " + std::to_string(kVersion));
  const json targets = fieldOf(plan, "targets");
  if (!targets.is_array() || targets.empty() || !fieldOf(plan, "model").is_string())
    return malformed("it lacks its model or its targets");
  return plan;
}

Result<std::string> targetsOfPlan(const std::string& text) {
  TESSERA_TRY(const json plan, parse(text));
  std::string targets;
  for (const json& target : plan["targets"]) {
    if (!target.is_string()) return malformed("a target is no text");
    targets += (targets.empty() ? "" : ",") + target.get<std::string>();
  }
  return targets;
}

namespace {

/// Operators by what plans call them, without the number: it changes when others come and go.
class NodeNames {
 public:
  explicit NodeNames(const OperatorGraph& graph) {
    for (uint32_t node = 0; node < graph.size(); ++node)
      nodes_[nameOf(describeNode(graph, node))].push_back(node);
  }

  /// Nothing for one that is not there, or of whose name there are several.
  std::optional<uint32_t> find(StringRef described) const {
    const auto it = nodes_.find(nameOf(described));
    return it != nodes_.end() && it->second.size() == 1 ? std::optional(it->second.front())
                                                        : std::nullopt;
  }

 private:
  static StringRef nameOf(StringRef described) { return described.split(' ').second; }

  llvm::StringMap<SmallVector<uint32_t, 1>> nodes_;
};

/// Reads the tiles, and notes which operators are others than the plan says.
class TileReader {
 public:
  TileReader(const OperatorGraph& graph, const partition::OwnerIndex& owners,
             const NodeNames* names = nullptr)
      : graph_(graph), owners_(owners), names_(names) {}

  Result<Tile> read(const json& text) {
    const json target = fieldOf(text, "target"), operators = fieldOf(text, "operators");
    if (!target.is_string() || !operators.is_array() || operators.empty())
      return malformed("a tile lacks its target or its operators");
    const backend_api::Owner* owner = owners_.findByText(target.get<std::string>());
    if (!owner)
      return invalidInput("it names target '" + target.get<std::string>() +
                          "', which is none of the module's");
    Tile tile{.nodes = {}, .target = owners_.attribute(*owner), .reads = {}};
    for (const json& each : operators) {
      TESSERA_TRY(const uint32_t node, nodeOf(each));
      tile.nodes.push_back(node);
    }
    llvm::sort(tile.nodes);
    for (const json& each : fieldOf(text, "reads")) {
      TESSERA_TRY(const Type type, typeOf(each));
      tile.reads.push_back(type);
    }
    if (const json choice = fieldOf(text, "choice"); !choice.is_null()) {
      if (!choice.is_number_unsigned() || choice.get<uint64_t>() >= kMaxLayouts)
        return malformed("a tile's choice of layouts is no small number");
      tile.choice = choice.get<uint32_t>();
    }
    return tile;
  }

  /// Whether operators that were read are not those that have their numbers.
  bool hasDifferences() const { return hasDifferences_; }

 private:
  Result<uint32_t> nodeOf(const json& text) {
    if (!text.is_string()) return malformed("an operator is no text");
    const std::string name = text.get<std::string>();
    if (const auto found = names_ ? names_->find(name) : std::nullopt) return *found;
    uint32_t node = 0;
    if (llvm::StringRef(name).split(' ').first.getAsInteger(10, node))
      return malformed("operator '" + name + "' has no number");
    if (node >= graph_.size() || describeNode(graph_, node) != name) hasDifferences_ = true;
    return node;
  }

  Result<Type> typeOf(const json& text) const {
    MLIRContext* context = graph_.entry().getContext();
    const ir::DiagnosticCapture diagnostics(context);
    const Type type = text.is_string() ? parseType(text.get<std::string>(), context) : Type();
    if (!type) return malformed("a tile reads what is no type");
    return type;
  }

  const OperatorGraph& graph_;
  const partition::OwnerIndex& owners_;
  const NodeNames* names_;  ///< Null: an operator is found by its number.
  bool hasDifferences_ = false;
};

}  // namespace

/// The operators that a plan lists.
static std::vector<KnownNode> knownNodes(const json& plan) {
  std::vector<KnownNode> nodes;
  const json operators = fieldOf(plan, "operators"), fingerprints = fieldOf(plan, "fingerprints");
  for (const auto& [description, reads] : operators.items()) {
    const size_t number = nodes.size();
    const bool isKnown =
        fingerprints.is_array() && number < fingerprints.size() && fingerprints[number].is_string();
    nodes.push_back({.description = description,
                     .fingerprint = isKnown ? fingerprints[number].get<std::string>() : ""});
  }
  return nodes;
}

Result<std::optional<std::vector<Tile>>> readPlan(const OperatorGraph& graph,
                                                  const partition::OwnerIndex& owners,
                                                  const std::string& text) {
  TESSERA_TRY(const json plan, parse(text));
  TileReader reader(graph, owners);
  std::optional<std::vector<Tile>> tiles;
  const json list = fieldOf(plan, "tiles");
  const bool isGreedys = list.is_null() && fieldOf(plan, "plan") == kGreedyName;
  if (!isGreedys && !list.is_array() && graph.size() > 0) return malformed("it lacks its tiles");
  if (list.is_array()) tiles.emplace();
  for (const json& each : list) {
    TESSERA_TRY(Tile tile, reader.read(each));
    tiles->push_back(std::move(tile));
  }
  const std::string hash = modelHash(cast<ModuleOp>(graph.entry()->getParentOp()));
  if (hash != plan["model"].get<std::string>()) {
    const std::string differences = differencesOf(graph, knownNodes(plan));
    return invalidInput("it is a plan for another model" +
                        (differences.empty() ? "" : ": " + differences));
  }
  if (reader.hasDifferences()) return malformed("its tiles name other operators than it lists");
  for (const Tile& tile : tiles.value_or(std::vector<Tile>()))
    if (!readsFit(graph, tile))
      return malformed("a tile reads other tensors than its operators do");
  return tiles;
}

Result<std::optional<std::vector<Tile>>> readFittingTiles(const OperatorGraph& graph,
                                                          const partition::OwnerIndex& owners,
                                                          const std::string& text) {
  TESSERA_TRY(const json plan, parse(text));
  const NodeNames names(graph);
  std::optional<std::vector<Tile>> tiles;
  std::vector<bool> isTaken(graph.size());
  for (const json& each : fieldOf(plan, "tiles")) {
    TileReader reader(graph, owners, &names);
    TESSERA_TRY(Tile tile, reader.read(each));
    if (!tiles) tiles.emplace();
    const auto isFree = [&](uint32_t node) { return node < graph.size() && !isTaken[node]; };
    if (reader.hasDifferences() || !llvm::all_of(tile.nodes, isFree)) continue;
    if (!readsFit(graph, tile)) tile.reads.clear();
    for (const uint32_t node : tile.nodes) isTaken[node] = true;
    tiles->push_back(std::move(tile));
  }
  return tiles;
}

}  // namespace tessera::placement
