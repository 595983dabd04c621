// The importer's own graph: what an ONNX file says, free of protobuf, easy to rewrite.
//
// Values are referred to by name; an empty name is an absent optional input or output. A name used
// in a subgraph and not defined there means the value of that name in the enclosing graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "frontends/onnx/import/read/tensor.h"
#include "tessera/element_type.h"

namespace tessera::onnx {

constexpr int64_t kDynamicDim = -1;

struct Dimension {
  int64_t size = kDynamicDim;
  std::string symbol;  ///< Name of a dynamic dimension; may be empty.
};

/// What a file says about a value's type. Everything may be unknown.
struct ValueType {
  ElementType element = ElementType::kUndefined;
  std::optional<std::vector<Dimension>> shape;
  /// "sequence", "map", "optional", "sparse tensor" or "opaque" when the value is no tensor; else
  /// empty.
  std::string otherKind;
};

struct Graph;

/// Subgraph attributes hold their graphs by value, so that copying a node copies its bodies.
using AttributeValue =
    std::variant<int64_t, float, std::string, TensorData, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>, std::vector<TensorData>, std::vector<Graph>, ValueType>;

struct Attribute {
  std::string name;
  AttributeValue value;
  /// In a function body: take the value of the caller's attribute of this name. Empty otherwise.
  std::string reference;
};

struct Node {
  std::string opType;
  std::string domain;  ///< Empty for the default domain, never "ai.onnx".
  std::string overload;
  std::string name;  ///< Never empty once the model is normalised.
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  int64_t opset =
      0;  ///< Version of `domain` that the node is written in; 0 when the file names none.
  int64_t fileOpset = 0;  ///< What `opset` was in the file, whatever the node was upgraded to.

  const Attribute* findAttribute(std::string_view attributeName) const;
  /// The attribute as an int, or nothing when it is absent or of another kind; likewise below.
  std::optional<int64_t> intAttribute(std::string_view attributeName) const;
  std::optional<float> floatAttribute(std::string_view attributeName) const;
  const std::string* stringAttribute(std::string_view attributeName) const;
  const std::vector<int64_t>* intsAttribute(std::string_view attributeName) const;
  const std::vector<float>* floatsAttribute(std::string_view attributeName) const;
  /// The only graph of a graph attribute.
  const Graph* graphAttribute(std::string_view attributeName) const;

  void setAttribute(std::string_view attributeName, AttributeValue value);
  void removeAttribute(std::string_view attributeName);
  /// The input's name, or empty when it is absent.
  std::string_view input(size_t index) const;
  bool hasOutput(size_t index) const { return index < outputs.size() && !outputs[index].empty(); }
  /// Makes `inputs` long enough and sets one.
  void setInput(size_t index, std::string value);
};

struct NamedValue {
  std::string name;
  ValueType type;
};

struct Initializer {
  std::string name;
  TensorData tensor;
};

struct Graph {
  std::string name;
  std::vector<NamedValue> inputs;  ///< Without those that are initializers.
  std::vector<NamedValue> outputs;
  std::vector<Initializer> initializers;
  std::vector<Node> nodes;
  std::unordered_map<std::string, ValueType> valueTypes;  ///< The file's value_info.
};

/// Operator set versions by domain; the default domain is "".
using OpsetMap = std::map<std::string, int64_t, std::less<>>;

struct Function {
  std::string domain;
  std::string name;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> defaults;  ///< Attributes that have a default value.
  std::vector<Node> nodes;
};

struct Model {
  int64_t irVersion = 0;
  OpsetMap opsets;
  std::string producer;
  Graph graph;
  std::vector<Function> functions;
};

/// Names that the nodes and outputs of `graph` use and that the graph does not define, each once,
/// in order of first use.
std::vector<std::string> capturedNames(const Graph& graph);

/// The graphs held by a node's attributes.
std::vector<const Graph*> subgraphsOf(const Node& node);
std::vector<Graph*> subgraphsOf(Node& node);

/// Nodes of the graph and of all graphs inside it.
size_t countNodes(const Graph& graph);

/// How messages call a node: its name, then its operator, e.g. "conv1 (Conv)".
std::string describeNode(const Node& node);

/// An error of the user's model about one node.
Error nodeError(const Node& node, std::string message);

}  // namespace tessera::onnx
