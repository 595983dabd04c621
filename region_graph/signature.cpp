#include "region_graph/signature.h"

#include <algorithm>

#include "tessera/element_type.h"

namespace tessera::region_graph {

static tessera_dtype dtypeOf(ElementType type) {
  const auto bits = static_cast<uint8_t>(elementSizeBytes(type) * 8);
  switch (type) {
    case ElementType::kBool:
      return {.code = TESSERA_DTYPE_BOOL, .bits = bits, .lanes = 1};
    case ElementType::kBF16:
      return {.code = TESSERA_DTYPE_BFLOAT, .bits = bits, .lanes = 1};
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return {.code = TESSERA_DTYPE_UINT, .bits = bits, .lanes = 1};
    case ElementType::kI8:
    case ElementType::kI16:
    case ElementType::kI32:
    case ElementType::kI64:
      return {.code = TESSERA_DTYPE_INT, .bits = bits, .lanes = 1};
    default:
      return {.code = TESSERA_DTYPE_FLOAT, .bits = bits, .lanes = 1};
  }
}

static bool fits(const TensorT& tensor, const tessera_argument_type& type) {
  const tessera_dtype expected = dtypeOf(static_cast<ElementType>(tensor.element_type));
  if (type.dtype.code != expected.code || type.dtype.bits != expected.bits) return false;
  if (type.rank != static_cast<int32_t>(tensor.dims.size())) return false;
  return std::equal(tensor.dims.begin(), tensor.dims.end(), type.dims) &&
         type.size_bytes == sizeBytes(tensor);
}

std::string whyUnfit(const GraphT& graph, const tessera_signature& call) {
  if (call.num_inputs != graph.arguments.size() || call.num_outputs != graph.results.size())
    return "region graph '" + graph.name + "' has another number of arguments";
  const auto check = [&](const std::vector<int32_t>& tensors,
                         const tessera_argument_type* const* types) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!fits(*graph.tensors[static_cast<size_t>(tensors[i])], *types[i])) return false;
    }
    return true;
  };
  if (check(graph.arguments, call.inputs) && check(graph.results, call.outputs)) return "";
  return "region graph '" + graph.name + "' has arguments of other types";
}

const GraphT* findGraph(const ProgramT& program, std::string_view name) {
  const auto found =
      std::ranges::find_if(program.graphs, [&](const auto& graph) { return graph->name == name; });
  return found == program.graphs.end() ? nullptr : found->get();
}

}  // namespace tessera::region_graph
