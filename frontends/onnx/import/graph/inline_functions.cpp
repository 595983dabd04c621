// Depth first over the calls: a body is copied with its values renamed, then its own calls are
// expanded in turn. The stack of active functions finds recursion; the node budget stops bodies
// that double at every level.
#include "frontends/onnx/import/graph/inline_functions.h"

#include <algorithm>
#include <unordered_set>

namespace tessera::onnx {

constexpr size_t kMaxInlinedNodes = 1'000'000;
constexpr size_t kMaxCallDepth = 100;

namespace {

using Renaming = std::unordered_map<std::string, std::string>;
using NameSet = std::unordered_set<std::string>;

void addNames(const Graph& graph, NameSet& names);

/// The names of all values that the nodes and the graphs inside them define.
void addNames(const std::vector<Node>& nodes, NameSet& names) {
  for (const Node& node : nodes) {
    names.insert(node.outputs.begin(), node.outputs.end());
    for (const Graph* graph : subgraphsOf(node)) addNames(*graph, names);
  }
}

void addNames(const Graph& graph, NameSet& names) {
  for (const NamedValue& input : graph.inputs) names.insert(input.name);
  for (const Initializer& initializer : graph.initializers) names.insert(initializer.name);
  addNames(graph.nodes, names);
}

class Inliner {
 public:
  explicit Inliner(const Model& model) {
    for (const Function& function : model.functions)
      functions_[keyOf(function.domain, function.name, function.overload)] = &function;
    addNames(model.graph, names_);
  }

  Result<std::vector<Node>> expandNodes(std::vector<Node> nodes);

 private:
  static std::string keyOf(const std::string& domain, const std::string& name,
                           const std::string& overload) {
    return domain + '\n' + name + '\n' + overload;
  }
  Result<std::vector<Node>> expandCall(const Function& function, const Node& call);
  std::string choosePrefix(const Function& function, const Node& call);

  std::unordered_map<std::string, const Function*> functions_;
  std::vector<const Function*> active_;
  std::unordered_map<std::string, size_t>
      numPrefixes_;      ///< Tried for a call's name, but the first.
  NameSet names_;        ///< Of all values of the model so far.
  size_t numNodes_ = 0;  ///< Weight of all bodies copied so far.
};

}  // namespace

/// Nodes of a body with what hangs on them; attribute data counts as a node for each 256 bytes.
static size_t weightOf(const std::vector<Node>& nodes) {
  size_t weight = nodes.size();
  for (const Node& node : nodes) {
    weight += (node.inputs.size() + node.outputs.size()) / 8;
    for (const Attribute& attribute : node.attributes) {
      if (const auto* text = std::get_if<std::string>(&attribute.value))
        weight += text->size() / 256;
      if (const auto* ints = std::get_if<std::vector<int64_t>>(&attribute.value))
        weight += ints->size() / 32;
      if (const auto* floats = std::get_if<std::vector<float>>(&attribute.value))
        weight += floats->size() / 64;
    }
    for (const Graph* graph : subgraphsOf(node)) weight += weightOf(graph->nodes);
  }
  return weight;
}

static std::string renamed(const std::string& name, const Renaming& renaming,
                           const std::string& prefix) {
  if (name.empty()) return name;
  const auto found = renaming.find(name);
  return found != renaming.end() ? found->second : prefix + name;
}

/// Replaces references to the caller's attributes; those without a value vanish.
static void bindAttributes(Node& node, const Function& function, const Node& call) {
  std::vector<Attribute> bound;
  for (Attribute& attribute : node.attributes) {
    if (attribute.reference.empty()) {
      bound.push_back(std::move(attribute));
      continue;
    }
    const Attribute* value = call.findAttribute(attribute.reference);
    for (const Attribute& fallback : function.defaults) {
      if (value == nullptr && fallback.name == attribute.reference) value = &fallback;
    }
    if (value != nullptr)
      bound.push_back({.name = attribute.name, .value = value->value, .reference = {}});
  }
  node.attributes = std::move(bound);
}

/// Renames everything in a node of a body. Names that a subgraph defines are renamed too: they stay
/// distinct.
static void instantiate(Node& node, const Function& function, const Node& call,
                        const Renaming& renaming, const std::string& prefix) {
  bindAttributes(node, function, call);
  if (!node.name.empty()) node.name = prefix + node.name;
  for (std::string& input : node.inputs) input = renamed(input, renaming, prefix);
  for (std::string& output : node.outputs) output = renamed(output, renaming, prefix);
  for (Graph* graph : subgraphsOf(node)) {
    Renaming inner = renaming;
    auto define = [&](std::string& name) {
      inner[name] = prefix + name;
      name = prefix + name;
    };
    for (NamedValue& input : graph->inputs) define(input.name);
    for (Initializer& initializer : graph->initializers) define(initializer.name);
    for (const Node& innerNode : graph->nodes) {
      for (const std::string& output : innerNode.outputs) inner[output] = prefix + output;
    }
    std::unordered_map<std::string, ValueType> types;
    for (auto& [name, type] : graph->valueTypes)
      types[renamed(name, inner, prefix)] = std::move(type);
    graph->valueTypes = std::move(types);
    for (Node& innerNode : graph->nodes) instantiate(innerNode, function, call, inner, prefix);
    for (NamedValue& output : graph->outputs) output.name = renamed(output.name, inner, prefix);
  }
}

static Node makeIdentity(const Node& like, std::string from, std::string to) {
  Node identity;
  identity.opType = "Identity";
  identity.name = like.name + "/" + to;
  identity.inputs = {std::move(from)};
  identity.outputs = {std::move(to)};
  identity.opset = 13;
  return identity;
}

/// A prefix that makes no name of the body equal to one of the file or of an earlier body.
std::string Inliner::choosePrefix(const Function& function, const Node& call) {
  const std::string base = call.name.empty() ? call.opType : call.name;
  NameSet inner{""};  // Nodes are named by the prefix too: no two calls share one.
  addNames(function.nodes, inner);
  std::string prefix = base + "/";
  const auto isFree = [&](const std::string& name) { return !names_.contains(prefix + name); };
  for (size_t& i = numPrefixes_[base]; i > 0 || !std::ranges::all_of(inner, isFree);) {
    prefix = base + "_" + std::to_string(++i) + "/";
    if (std::ranges::all_of(inner, isFree)) break;
  }
  for (const std::string& name : inner) names_.insert(prefix + name);
  return prefix;
}

Result<std::vector<Node>> Inliner::expandCall(const Function& function, const Node& call) {
  if (std::ranges::find(active_, &function) != active_.end()) {
    return nodeError(call, "function '" + function.name + "' calls itself");
  }
  if (call.inputs.size() > function.inputs.size() ||
      call.outputs.size() > function.outputs.size()) {
    return nodeError(call, "the call has " + std::to_string(call.inputs.size()) + " inputs and " +
                               std::to_string(call.outputs.size()) + " outputs, but function '" +
                               function.name + "' has " + std::to_string(function.inputs.size()) +
                               " and " + std::to_string(function.outputs.size()));
  }
  Renaming renaming;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    renaming[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : std::string();
  }
  if (active_.size() >= kMaxCallDepth)
    return nodeError(call, "functions call each other more than 100 levels deep");
  numNodes_ += weightOf(function.nodes);
  if (numNodes_ > kMaxInlinedNodes)
    return nodeError(call, "inlining functions gives more than 1000000 nodes");
  const std::string prefix = choosePrefix(function, call);
  std::vector<Node> body = function.nodes;
  std::vector<Node> passThrough;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    if (call.outputs[i].empty()) continue;
    const std::string& formal = function.outputs[i];
    // An output that is an input of the function, or the same value as an earlier output, needs a
    // value of its own.
    const bool isTaken = renaming.contains(formal);
    if (isTaken) {
      passThrough.push_back(makeIdentity(call, renaming[formal], call.outputs[i]));
    } else {
      renaming[formal] = call.outputs[i];
    }
  }
  for (Node& node : body) instantiate(node, function, call, renaming, prefix);
  active_.push_back(&function);
  Result<std::vector<Node>> expanded = expandNodes(std::move(body));
  active_.pop_back();
  if (!expanded) return expanded;
  for (Node& node : passThrough) expanded->push_back(std::move(node));
  return expanded;
}

Result<std::vector<Node>> Inliner::expandNodes(std::vector<Node> nodes) {
  std::vector<Node> expanded;
  expanded.reserve(nodes.size());
  for (Node& node : nodes) {
    for (Graph* graph : subgraphsOf(node)) {
      TESSERA_TRY(graph->nodes, expandNodes(std::move(graph->nodes)));
    }
    const auto function = functions_.find(keyOf(node.domain, node.opType, node.overload));
    if (function == functions_.end()) {
      expanded.push_back(std::move(node));
      continue;
    }
    TESSERA_TRY(std::vector<Node> body, expandCall(*function->second, node));
    std::ranges::move(body, std::back_inserter(expanded));
  }
  return expanded;
}

Status inlineFunctions(Model& model) {
  if (model.functions.empty()) return {};
  Inliner inliner(model);
  TESSERA_TRY(model.graph.nodes, inliner.expandNodes(std::move(model.graph.nodes)));
  model.functions.clear();
  return {};
}

}  // namespace tessera::onnx
