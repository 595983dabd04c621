// where and clip: elementwise choice.
#include <limits>

#include "reference/loops/arithmetic.h"
#include "reference/loops/dispatch.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

OpResult where(const OpCall& call) {
  TESSERA_TRY(const TensorView condition, typedInput(call, 0, ElementType::kBool));
  TESSERA_TRY(const TensorView a, requiredInput(call, 1));
  TESSERA_TRY(const TensorView b, typedInput(call, 2, a.type));
  const std::array<Shape, 3> shapes = {toShape(condition.shape), toShape(a.shape),
                                       toShape(b.shape)};
  TESSERA_TRY(const Shape shape, broadcastShapes(call, shapes));
  TESSERA_TRY(Tensor y, makeTensor(call, a.type, shape));
  return dispatchBySize(call, a.type, [&]<typename T>() -> OpResult {
    const Boolean* choose = condition.as<Boolean>().data();
    const T* left = a.as<T>().data();
    const T* right = b.as<T>().data();
    T* out = y.as<T>().data();
    forEachRow<3>(shape,
                  {broadcastStrides(condition.shape, shape), broadcastStrides(a.shape, shape),
                   broadcastStrides(b.shape, shape)},
                  [&](auto offsets, auto steps, int64_t length) {
                    for (int64_t j = 0; j < length; ++j) {
                      *out++ = choose[offsets[0] + j * steps[0]] ? left[offsets[1] + j * steps[1]]
                                                                 : right[offsets[2] + j * steps[2]];
                    }
                  });
    return outputs(std::move(y));
  });
}

/// The bound given as input `index`, or `fallback` when absent.
template <typename T>
static Result<T> bound(const OpCall& call, size_t index, T fallback) {
  if (!hasInput(call, index)) return fallback;
  TESSERA_TRY(const TensorView view, typedInput(call, index, elementTypeOf<T>()));
  if (view.count() != 1) {
    return opError(call, "input " + std::to_string(index) + " has shape " + toText(view.shape) +
                             ", expected a scalar");
  }
  return view.as<T>()[0];
}

/// y = min(max(x, low), high): when low > high, high wins. NaN stays, and bounds nothing. An absent
/// bound is the least or greatest finite number.
OpResult clip(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  return dispatch(call, x.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    TESSERA_TRY(const T low, bound<T>(call, 1, std::numeric_limits<T>::lowest()));
    TESSERA_TRY(const T high, bound<T>(call, 2, std::numeric_limits<T>::max()));
    TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(x.shape)));
    std::ranges::transform(x.as<T>(), y.as<T>().begin(), [=](T v) {
      const T raised = v < low ? low : v;
      return high < raised ? high : raised;
    });
    return outputs(std::move(y));
  });
}

}  // namespace tessera::reference::ops
