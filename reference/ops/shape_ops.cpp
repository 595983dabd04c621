// Operators that read or change the shape alone: the elements stay in order.
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// The input's elements under another shape, as the only output.
static OpResult withShape(const OpCall& call, const TensorView& x, Shape shape) {
  TESSERA_TRY(Tensor y, copyWithShape(call, x, std::move(shape)));
  return outputs(std::move(y));
}

OpResult shape(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  const int64_t rank = x.rank();
  TESSERA_TRY(int64_t start, attributeOr<int64_t>(call, "start", 0));
  TESSERA_TRY(int64_t end, attributeOr<int64_t>(call, "end", rank));
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, 0, rank);
  end = std::max(start, end);
  TESSERA_TRY(Tensor y, makeTensor(call, ElementType::kI64, {end - start}));
  std::copy(x.shape.begin() + start, x.shape.begin() + end, y.as<int64_t>().begin());
  return outputs(std::move(y));
}

OpResult size(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(Tensor y, makeTensor(call, ElementType::kI64, {}));
  y.as<int64_t>()[0] = x.count();
  return outputs(std::move(y));
}

/// One size may be -1 (inferred); 0 copies the input's size unless allowzero is set.
OpResult reshape(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(Shape target, integerInput(call, 1));
  TESSERA_TRY(const bool allowZero, flagOr(call, "allowzero", false));
  int64_t* inferred = nullptr;
  int64_t known = 1;
  for (size_t d = 0; d < target.size(); ++d) {
    if (target[d] == 0 && !allowZero) {
      if (d >= x.shape.size()) {
        return opError(
            call, "shape " + toText(target) + " copies a size that " + toText(x.shape) + " lacks");
      }
      target[d] = x.shape[d];
    }
    if (target[d] < -1 || (target[d] == -1 && inferred)) {
      return opError(
          call, "shape " + toText(target) + " has more than one size to infer or a negative size");
    }
    if (target[d] == -1)
      inferred = &target[d];
    else if (__builtin_mul_overflow(known, target[d], &known)) {
      return opError(call, "shape " + toText(target) + " does not fit into memory");
    }
  }
  if (inferred) {
    if (known == 0 || x.count() % known != 0) {
      return opError(call, "shape " + toText(x.shape) + " cannot be reshaped to " + toText(target));
    }
    *inferred = x.count() / known;
  }
  return withShape(call, x, std::move(target));
}

OpResult squeeze(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  std::vector<bool> removed(x.shape.size());
  if (hasInput(call, 1)) {
    TESSERA_TRY(std::vector<int64_t> axes, integerInput(call, 1));
    TESSERA_TRY(axes, normalizeAxes(call, axes, x.rank()));
    for (const int64_t axis : axes) {
      if (x.shape[axis] != 1) {
        return opError(
            call, "axis " + std::to_string(axis) + " of shape " + toText(x.shape) + " is not 1");
      }
      removed[axis] = true;
    }
  } else {
    for (size_t d = 0; d < removed.size(); ++d) removed[d] = x.shape[d] == 1;
  }
  Shape shape;
  for (size_t d = 0; d < removed.size(); ++d) {
    if (!removed[d]) shape.push_back(x.shape[d]);
  }
  return withShape(call, x, std::move(shape));
}

/// Axes count in the output's shape.
OpResult unsqueeze(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(std::vector<int64_t> axes, integerInput(call, 1));
  TESSERA_TRY(axes, normalizeAxes(call, axes, x.rank() + static_cast<int64_t>(axes.size())));
  std::ranges::sort(axes);
  Shape shape = toShape(x.shape);
  for (const int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
  return withShape(call, x, std::move(shape));
}

OpResult flatten(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", 1));
  if (axis < -x.rank() || axis > x.rank()) {
    return opError(call, "axis " + std::to_string(axis) + " is out of range for rank " +
                             std::to_string(x.rank()));
  }
  if (axis < 0) axis += x.rank();
  return withShape(call, x,
                   {countBetween(x.shape, 0, axis), countBetween(x.shape, axis, x.rank())});
}

}  // namespace tessera::reference::ops
