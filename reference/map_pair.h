// Elementwise functions of two inputs with numpy broadcasting.
#pragma once

#include <array>

#include "reference/dispatch.h"
#include "reference/strided.h"

namespace tessera::reference {

/// y[i] = f(a[i], b[i]) over the broadcast shape; A, B, U are the element types.
template <typename U, typename A, typename B, typename Function>
Result<Tensor> mapPair(const OpCall& call, const TensorView& a, const TensorView& b, Function f) {
  const std::array<Shape, 2> shapes = {toShape(a.shape), toShape(b.shape)};
  TESSERA_TRY(const Shape shape, broadcastShapes(call, shapes));
  TESSERA_TRY(Tensor y, makeTensor(call, elementTypeOf<U>(), shape));
  const A* left = a.as<A>().data();
  const B* right = b.as<B>().data();
  U* out = y.as<U>().data();
  forEachRow<2>(shape, {broadcastStrides(a.shape, shape), broadcastStrides(b.shape, shape)},
                [&](auto offsets, auto steps, int64_t length) {
                  const A* x = left + offsets[0];
                  const B* z = right + offsets[1];
                  for (int64_t j = 0; j < length; ++j) *out++ = f(x[j * steps[0]], z[j * steps[1]]);
                });
  return y;
}

/// Inputs 0 and 1, which must have the same element type.
Result<std::array<TensorView, 2>> sameTypedPair(const OpCall& call);

/// y = f(a, b) for inputs of one of the listed types; U is the element type of y, or void for that
/// of the inputs.
template <typename U = void, typename... Ts, typename Function>
OpResult binary(const OpCall& call, TypeList<Ts...> types, Function f) {
  TESSERA_TRY(const auto pair, sameTypedPair(call));
  return dispatch(call, pair[0].type, types, [&]<typename T>() -> OpResult {
    using Out = std::conditional_t<std::is_void_v<U>, T, U>;
    TESSERA_TRY(Tensor y, mapPair<Out, T, T>(call, pair[0], pair[1], f));
    return outputs(std::move(y));
  });
}

/// f over all inputs from the left, each of the same type; at least one input.
template <typename... Ts, typename Function>
OpResult fold(const OpCall& call, TypeList<Ts...> types, Function f) {
  TESSERA_TRY(TensorView first, requiredInput(call, 0));
  return dispatch(call, first.type, types, [&]<typename T>() -> OpResult {
    TESSERA_TRY(Tensor y, copyWithShape(call, first, toShape(first.shape)));
    for (size_t i = 1; i < call.inputs.size(); ++i) {
      TESSERA_TRY(TensorView next, typedInput(call, i, first.type));
      TESSERA_TRY(y, mapPair<T, T, T>(call, y.view(), next, f));
    }
    return outputs(std::move(y));
  });
}

}  // namespace tessera::reference
