#include "frontends/onnx/import/to_mlir/bind_shapes.h"

#include <algorithm>

#include "frontends/onnx/import/read/tensor.h"

namespace tessera::onnx {

using SymbolSizes = std::map<std::string, int64_t>;

static std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

static Status bindSymbol(SymbolSizes& sizes, const std::string& symbol, int64_t size) {
  if (size < 0)
    return usageError("dimension '" + symbol + "' is bound to the negative size " +
                      std::to_string(size));
  const auto [entry, isNew] = sizes.emplace(symbol, size);
  if (isNew || entry->second == size) return {};
  return usageError("dimension '" + symbol + "' is bound to " + std::to_string(entry->second) +
                    " and to " + std::to_string(size));
}

/// `opened` gets the axes that the file fixes and the binding leaves open, with the file's sizes.
static Status bindInput(NamedValue& input, const ShapeBinding& binding, SymbolSizes& sizes,
                        std::vector<std::pair<size_t, int64_t>>& opened) {
  const std::string what = "input '" + input.name + "'";
  if (!input.type.shape) input.type.shape.emplace(binding.shape.size());
  std::vector<Dimension>& shape = *input.type.shape;
  if (shape.size() != binding.shape.size()) {
    return usageError(what + " has rank " + std::to_string(shape.size()) +
                      ", but the given shape has rank " + std::to_string(binding.shape.size()));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = binding.shape[i];
    if (size == kDynamicSize) {
      if (sizes.contains(shape[i].symbol))
        return usageError("dimension " + std::to_string(i) + " of " + what +
                          " is left open, but its name '" + shape[i].symbol + "' is bound to " +
                          std::to_string(sizes[shape[i].symbol]));
      if (shape[i].size != kDynamicDim) opened.emplace_back(i, shape[i].size);
      shape[i].size = kDynamicDim;
      continue;
    }
    if (size < 0) return usageError(what + " is given the negative size " + std::to_string(size));
    if (shape[i].size != kDynamicDim && shape[i].size != size) {
      return usageError("dimension " + std::to_string(i) + " of " + what + " is " +
                        std::to_string(shape[i].size) + " in the model, but " +
                        std::to_string(size) + " is given");
    }
    if (!shape[i].symbol.empty()) TESSERA_TRY_VOID(bindSymbol(sizes, shape[i].symbol, size));
    shape[i].size = size;
  }
  return {};
}

static void applySymbols(ValueType& type, const SymbolSizes& sizes) {
  if (!type.shape) return;
  for (Dimension& dim : *type.shape) {
    if (const auto found = sizes.find(dim.symbol); found != sizes.end())
      dim = {.size = found->second, .symbol = {}};
  }
}

static void applySymbols(Graph& graph, const SymbolSizes& sizes) {
  for (NamedValue& input : graph.inputs) applySymbols(input.type, sizes);
  for (NamedValue& output : graph.outputs) applySymbols(output.type, sizes);
  for (auto& [name, type] : graph.valueTypes) applySymbols(type, sizes);
  for (Node& node : graph.nodes) {
    for (Graph* subgraph : subgraphsOf(node)) applySymbols(*subgraph, sizes);
  }
}

/// What was given may multiply to more than any tensor can have.
static Status checkElementCount(const NamedValue& input) {
  if (!input.type.shape) return {};
  std::vector<int64_t> sizes;
  for (const Dimension& dim : *input.type.shape)
    sizes.push_back(dim.size == kDynamicDim ? 1 : dim.size);
  const Result<int64_t> count = checkedElementCount(sizes);
  if (count) return {};
  return usageError("input '" + input.name + "': " + count.error().message);
}

Result<std::vector<OpenedDim>> bindShapes(Graph& graph, const ImportOptions& options) {
  std::vector<OpenedDim> opened;
  if (options.shapes.empty() && options.dims.empty()) return opened;
  std::vector<std::string> inputNames;
  std::vector<std::string> symbols;
  for (const NamedValue& input : graph.inputs) {
    inputNames.push_back(input.name);
    if (!input.type.shape) continue;
    for (const Dimension& dim : *input.type.shape) {
      if (!dim.symbol.empty() && std::ranges::find(symbols, dim.symbol) == symbols.end()) {
        symbols.push_back(dim.symbol);
      }
    }
  }
  SymbolSizes sizes;
  for (const DimBinding& binding : options.dims) {
    if (std::ranges::find(symbols, binding.symbol) == symbols.end()) {
      return usageError("no input has a dimension named '" + binding.symbol +
                        "'; named dimensions: " + joined(symbols));
    }
    TESSERA_TRY_VOID(bindSymbol(sizes, binding.symbol, binding.size));
  }
  for (const ShapeBinding& binding : options.shapes) {
    const auto input = std::ranges::find(graph.inputs, binding.input, &NamedValue::name);
    if (input == graph.inputs.end()) {
      return usageError("the model has no input '" + binding.input +
                        "'; inputs: " + joined(inputNames));
    }
    std::vector<std::pair<size_t, int64_t>> axes;
    TESSERA_TRY_VOID(bindInput(*input, binding, sizes, axes));
    for (const auto& [axis, fileSize] : axes)
      opened.push_back({.input = static_cast<size_t>(input - graph.inputs.begin()),
                        .axis = axis,
                        .fileSize = fileSize});
  }
  applySymbols(graph, sizes);
  for (const NamedValue& input : graph.inputs) TESSERA_TRY_VOID(checkElementCount(input));
  return opened;
}

std::optional<Graph> resized(const Graph& graph, const std::vector<OpenedDim>& dims,
                             bool isDouble) {
  Graph other = graph;
  for (const OpenedDim& dim : dims) {
    if (!isDouble && (dim.fileSize < 2 || dim.fileSize % 2 != 0)) return std::nullopt;
    (*other.inputs[dim.input].type.shape)[dim.axis].size =
        isDouble ? 2 * std::max<int64_t>(dim.fileSize, 1) : dim.fileSize / 2;
  }
  return other;
}

std::string describe(const Graph& graph, const std::vector<OpenedDim>& dims) {
  std::string text;
  for (const OpenedDim& dim : dims)
    text += (text.empty() ? "dimension " : ", dimension ") + std::to_string(dim.axis) +
            " of input '" + graph.inputs[dim.input].name + "' is " + std::to_string(dim.fileSize) +
            " in the model";
  return text;
}

}  // namespace tessera::onnx
