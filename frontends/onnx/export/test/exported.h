// Modules of text as ONNX messages, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"
#include "frontends/onnx/export/weights.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx::test {

class Export : public testing::Test {
 protected:
  /// Parses the text; the module lives as long as the test.
  mlir::ModuleOp parse(const std::string& text) {
    modules_.push_back(context_.parse(text));
    EXPECT_TRUE(modules_.back()) << context_.diagnostics();
    return modules_.back() ? modules_.back().get() : mlir::ModuleOp();
  }
  /// The entry function as a model; an empty one, with the reason in `error_`, when it is refused.
  ExportedModel exported(const std::string& text, const ExportOptions& options = {}) {
    mlir::ModuleOp module = parse(text);
    if (!module) return {};
    Result<ExportedModel> model = exportModule(module, options);
    error_ = model ? "" : model.error().toString();
    return model ? std::move(*model) : ExportedModel();
  }
  /// What is said about a text that is refused.
  std::string refusal(const std::string& text, int opset = kMaxExportOpset) {
    exported(text, {.opset = opset});
    return error_;
  }

  ir::test::TestContext context_;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules_;
  std::string error_;
};

/// The operators of a graph, in order.
inline std::vector<std::string> opTypes(const GraphProto& graph) {
  std::vector<std::string> types;
  for (const NodeProto& node : graph.node()) types.push_back(node.op_type());
  return types;
}

inline std::vector<std::string> inputsOf(const NodeProto& node) {
  return {node.input().begin(), node.input().end()};
}

/// Null when the node has no such attribute.
inline const AttributeProto* attributeOf(const NodeProto& node, const std::string& name) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

/// Empty when the node says nothing under this key.
inline std::string noteOf(const NodeProto& node, const std::string& key) {
  for (const StringStringEntryProto& entry : node.metadata_props())
    if (entry.key() == key) return entry.value();
  return {};
}

}  // namespace tessera::onnx::test
