// A model as its file has it -> one graph in order, all names resolved.
#pragma once

#include "frontends/onnx/import/graph/graph.h"

namespace tessera::onnx {

/// Inlines functions, names unnamed nodes "<OpType>_<index>" (inside a subgraph with the outer
/// node's name in front), checks that every value is defined once and every used value exists, and
/// sorts nodes so that producers come first; nodes already in order stay where they are. Outputs
/// that nothing reads lose their name. Errors name the node: a value defined twice or not at all, a
/// cycle with its nodes.
Result<Graph> normalizeModel(Model model);

}  // namespace tessera::onnx
