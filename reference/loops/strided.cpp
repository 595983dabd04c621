#include "reference/loops/strided.h"

namespace tessera::reference {

Result<Shape> broadcastShapes(const OpCall& call, std::span<const Shape> shapes) {
  size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  for (const Shape& shape : shapes) {
    const size_t missing = rank - shape.size();
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t& size = result[missing + d];
      if (size != shape[d] && size != 1 && shape[d] != 1) {
        return opError(call,
                       "shape " + toText(shape) + " does not broadcast with " + toText(result));
      }
      if (size == 1) size = shape[d];
    }
  }
  return result;
}

std::vector<int64_t> broadcastStrides(std::span<const int64_t> from, std::span<const int64_t> to) {
  std::vector<int64_t> strides(to.size(), 0);
  const std::vector<int64_t> own = rowMajorStrides(from);
  const size_t missing = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1) strides[missing + d] = own[d];
  }
  return strides;
}

}  // namespace tessera::reference
