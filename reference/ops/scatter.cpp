// scatter_elements and scatter_nd: a copy of the data with updates written, or combined, at
// computed positions. Updates with equal indices are applied in order.
#include "reference/loops/arithmetic.h"
#include "reference/loops/dispatch.h"
#include "reference/loops/indices.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// Calls body(combine) with the function that `reduction` names: combine(old, update) is the new
/// element.
template <typename T, typename Body>
static OpResult withCombine(const OpCall& call, const std::string& reduction, Body body) {
  if (reduction == "add") return body([](T a, T b) { return arithmetic::add(a, b); });
  if (reduction == "mul") return body([](T a, T b) { return arithmetic::mul(a, b); });
  if (reduction == "max") return body([](T a, T b) { return arithmetic::max(a, b); });
  if (reduction == "min") return body([](T a, T b) { return arithmetic::min(a, b); });
  return opError(
      call, "attribute 'reduction' is '" + reduction + "', expected none, add, mul, max or min");
}

/// Update slice i, of `sliceSize` elements, goes to offsets[i] of a copy of `data`.
static OpResult scatterSlices(const OpCall& call, const TensorView& data, const TensorView& updates,
                              std::span<const int64_t> offsets, int64_t sliceSize) {
  TESSERA_TRY(const std::string reduction, attributeOr<std::string>(call, "reduction", "none"));
  TESSERA_TRY(Tensor y, copyWithShape(call, data, toShape(data.shape)));
  const auto apply = [&]<typename T>(auto combine) -> OpResult {
    const T* in = updates.as<T>().data();
    for (const int64_t offset : offsets) {
      T* out = y.as<T>().data() + offset;
      for (int64_t i = 0; i < sliceSize; ++i) out[i] = combine(out[i], *in++);
    }
    return outputs(std::move(y));
  };
  if (reduction == "none") {
    return dispatchBySize(call, data.type, [&]<typename T>() -> OpResult {
      return apply.template operator()<T>([](T, T update) { return update; });
    });
  }
  return dispatch(call, data.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    return withCombine<T>(call, reduction,
                          [&](auto combine) { return apply.template operator()<T>(combine); });
  });
}

OpResult scatterElements(const OpCall& call) {
  TESSERA_TRY(const TensorView data, requiredInput(call, 0));
  TESSERA_TRY(const TensorView updates, typedInput(call, 2, data.type));
  TESSERA_TRY(const std::vector<int64_t> offsets, elementOffsets(call, data.shape, 1));
  if (!sameShape(updates.shape, call.inputs[1].shape)) {
    return opError(call, "updates of shape " + toText(updates.shape) +
                             " do not fit indices of shape " + toText(call.inputs[1].shape));
  }
  return scatterSlices(call, data, updates, offsets, 1);
}

OpResult scatterNd(const OpCall& call) {
  TESSERA_TRY(const TensorView data, requiredInput(call, 0));
  TESSERA_TRY(const TensorView indices, requiredInput(call, 1));
  TESSERA_TRY(const TensorView updates, typedInput(call, 2, data.type));
  TESSERA_TRY(const SliceOffsets slices, sliceOffsets(call, data.shape, 1, 0));
  Shape expected(indices.shape.begin(), indices.shape.end() - 1);
  expected.insert(expected.end(), data.shape.end() - slices.rank, data.shape.end());
  if (!sameShape(updates.shape, expected)) {
    return opError(
        call, "updates have shape " + toText(updates.shape) + ", expected " + toText(expected));
  }
  return scatterSlices(call, data, updates, slices.offsets, slices.size);
}

}  // namespace tessera::reference::ops
