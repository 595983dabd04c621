// One node of the model to be, before values have names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlir/IR/Operation.h"
#include "tessera/status.h"

namespace tessera::onnx {

/// What a rule about spelling may change (downgrade/spelling.h).
struct NodeDraft {
  std::string opType;
  std::string domain = {};                ///< Empty for the default domain.
  std::vector<mlir::Value> inputs = {};   ///< Null: absent.
  std::vector<mlir::Value> outputs = {};  ///< Null: not asked for.
  /// ONNX names, in the order of the table, without those that have their default value.
  std::vector<std::pair<std::string, mlir::Attribute>> attributes = {};
  mlir::Operation* op = nullptr;  ///< What it stands for; not null.

  mlir::Attribute findAttribute(std::string_view name) const;
  std::optional<int64_t> intAttribute(std::string_view name) const;
  /// Empty when it is absent or no string.
  std::string_view stringAttribute(std::string_view name) const;
  void setAttribute(std::string_view name, mlir::Attribute value);
  void removeAttribute(std::string_view name);
  /// Null when it is absent.
  mlir::Value input(size_t index) const { return index < inputs.size() ? inputs[index] : nullptr; }
};

/// "conv1 (Conv)", or the operator alone: how errors call the node of an operation.
std::string describe(mlir::Operation* op, std::string_view opType);

/// An error about the node.
Error draftError(const NodeDraft& draft, std::string message);

/// The node of opset 23 that a tensor operator, a foreign operator or control flow stands for, by
/// the table of operators. Bodies are left to the writer. Errors: an operation without ONNX form.
Result<NodeDraft> draftNode(mlir::Operation* op);

/// Whether `opset` has the operator. The error names both.
Status checkOperator(const NodeDraft& draft, int opset);

/// Whether `opset` has a node of this form: operator, attributes, numbers of inputs and outputs,
/// element types. Nodes of other domains always pass. The error names operator and opset.
Status checkForm(const NodeDraft& draft, int opset);

}  // namespace tessera::onnx
