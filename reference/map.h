// Elementwise functions of one input.
#pragma once

#include "reference/dispatch.h"

namespace tessera::reference {

/// y[i] = f(x[i]) with element type U, for inputs of the listed types.
template <typename U, typename... Ts, typename Function>
OpResult mapTo(const OpCall& call, TypeList<Ts...> types, Function f) {
  TESSERA_TRY(TensorView x, requiredInput(call, 0));
  return dispatch(call, x.type, types, [&]<typename T>() -> OpResult {
    TESSERA_TRY(Tensor y, makeTensor(call, elementTypeOf<U>(), toShape(x.shape)));
    std::transform(x.as<T>().begin(), x.as<T>().end(), y.as<U>().begin(), f);
    return outputs(std::move(y));
  });
}

/// y[i] = f(x[i]) of the input's own type.
template <typename... Ts, typename Function>
OpResult mapSame(const OpCall& call, TypeList<Ts...> types, Function f) {
  TESSERA_TRY(TensorView x, requiredInput(call, 0));
  return dispatch(call, x.type, types,
                  [&]<typename T>() -> OpResult { return mapTo<T>(call, TypeList<T>{}, f); });
}

/// y[i] = f(x[i]) on f32 and f64, computed in double.
template <typename Function>
OpResult mapReal(const OpCall& call, Function f) {
  return mapSame(call, FloatTypes{},
                 [&]<typename T>(T x) { return static_cast<T>(f(static_cast<double>(x))); });
}

}  // namespace tessera::reference
