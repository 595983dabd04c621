// Gather, gather_elements, gather_nd: reading at computed positions. Negative indices count from
// the end.
#include <cstring>

#include "reference/loops/dispatch.h"
#include "reference/loops/indices.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

OpResult gather(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView indexView, requiredInput(call, 1));
  TESSERA_TRY(std::vector<int64_t> indices, indexInput(call, 1));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 0));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  for (int64_t& index : indices) {
    TESSERA_TRY(index, normalizeIndex(call, index, x.shape[axis]));
  }
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  shape.insert(shape.end(), indexView.shape.begin(), indexView.shape.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, std::move(shape)));
  if (y.count() == 0) return outputs(std::move(y));
  const int64_t outer = countBetween(x.shape, 0, axis);
  const int64_t rowBytes =
      countBetween(x.shape, axis + 1, x.rank()) * static_cast<int64_t>(elementSizeBytes(x.type));
  const auto* in = static_cast<const std::byte*>(x.data);
  auto* out = static_cast<std::byte*>(y.data());
  for (int64_t o = 0; o < outer; ++o) {
    for (const int64_t index : indices) {
      std::memcpy(out, in + (o * x.shape[axis] + index) * rowBytes, static_cast<size_t>(rowBytes));
      out += rowBytes;
    }
  }
  return outputs(std::move(y));
}

/// y[i][j][k] = x[indices[i][j][k]][j][k] for axis 0.
OpResult gatherElements(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView indexView, requiredInput(call, 1));
  TESSERA_TRY(std::vector<int64_t> offsets, elementOffsets(call, x.shape, 1));
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(indexView.shape)));
  return dispatchBySize(call, x.type, [&]<typename T>() -> OpResult {
    const T* in = x.as<T>().data();
    std::ranges::transform(offsets, y.as<T>().begin(), [&](int64_t offset) { return in[offset]; });
    return outputs(std::move(y));
  });
}

OpResult gatherNd(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView indices, requiredInput(call, 1));
  TESSERA_TRY(const int64_t batchDims, attributeOr<int64_t>(call, "batch_dims", 0));
  TESSERA_TRY(const SliceOffsets slices, sliceOffsets(call, x.shape, 1, batchDims));
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), x.shape.end() - slices.rank, x.shape.end());
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, std::move(shape)));
  if (y.count() == 0) return outputs(std::move(y));
  const size_t elementBytes = elementSizeBytes(x.type);
  const auto sliceBytes = static_cast<size_t>(slices.size) * elementBytes;
  auto* out = static_cast<std::byte*>(y.data());
  for (const int64_t offset : slices.offsets) {
    std::memcpy(out,
                static_cast<const std::byte*>(x.data) + static_cast<size_t>(offset) * elementBytes,
                sliceBytes);
    out += sliceBytes;
  }
  return outputs(std::move(y));
}

}  // namespace tessera::reference::ops
