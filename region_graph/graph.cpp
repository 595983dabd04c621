#include "region_graph/graph.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "region_graph/validate.h"
#include "tessera/element_type.h"

namespace tessera::region_graph {

static constexpr std::array kOperators = {
#define TESSERA_GRAPH_OPERATOR(name, attributes, least, most) \
  OperatorInfo{name, Attributes_##attributes, least, most},
#include "region_graph/operators.def"
#undef TESSERA_GRAPH_OPERATOR
};

const OperatorInfo* operatorInfo(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kOperators, name, {}, &OperatorInfo::name);
  return found != kOperators.end() && found->name == name ? &*found : nullptr;
}

int64_t numElements(const TensorT& tensor) {
  int64_t count = 1;
  for (const int64_t size : tensor.dims) {
    if (size < 0) return -1;
    count *= size;
  }
  return count;
}

int64_t sizeBytes(const TensorT& tensor) {
  if (numElements(tensor) < 0) return -1;
  std::vector<int64_t> dims = tensor.dims;
  int64_t size =
      static_cast<int64_t>(elementSizeBytes(static_cast<ElementType>(tensor.element_type)));
  for (size_t i = 0; i < tensor.block_dims.size(); ++i) {
    int64_t& dim = dims[static_cast<size_t>(tensor.block_dims[i])];
    dim = (dim + tensor.block_sizes[i] - 1) / tensor.block_sizes[i];
    size *= tensor.block_sizes[i];
  }
  for (const int64_t dim : dims) size *= dim;
  return size;
}

bool isRowMajor(const TensorT& tensor) { return tensor.order.empty() && tensor.block_dims.empty(); }

std::vector<std::byte> writeProgram(const ProgramT& program) {
  flatbuffers::FlatBufferBuilder builder;
  FinishProgramBuffer(builder, Program::Pack(builder, &program));
  const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace tessera::region_graph
