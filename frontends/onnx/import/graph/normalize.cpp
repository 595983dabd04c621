#include "frontends/onnx/import/graph/normalize.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>

#include "frontends/onnx/import/graph/inline_functions.h"

namespace tessera::onnx {

namespace {

using NameSet = std::unordered_set<std::string>;

/// The graphs around a subgraph, innermost last.
using Scopes = std::vector<const NameSet*>;

/// Which node makes a value.
using Producers = std::unordered_map<std::string_view, size_t>;

enum class Mark : uint8_t { kNew, kActive, kDone };

}  // namespace

static void nameNodes(Graph& graph, const std::string& prefix) {
  NameSet taken;
  for (const Node& node : graph.nodes) {
    if (!node.name.empty()) taken.insert(node.name);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    if (node.name.empty()) {
      node.name = prefix + node.opType + "_" + std::to_string(i);
      while (!taken.insert(node.name).second) node.name += "_";
    }
    for (Attribute& attribute : node.attributes) {
      if (auto* graphs = std::get_if<std::vector<Graph>>(&attribute.value)) {
        for (Graph& subgraph : *graphs) nameNodes(subgraph, node.name + "/" + attribute.name + "/");
      }
    }
  }
}

/// The tensor of a Constant node with one output; null for others.
static TensorData* constantOf(Node& node) {
  if (!node.domain.empty() || node.opType != "Constant" || node.outputs.size() != 1) return nullptr;
  for (Attribute& attribute : node.attributes) {
    if (attribute.name == "value") return std::get_if<TensorData>(&attribute.value);
  }
  return nullptr;
}

/// Some exporters write a constant again, under the same name, where it is used again, and not
/// always the same one. As in ONNX Runtime the last one of equal type and shape holds everywhere,
/// and a Constant node comes after the initializers.
static void dropRepeatedConstants(Graph& graph) {
  std::unordered_map<std::string, TensorData*> first;
  // True when the first definition of the name has taken this one's value over.
  const auto isRepeated = [&](const std::string& name, TensorData& tensor) {
    const auto [entry, isNew] = first.emplace(name, &tensor);
    if (isNew || entry->second->type != tensor.type || entry->second->shape != tensor.shape)
      return false;
    *entry->second = std::move(tensor);
    return true;
  };
  // Marked first, erased then: erasing moves what `first` points to.
  for (Initializer& initializer : graph.initializers) {
    if (!initializer.name.empty() && isRepeated(initializer.name, initializer.tensor))
      initializer.name.clear();
  }
  for (Node& node : graph.nodes) {
    TensorData* tensor = constantOf(node);
    if (tensor != nullptr && isRepeated(node.outputs[0], *tensor)) node.outputs.clear();
  }
  std::erase_if(graph.initializers, [](const Initializer& one) { return one.name.empty(); });
  std::erase_if(graph.nodes,
                [](const Node& node) { return node.opType == "Constant" && node.outputs.empty(); });
}

/// Every name the graph defines; an error for one defined twice.
static Result<NameSet> definedNames(const Graph& graph) {
  NameSet names;
  for (const NamedValue& input : graph.inputs) {
    if (input.name.empty()) return invalidInput("a graph input has no name");
    if (!names.insert(input.name).second)
      return invalidInput("graph input '" + input.name + "' is defined twice");
  }
  for (const Initializer& initializer : graph.initializers) {
    if (!names.insert(initializer.name).second) {
      return invalidInput("initializer '" + initializer.name + "' is defined twice");
    }
  }
  for (const Node& node : graph.nodes) {
    for (const std::string& output : node.outputs) {
      if (!output.empty() && !names.insert(output).second) {
        return nodeError(node, "output '" + output +
                                   "' is already defined by another node, input or initializer");
      }
    }
  }
  return names;
}

static bool isDefined(const std::string& name, const Scopes& scopes) {
  return std::ranges::any_of(scopes, [&](const NameSet* scope) { return scope->contains(name); });
}

/// Indices of the nodes that must come before `node`, in the order of its inputs.
static std::vector<size_t> dependencies(const Node& node, const Producers& producers) {
  std::vector<size_t> result;
  auto add = [&](const std::string& name) {
    if (auto found = producers.find(name); found != producers.end())
      result.push_back(found->second);
  };
  for (const std::string& input : node.inputs) add(input);
  for (const Graph* subgraph : subgraphsOf(node)) {
    for (const std::string& name : capturedNames(*subgraph)) add(name);
  }
  return result;
}

static Error cycleError(const Graph& graph, const std::vector<size_t>& path, size_t again) {
  std::string names;
  size_t length = 0;
  for (const size_t node : std::ranges::reverse_view(path)) {
    if (length++ < 8) names += (names.empty() ? "" : " <- ") + graph.nodes[node].name;
    if (node == again) break;
  }
  return nodeError(graph.nodes[again], "the node is part of a cycle of " + std::to_string(length) +
                                           " nodes: " + names + (length > 8 ? " ..." : ""));
}

/// Depth first from each node in file order, with an explicit stack: files may hold long chains in
/// reverse.
static Status sortNodes(Graph& graph) {
  Producers producers;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) {
      if (!output.empty()) producers[output] = i;
    }
  }
  struct Visit {
    std::vector<size_t> before;
    size_t next = 0;
  };
  std::vector<Mark> marks(graph.nodes.size(), Mark::kNew);
  std::vector<size_t> order;
  for (size_t root = 0; root < graph.nodes.size(); ++root) {
    if (marks[root] != Mark::kNew) continue;
    std::vector<size_t> path{root};
    std::vector<Visit> visits{{.before = dependencies(graph.nodes[root], producers)}};
    marks[root] = Mark::kActive;
    while (!path.empty()) {
      Visit& visit = visits.back();
      if (visit.next == visit.before.size()) {
        marks[path.back()] = Mark::kDone;
        order.push_back(path.back());
        path.pop_back();
        visits.pop_back();
        continue;
      }
      const size_t producer = visit.before[visit.next++];
      if (marks[producer] == Mark::kActive) return cycleError(graph, path, producer);
      if (marks[producer] == Mark::kDone) continue;
      marks[producer] = Mark::kActive;
      path.push_back(producer);
      visits.push_back({dependencies(graph.nodes[producer], producers)});
    }
  }
  std::vector<Node> sorted;
  sorted.reserve(order.size());
  for (const size_t index : order) sorted.push_back(std::move(graph.nodes[index]));
  graph.nodes = std::move(sorted);
  return {};
}

/// Blanks the names of outputs that nothing reads, so that optional results are not asked for.
static void dropUnusedOutputs(Graph& graph) {
  NameSet used;
  for (const NamedValue& output : graph.outputs) used.insert(output.name);
  for (const Node& node : graph.nodes) {
    used.insert(node.inputs.begin(), node.inputs.end());
    for (const Graph* subgraph : subgraphsOf(node)) {
      for (std::string& name : capturedNames(*subgraph)) used.insert(std::move(name));
    }
  }
  for (Node& node : graph.nodes) {
    for (std::string& output : node.outputs) {
      if (!used.contains(output)) output.clear();
    }
    for (Graph* subgraph : subgraphsOf(node)) dropUnusedOutputs(*subgraph);
  }
}

static Status checkAndSort(Graph& graph, Scopes scopes) {
  dropRepeatedConstants(graph);
  TESSERA_TRY(const NameSet names, definedNames(graph));
  scopes.push_back(&names);
  for (const Node& node : graph.nodes) {
    for (const std::string& input : node.inputs) {
      if (!input.empty() && !isDefined(input, scopes)) {
        return nodeError(
            node, "input '" + input + "' is not defined by any node, graph input or initializer");
      }
    }
  }
  for (const NamedValue& output : graph.outputs) {
    if (!isDefined(output.name, scopes)) {
      return invalidInput("graph output '" + output.name +
                          "' is not defined by any node, graph input or initializer");
    }
  }
  TESSERA_TRY_VOID(sortNodes(graph));
  for (Node& node : graph.nodes) {
    for (Graph* subgraph : subgraphsOf(node)) {
      if (Status status = checkAndSort(*subgraph, scopes); !status) {
        Error error = std::move(status).error();
        if (error.node.empty()) error.node = describeNode(node);
        return error;
      }
    }
  }
  return {};
}

/// Callers ask for an output by its name.
static Status checkOutputNames(const Graph& graph) {
  NameSet names;
  for (const NamedValue& output : graph.outputs) {
    if (!names.insert(output.name).second)
      return invalidInput("graph output '" + output.name + "' is listed twice");
  }
  return {};
}

Result<Graph> normalizeModel(Model model) {
  // Before inlining, so that the nodes of a function body get the index they have in the file.
  nameNodes(model.graph, "");
  for (Function& function : model.functions) {
    for (size_t i = 0; i < function.nodes.size(); ++i) {
      Node& node = function.nodes[i];
      if (node.name.empty()) node.name = node.opType + "_" + std::to_string(i);
    }
  }
  TESSERA_TRY_VOID(checkOutputNames(model.graph));
  TESSERA_TRY_VOID(inlineFunctions(model));
  nameNodes(model.graph, "");
  TESSERA_TRY_VOID(checkAndSort(model.graph, {}));
  dropUnusedOutputs(model.graph);
  return std::move(model.graph);
}

}  // namespace tessera::onnx
