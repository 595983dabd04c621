// Dynamic dimensions of the graph inputs, made static by the user.
#pragma once

#include "frontends/onnx/import/graph/graph.h"
#include "frontends/onnx/import/import.h"

namespace tessera::onnx {

/// A dimension of an input that has a size in the file and is left open by the options.
struct OpenedDim {
  size_t input = 0;
  size_t axis = 0;
  int64_t fileSize = 0;
};

/// Applies the bindings to the graph's inputs, and to every other use of a bound symbol in the
/// file's types. A shape that fixes a named dimension fixes it everywhere. Returns the dimensions
/// that it opened; whether the graph works for other sizes is not known yet. Errors: no such input
/// or dimension (the known ones are listed), a wrong rank, a size that contradicts the file or
/// another binding, a negative size, a dimension left open and bound.
Result<std::vector<OpenedDim>> bindShapes(Graph& graph, const ImportOptions& options);

/// The graph with another size for each of the dimensions: twice the file's, or half of it.
/// Nothing when one of them cannot be halved.
std::optional<Graph> resized(const Graph& graph, const std::vector<OpenedDim>& dims, bool isDouble);

/// "dimension 0 of input 'x' is 1 in the model, dimension 1 of input 'y' is 3 in the model"
std::string describe(const Graph& graph, const std::vector<OpenedDim>& dims);

}  // namespace tessera::onnx
