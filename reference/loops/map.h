// Elementwise functions of one input. Only the loops are templates: an operator has one for each
// element type, and they are many.
#pragma once

#include "reference/loops/dispatch.h"

namespace tessera::reference {

/// y[i] = f(x[i]) for i < count; `f` points to the function object.
struct UnaryLoop {
  void (*run)(const void* f, const void* x, void* y, int64_t count) = nullptr;
  ElementType result = ElementType::kUndefined;  ///< Of y.
};

/// The loop's output for `x`; an error when there is no loop for its type.
OpResult mapElements(const OpCall& call, const TensorView& x, const UnaryLoop& loop, const void* f);

template <typename U, typename T, typename Function>
UnaryLoop unaryLoop() {
  const auto run = [](const void* f, const void* x, void* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      static_cast<U*>(y)[i] = (*static_cast<const Function*>(f))(static_cast<const T*>(x)[i]);
  };
  return {run, elementTypeOf<U>()};
}

/// y[i] = f(x[i]) for inputs of one of the listed types; U is the element type of y, or void for
/// that of the input.
template <typename U = void, typename... Ts, typename Function>
OpResult map(const OpCall& call, TypeList<Ts...> types, const Function& f) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  const auto loop = selectByType<UnaryLoop>(x.type, types, []<typename T>() {
    return unaryLoop<std::conditional_t<std::is_void_v<U>, T, U>, T, Function>();
  });
  return mapElements(call, x, loop, &f);
}

/// y[i] = f(x[i]) on f32 and f64, computed in double.
template <typename Function>
OpResult mapReal(const OpCall& call, const Function& f) {
  return map(call, FloatTypes{},
             [&]<typename T>(T x) { return static_cast<T>(f(static_cast<double>(x))); });
}

}  // namespace tessera::reference
