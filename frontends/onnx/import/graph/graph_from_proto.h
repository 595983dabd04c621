// Parsed messages to the importer's graph.
#pragma once

#include "frontends/onnx/import/graph/graph.h"
#include "frontends/onnx/import/read/load.h"

namespace tessera::onnx {

/// Converts the whole model and consumes it: tensors are decoded and the messages' memory is given
/// back as it goes. Errors name the node, or the initializer or value, that is wrong. Nodes keep
/// the file's order and may be unnamed.
Result<Model> modelFromProto(LoadedModel loaded);

}  // namespace tessera::onnx
