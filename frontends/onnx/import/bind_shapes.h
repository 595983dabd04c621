// Dynamic dimensions of the graph inputs, made static by the user.
#pragma once

#include "frontends/onnx/import/graph.h"
#include "frontends/onnx/import/import.h"

namespace tessera::onnx {

/// Applies the bindings to the graph's inputs, and to every other use of a bound symbol in the
/// file's types. A shape that fixes a named dimension fixes it everywhere. Errors: no such input or
/// dimension (the known ones are listed), a wrong rank, a size that contradicts the file or another
/// binding, a negative size.
Status bindShapes(Graph& graph, const ImportOptions& options);

}  // namespace tessera::onnx
