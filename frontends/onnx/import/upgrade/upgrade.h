// Nodes of any operator set version from 7 to 23 -> nodes of version 23.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/onnx/import/graph/graph.h"

namespace tessera::onnx {

/// What is known about values when a node is upgraded: everything before it has been imported.
class KnownValues {
 public:
  virtual ~KnownValues() = default;
  /// Nothing when the value's type is not known at all.
  virtual std::optional<ValueType> typeOf(std::string_view name) const = 0;
  /// Nothing when the value is no constant.
  virtual std::optional<TensorData> constantOf(std::string_view name) const = 0;
};

/// The node, or the few nodes, of opset 23 that compute the same outputs from the same inputs; all
/// carry the node's name, in executable order. Operators whose definition did not change, and those
/// of other domains, come back as they are. Errors: what an old version could say and opset 23
/// cannot, with the node's name.
Result<std::vector<Node>> upgradeNode(Node node, const KnownValues& known);

/// Operators of the default domain that another one has replaced, each with that one.
std::vector<std::pair<std::string_view, std::string_view>> replacedOperators();

}  // namespace tessera::onnx
