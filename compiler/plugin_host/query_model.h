// Operators of a module as a model of their own, for asking about them.
#pragma once

#include <optional>
#include <vector>

#include "frontends/onnx/export/export.h"

namespace tessera::plugin_host {

/// A model and which operator each node of its graph comes from.
struct QueryModel {
  onnx::ExportedModel model;
  std::vector<std::optional<size_t>> opOfNode;  ///< Index into what was asked; one for each node.
};

/// What others compute is an input of the graph, what the operators compute and anybody else uses,
/// or nobody, an output. `ops` in an order in which they may run. An operator may become several
/// nodes. Errors: as onnx::exportFunction's.
Result<QueryModel> modelOf(llvm::ArrayRef<mlir::Operation*> ops, int opset);

}  // namespace tessera::plugin_host
