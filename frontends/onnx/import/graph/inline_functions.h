// Model-local functions, replaced by their bodies.
#pragma once

#include "frontends/onnx/import/graph/graph.h"

namespace tessera::onnx {

/// Replaces every call of a function of the model by the function's body, calls inside bodies and
/// subgraphs included, and leaves no function behind. A body's values and nodes are renamed
/// "<call>/<name>"; its attribute references take the call's attributes, the function's defaults,
/// or vanish. Errors name the calling node: recursion, more inputs or outputs than the function
/// has, a model that grows beyond a million nodes.
Status inlineFunctions(Model& model);

}  // namespace tessera::onnx
