// ONNX attributes as MLIR attributes.
#pragma once

#include "compiler/ir/op_info.h"
#include "frontends/onnx/import/graph/graph.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/OperationSupport.h"

namespace tessera::onnx {

/// The attributes of a node that is `info`, each checked against the table: known, of the right
/// kind, and the required ones present. Defaults are left to the operator. Errors name the
/// attribute, not the node.
Result<mlir::NamedAttrList> convertAttributes(mlir::MLIRContext* context, const Node& node,
                                              const ir::OpInfo& info);

/// All attributes of a node that Tessera does not know; large tensors as {type, value =
/// #tsr.blob<...>}. Errors: an attribute that holds a graph.
Result<mlir::DictionaryAttr> convertCustomAttributes(mlir::MLIRContext* context, const Node& node);

}  // namespace tessera::onnx
