// Concat and split: contiguous runs of bytes along one axis.
#include <cstring>

#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// Copies rows of `rowBytes`; consecutive rows are `fromStride` and `toStride` bytes apart.
static void copyRows(const std::byte* from, int64_t fromStride, std::byte* to, int64_t toStride,
                     int64_t rowBytes, int64_t rows) {
  if (rowBytes == 0) return;
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(to + r * toStride, from + r * fromStride, static_cast<size_t>(rowBytes));
  }
}

OpResult concat(const OpCall& call) {
  TESSERA_TRY(const TensorView first, requiredInput(call, 0));
  if (!hasAttribute(call, "axis")) return opError(call, "attribute 'axis' is missing");
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 0));
  TESSERA_TRY(axis, normalizeAxis(call, axis, first.rank()));
  Shape shape = toShape(first.shape);
  shape[axis] = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    TESSERA_TRY(const TensorView x, typedInput(call, i, first.type));
    Shape aligned = toShape(x.shape);
    if (aligned.size() == shape.size()) aligned[axis] = shape[axis];
    if (!sameShape(aligned, shape)) {
      return opError(call, "input " + std::to_string(i) + " of shape " + toText(x.shape) +
                               " does not fit " + toText(first.shape) + " along axis " +
                               std::to_string(axis));
    }
    shape[axis] += x.shape[axis];
  }
  TESSERA_TRY(Tensor y, makeTensor(call, first.type, shape));
  const int64_t rows = countBetween(shape, 0, axis);
  const int64_t unitBytes = countBetween(shape, axis + 1, first.rank()) *
                            static_cast<int64_t>(elementSizeBytes(first.type));
  auto* out = static_cast<std::byte*>(y.data());
  for (const TensorView& x : call.inputs) {
    const int64_t rowBytes = x.shape[axis] * unitBytes;
    copyRows(static_cast<const std::byte*>(x.data), rowBytes, out, shape[axis] * unitBytes,
             rowBytes, rows);
    out += rowBytes;
  }
  return outputs(std::move(y));
}

/// The sizes of the pieces: input `split`, or `num_outputs` equal ones, the last of which may be
/// smaller. Without either they are all equal, as before opset 18.
static Result<std::vector<int64_t>> splitSizes(const OpCall& call, int64_t dim) {
  if (hasInput(call, 1)) {
    TESSERA_TRY(std::vector<int64_t> sizes, integerInput(call, 1));
    int64_t total = 0;
    bool valid = true;
    for (const int64_t size : sizes)
      valid = valid && size >= 0 && !__builtin_add_overflow(total, size, &total);
    if (!valid || total != dim) {
      return opError(call, "split " + toText(sizes) + " does not add up to " + std::to_string(dim));
    }
    return sizes;
  }
  TESSERA_TRY(const int64_t pieces,
              attributeOr<int64_t>(call, "num_outputs", static_cast<int64_t>(call.numOutputs)));
  if (pieces <= 0 || pieces > std::max<int64_t>(dim, static_cast<int64_t>(call.numOutputs))) {
    return opError(call, "a size of " + std::to_string(dim) + " cannot be split into " +
                             std::to_string(pieces));
  }
  if (!call.attributes.contains("num_outputs") && dim % pieces != 0) {
    return opError(call, "a size of " + std::to_string(dim) + " cannot be split into " +
                             std::to_string(pieces) + " equal parts");
  }
  const int64_t chunk = (dim + pieces - 1) / pieces;
  if (chunk * (pieces - 1) > dim) {
    return opError(call, "a size of " + std::to_string(dim) + " gives fewer than " +
                             std::to_string(pieces) + " parts");
  }
  std::vector<int64_t> sizes;
  sizes.reserve(pieces);
  for (int64_t i = 0; i < pieces; ++i)
    sizes.push_back(std::clamp<int64_t>(dim - i * chunk, 0, chunk));
  return sizes;
}

OpResult split(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 0));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  TESSERA_TRY(const std::vector<int64_t> sizes, splitSizes(call, x.shape[axis]));
  const int64_t rows = countBetween(x.shape, 0, axis);
  const int64_t unitBytes =
      countBetween(x.shape, axis + 1, x.rank()) * static_cast<int64_t>(elementSizeBytes(x.type));
  const auto* in = static_cast<const std::byte*>(x.data);
  std::vector<Tensor> pieces;
  for (const int64_t size : sizes) {
    Shape shape = toShape(x.shape);
    shape[axis] = size;
    TESSERA_TRY(Tensor y, makeTensor(call, x.type, std::move(shape)));
    const int64_t rowBytes = size * unitBytes;
    copyRows(in, x.shape[axis] * unitBytes, static_cast<std::byte*>(y.data()), rowBytes, rowBytes,
             rows);
    in += rowBytes;
    pieces.push_back(std::move(y));
  }
  return pieces;
}

}  // namespace tessera::reference::ops
