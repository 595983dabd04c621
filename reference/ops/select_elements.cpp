// Operators that keep, drop or mask elements: trilu, nonzero, compress, reverse_sequence, dropout.
#include <cstring>

#include "reference/loops/dispatch.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// Keeps what is on and above (upper) or on and below diagonal k of each matrix.
OpResult trilu(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  if (x.rank() < 2)
    return opError(call, "input has shape " + toText(x.shape) + ", expected rank 2 or more");
  TESSERA_TRY(const bool upper, flagOr(call, "upper", true));
  int64_t k = 0;
  if (hasInput(call, 1)) {
    TESSERA_TRY(k, integerScalarInput(call, 1));
  }
  const int64_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
  k = std::clamp(k, -rows - 1, columns + 1);
  TESSERA_TRY(Tensor y, copyWithShape(call, x, toShape(x.shape)));
  return dispatchBySize(call, x.type, [&]<typename T>() -> OpResult {
    int64_t i = 0;
    for (T& value : y.as<T>()) {
      const int64_t row = i / columns % rows, column = i % columns;
      if (upper ? column < row + k : column > row + k) value = T{0};
      ++i;
    }
    return outputs(std::move(y));
  });
}

/// [rank, count]: the indices of the elements that are not zero, in row-major order.
OpResult nonzero(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  std::vector<int64_t> offsets;
  TESSERA_TRY_VOID(dispatch(call, x.type, AllTypes{}, [&]<typename T>() -> OpResult {
    const std::span<const T> values = x.as<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != T{0}) offsets.push_back(static_cast<int64_t>(i));
    }
    return outputs();
  }));
  const std::vector<int64_t> strides = rowMajorStrides(x.shape);
  TESSERA_TRY(Tensor y, makeTensor(call, ElementType::kI64,
                                   {x.rank(), static_cast<int64_t>(offsets.size())}));
  int64_t* out = y.as<int64_t>().data();
  for (int64_t d = 0; d < x.rank(); ++d) {
    for (const int64_t offset : offsets) *out++ = offset / strides[d] % x.shape[d];
  }
  return outputs(std::move(y));
}

/// Keeps the slices along `axis` (of the flattened input without it) whose condition holds.
OpResult compress(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView condition, typedInput(call, 1, ElementType::kBool));
  int64_t outer = 1, dim = x.count(), inner = 1;
  Shape shape = {0};
  int64_t* kept = shape.data();
  if (hasAttribute(call, "axis")) {
    TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 0));
    TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
    outer = countBetween(x.shape, 0, axis);
    dim = x.shape[axis];
    inner = countBetween(x.shape, axis + 1, x.rank());
    shape = toShape(x.shape);
    kept = &shape[axis];
  }
  if (condition.rank() != 1 || condition.count() > dim) {
    return opError(call, "condition of shape " + toText(condition.shape) +
                             " does not fit a size of " + std::to_string(dim));
  }
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < condition.count(); ++i) {
    if (condition.as<Boolean>()[i]) chosen.push_back(i);
  }
  *kept = static_cast<int64_t>(chosen.size());
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, std::move(shape)));
  if (y.count() == 0) return outputs(std::move(y));
  const int64_t sliceBytes = inner * static_cast<int64_t>(elementSizeBytes(x.type));
  auto* out = static_cast<std::byte*>(y.data());
  for (int64_t o = 0; o < outer; ++o) {
    for (const int64_t i : chosen) {
      const auto* slice = static_cast<const std::byte*>(x.data) + (o * dim + i) * sliceBytes;
      std::memcpy(out, slice, static_cast<size_t>(sliceBytes));
      out += sliceBytes;
    }
  }
  return outputs(std::move(y));
}

/// Reverses the first sequence_lens[b] time steps of each batch entry b.
OpResult reverseSequence(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const std::vector<int64_t> lengths, integerInput(call, 1));
  TESSERA_TRY(const int64_t batchAxis, attributeOr<int64_t>(call, "batch_axis", 1));
  TESSERA_TRY(const int64_t timeAxis, attributeOr<int64_t>(call, "time_axis", 0));
  if (x.rank() < 2 || batchAxis + timeAxis != 1 || batchAxis * timeAxis != 0) {
    return opError(call, "batch_axis and time_axis must be 0 and 1 of an input of rank 2 or more");
  }
  const int64_t batches = x.shape[batchAxis], times = x.shape[timeAxis];
  const bool valid =
      std::ranges::all_of(lengths, [&](int64_t length) { return length >= 0 && length <= times; });
  if (static_cast<int64_t>(lengths.size()) != batches || !valid) {
    return opError(call,
                   "sequence lengths " + toText(lengths) + " do not fit shape " + toText(x.shape));
  }
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(x.shape)));
  const int64_t stepBytes =
      countBetween(x.shape, 2, x.rank()) * static_cast<int64_t>(elementSizeBytes(x.type));
  if (y.count() == 0) return outputs(std::move(y));
  const auto offset = [&](int64_t b, int64_t t) {
    return (timeAxis == 0 ? t * batches + b : b * times + t) * stepBytes;
  };
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t t = 0; t < times; ++t) {
      const int64_t source = t < lengths[b] ? lengths[b] - 1 - t : t;
      std::memcpy(static_cast<std::byte*>(y.data()) + offset(b, t),
                  static_cast<const std::byte*>(x.data) + offset(b, source),
                  static_cast<size_t>(stepBytes));
    }
  }
  return outputs(std::move(y));
}

/// Inference: the input itself, and a mask of ones. Training is refused unless its ratio is 0.
OpResult dropout(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  bool training = false;
  if (hasInput(call, 2)) {
    TESSERA_TRY(const TensorView mode, typedInput(call, 2, ElementType::kBool));
    training = mode.count() == 1 && mode.as<Boolean>()[0];
  }
  if (training) {
    double ratio = 0.5;
    if (hasInput(call, 1)) {
      TESSERA_TRY(const std::vector<double> values, realInput(call, 1));
      if (values.size() == 1) ratio = values[0];
    }
    if (ratio != 0) return opError(call, "training mode is not supported");
  }
  TESSERA_TRY(Tensor y, copyWithShape(call, x, toShape(x.shape)));
  TESSERA_TRY(Tensor mask, makeTensor(call, ElementType::kBool, toShape(x.shape)));
  std::ranges::fill(mask.as<Boolean>(), Boolean(true));
  return outputs(std::move(y), std::move(mask));
}

}  // namespace tessera::reference::ops
