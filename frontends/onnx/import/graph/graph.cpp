#include "frontends/onnx/import/graph/graph.h"

#include <algorithm>
#include <unordered_set>

namespace tessera::onnx {

const Attribute* Node::findAttribute(std::string_view attributeName) const {
  for (const Attribute& attribute : attributes) {
    if (attribute.name == attributeName) return &attribute;
  }
  return nullptr;
}

template <typename T>
static const T* attributeAs(const Node& node, std::string_view name) {
  const Attribute* attribute = node.findAttribute(name);
  return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->value);
}

std::optional<int64_t> Node::intAttribute(std::string_view attributeName) const {
  const auto* value = attributeAs<int64_t>(*this, attributeName);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<float> Node::floatAttribute(std::string_view attributeName) const {
  const auto* value = attributeAs<float>(*this, attributeName);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

const std::string* Node::stringAttribute(std::string_view attributeName) const {
  return attributeAs<std::string>(*this, attributeName);
}

const std::vector<int64_t>* Node::intsAttribute(std::string_view attributeName) const {
  return attributeAs<std::vector<int64_t>>(*this, attributeName);
}

const std::vector<float>* Node::floatsAttribute(std::string_view attributeName) const {
  return attributeAs<std::vector<float>>(*this, attributeName);
}

const Graph* Node::graphAttribute(std::string_view attributeName) const {
  const auto* graphs = attributeAs<std::vector<Graph>>(*this, attributeName);
  return graphs == nullptr || graphs->size() != 1 ? nullptr : &graphs->front();
}

void Node::setAttribute(std::string_view attributeName, AttributeValue value) {
  removeAttribute(attributeName);
  attributes.push_back(
      {.name = std::string(attributeName), .value = std::move(value), .reference = {}});
}

void Node::removeAttribute(std::string_view attributeName) {
  std::erase_if(attributes,
                [&](const Attribute& attribute) { return attribute.name == attributeName; });
}

std::string_view Node::input(size_t index) const {
  return index < inputs.size() ? std::string_view(inputs[index]) : std::string_view();
}

void Node::setInput(size_t index, std::string value) {
  if (inputs.size() <= index) inputs.resize(index + 1);
  inputs[index] = std::move(value);
}

std::vector<const Graph*> subgraphsOf(const Node& node) {
  std::vector<const Graph*> graphs;
  for (const Attribute& attribute : node.attributes) {
    if (const auto* list = std::get_if<std::vector<Graph>>(&attribute.value)) {
      for (const Graph& graph : *list) graphs.push_back(&graph);
    }
  }
  return graphs;
}

std::vector<Graph*> subgraphsOf(Node& node) {
  std::vector<Graph*> graphs;
  for (Attribute& attribute : node.attributes) {
    if (auto* list = std::get_if<std::vector<Graph>>(&attribute.value)) {
      for (Graph& graph : *list) graphs.push_back(&graph);
    }
  }
  return graphs;
}

std::vector<std::string> capturedNames(const Graph& graph) {
  std::unordered_set<std::string> known;  // defined here, or already reported
  for (const NamedValue& input : graph.inputs) known.insert(input.name);
  for (const Initializer& initializer : graph.initializers) known.insert(initializer.name);
  for (const Node& node : graph.nodes) known.insert(node.outputs.begin(), node.outputs.end());
  std::vector<std::string> captured;
  auto use = [&](const std::string& name) {
    if (!name.empty() && known.insert(name).second) captured.push_back(name);
  };
  for (const Node& node : graph.nodes) {
    for (const std::string& input : node.inputs) use(input);
    for (const Graph* subgraph : subgraphsOf(node)) {
      for (const std::string& name : capturedNames(*subgraph)) use(name);
    }
  }
  for (const NamedValue& output : graph.outputs) use(output.name);
  return captured;
}

size_t countNodes(const Graph& graph) {
  size_t count = graph.nodes.size();
  for (const Node& node : graph.nodes) {
    for (const Graph* subgraph : subgraphsOf(node)) count += countNodes(*subgraph);
  }
  return count;
}

std::string describeNode(const Node& node) {
  return node.name.empty() ? node.opType : node.name + " (" + node.opType + ")";
}

Error nodeError(const Node& node, std::string message) {
  Error error = invalidInput(std::move(message));
  error.node = describeNode(node);
  return error;
}

}  // namespace tessera::onnx
