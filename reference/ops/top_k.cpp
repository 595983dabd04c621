// The k largest or smallest elements along one axis, and where they are.
#include <cmath>
#include <numeric>

#include "reference/loops/dispatch.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// True when a comes before b. NaN counts as the largest.
template <typename T>
static bool comesBefore(T a, T b, bool largest) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return largest ? std::isnan(a) && !std::isnan(b) : !std::isnan(a);
  }
  return largest ? a > b : a < b;
}

/// Of equal elements the first comes first. Without `sorted` the order is free; it is sorted here
/// all the same.
OpResult topK(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const int64_t k, integerScalarInput(call, 1));
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", -1));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  TESSERA_TRY(const bool largest, flagOr(call, "largest", true));
  const int64_t length = x.shape[axis];
  if (k < 0 || k > length) {
    return opError(call,
                   "k is " + std::to_string(k) + " along a size of " + std::to_string(length));
  }
  Shape shape = toShape(x.shape);
  shape[axis] = k;
  TESSERA_TRY(Tensor values, makeTensor(call, x.type, shape));
  TESSERA_TRY(Tensor indices, makeTensor(call, ElementType::kI64, shape));
  const int64_t outer = countBetween(x.shape, 0, axis),
                inner = countBetween(x.shape, axis + 1, x.rank());
  return dispatch(call, x.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    std::vector<int64_t> order(static_cast<size_t>(length));
    for (int64_t line = 0; line < outer * inner; ++line) {
      const T* in = x.as<T>().data() + line / inner * length * inner + line % inner;
      std::iota(order.begin(), order.end(), 0);
      std::ranges::sort(order, [&](int64_t a, int64_t b) {
        if (comesBefore(in[a * inner], in[b * inner], largest)) return true;
        return a < b && !comesBefore(in[b * inner], in[a * inner], largest);
      });
      for (int64_t i = 0; i < k; ++i) {
        const int64_t out = (line / inner * k + i) * inner + line % inner;
        values.as<T>()[out] = in[order[i] * inner];
        indices.as<int64_t>()[out] = order[i];
      }
    }
    return outputs(std::move(values), std::move(indices));
  });
}

}  // namespace tessera::reference::ops
