// A prepared function as the graph of a model.
#pragma once

#include "frontends/onnx/export/export.h"
#include "frontends/onnx/export/initializers.h"
#include "frontends/onnx/export/names.h"

namespace tessera::onnx {

/// Names of the model's own inputs or outputs, in order.
using BorderNames = std::vector<std::string>;

/// Fills graph and operator set versions of `model` with the only block of `function`: nodes of
/// `opset`, types of all values, constants that are used as initialisers. Errors name the node.
Status writeGraph(ModelProto& model, mlir::func::FuncOp function, const BorderNames& inputs,
                  const BorderNames& outputs, int opset, WeightList& weights);

}  // namespace tessera::onnx
