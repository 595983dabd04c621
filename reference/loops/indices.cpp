#include "reference/loops/indices.h"

#include "reference/loops/strided.h"

namespace tessera::reference {

Result<std::vector<int64_t>> indexInput(const OpCall& call, size_t input) {
  TESSERA_TRY(const TensorView view, requiredInput(call, input));
  if (view.type == ElementType::kI64) {
    return std::vector<int64_t>(view.as<int64_t>().begin(), view.as<int64_t>().end());
  }
  if (view.type == ElementType::kI32) {
    return std::vector<int64_t>(view.as<int32_t>().begin(), view.as<int32_t>().end());
  }
  return opError(call, std::string("indices have element type ") + elementTypeName(view.type) +
                           ", expected i64 or i32");
}

Result<int64_t> normalizeIndex(const OpCall& call, int64_t index, int64_t size) {
  if (index < -size || index >= size) {
    return opError(call, "index " + std::to_string(index) + " is out of range for size " +
                             std::to_string(size));
  }
  return index < 0 ? index + size : index;
}

Result<std::vector<int64_t>> elementOffsets(const OpCall& call, std::span<const int64_t> data,
                                            size_t input) {
  TESSERA_TRY(const TensorView view, requiredInput(call, input));
  TESSERA_TRY(const std::vector<int64_t> indices, indexInput(call, input));
  const auto rank = static_cast<int64_t>(data.size());
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 0));
  TESSERA_TRY(axis, normalizeAxis(call, axis, rank));
  bool fits = view.rank() == rank;
  for (int64_t d = 0; d < rank && fits; ++d) fits = d == axis || view.shape[d] <= data[d];
  if (!fits) {
    return opError(call, "indices of shape " + toText(view.shape) + " do not fit data of shape " +
                             toText(data));
  }
  for (const int64_t index : indices) TESSERA_TRY_VOID(normalizeIndex(call, index, data[axis]));

  const std::vector<int64_t> strides = rowMajorStrides(data);
  std::vector<int64_t> offsets;
  offsets.reserve(indices.size());
  forEachIndex(view.shape, [&](std::span<const int64_t> position) {
    const int64_t index = indices[offsets.size()];
    const int64_t coordinate = index < 0 ? index + data[axis] : index;
    offsets.push_back(offsetOf(position, strides) + (coordinate - position[axis]) * strides[axis]);
  });
  return offsets;
}

Result<SliceOffsets> sliceOffsets(const OpCall& call, std::span<const int64_t> data, size_t input,
                                  int64_t batchDims) {
  TESSERA_TRY(const TensorView view, requiredInput(call, input));
  TESSERA_TRY(const std::vector<int64_t> indices, indexInput(call, input));
  const auto rank = static_cast<int64_t>(data.size());
  if (view.rank() == 0 || batchDims < 0 || batchDims >= std::min(rank, view.rank()) ||
      !sameShape(view.shape.first(batchDims), data.first(batchDims)) || view.shape.back() < 1 ||
      view.shape.back() > rank - batchDims) {
    return opError(call, "indices of shape " + toText(view.shape) + " with " +
                             std::to_string(batchDims) +
                             " batch dimensions do not fit data of shape " + toText(data));
  }
  const int64_t depth = view.shape.back();
  const int64_t rows = countBetween(view.shape, 0, view.rank() - 1);
  const int64_t batches = countBetween(data, 0, batchDims);
  const std::vector<int64_t> strides = rowMajorStrides(data);
  const int64_t batchStride = countBetween(data, batchDims, rank);
  SliceOffsets slices{.offsets = {},
                      .rank = rank - batchDims - depth,
                      .size = countBetween(data, batchDims + depth, rank)};
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = row / (rows / batches) * batchStride;
    for (int64_t d = 0; d < depth; ++d) {
      TESSERA_TRY(const int64_t index,
                  normalizeIndex(call, indices[row * depth + d], data[batchDims + d]));
      offset += index * strides[batchDims + d];
    }
    slices.offsets.push_back(offset);
  }
  return slices;
}

}  // namespace tessera::reference
