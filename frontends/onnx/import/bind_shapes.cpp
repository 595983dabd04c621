#include "frontends/onnx/import/bind_shapes.h"

#include <algorithm>

#include "frontends/onnx/import/tensor.h"

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

static Status bindInput(NamedValue& input, const ShapeBinding& binding, SymbolSizes& sizes) {
  const std::string what = "input '" + input.name + "'";
  if (!input.type.shape) input.type.shape.emplace(binding.shape.size());
  std::vector<Dimension>& shape = *input.type.shape;
  if (shape.size() != binding.shape.size()) {
    return usageError(what + " has rank " + std::to_string(shape.size()) +
                      ", but the given shape has rank " + std::to_string(binding.shape.size()));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = binding.shape[i];
    if (size == kDynamicSize) continue;
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

Status bindShapes(Graph& graph, const ImportOptions& options) {
  if (options.shapes.empty() && options.dims.empty()) return {};
  std::vector<std::string> inputNames;
  std::vector<std::string> symbols;
  for (const NamedValue& input : graph.inputs) {
    inputNames.push_back(input.name);
    if (!input.type.shape) continue;
    for (const Dimension& dim : *input.type.shape) {
      if (!dim.symbol.empty() &&
          std::find(symbols.begin(), symbols.end(), dim.symbol) == symbols.end()) {
        symbols.push_back(dim.symbol);
      }
    }
  }
  SymbolSizes sizes;
  for (const DimBinding& binding : options.dims) {
    if (std::find(symbols.begin(), symbols.end(), binding.symbol) == symbols.end()) {
      return usageError("no input has a dimension named '" + binding.symbol +
                        "'; named dimensions: " + joined(symbols));
    }
    TESSERA_TRY_VOID(bindSymbol(sizes, binding.symbol, binding.size));
  }
  for (const ShapeBinding& binding : options.shapes) {
    const auto input =
        std::find_if(graph.inputs.begin(), graph.inputs.end(),
                     [&](const NamedValue& value) { return value.name == binding.input; });
    if (input == graph.inputs.end()) {
      return usageError("the model has no input '" + binding.input +
                        "'; inputs: " + joined(inputNames));
    }
    TESSERA_TRY_VOID(bindInput(*input, binding, sizes));
  }
  applySymbols(graph, sizes);
  for (const NamedValue& input : graph.inputs) TESSERA_TRY_VOID(checkElementCount(input));
  return {};
}

}  // namespace tessera::onnx
