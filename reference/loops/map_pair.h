// Elementwise functions of two inputs with numpy broadcasting. As in map.h, only the loops are
// templates.
#pragma once

#include "reference/loops/dispatch.h"

namespace tessera::reference {

/// Where a row of an operand begins, and how far its elements are apart; in elements.
struct RowOperand {
  const void* data = nullptr;
  int64_t offset = 0;
  int64_t step = 0;
};

struct RowResult {
  void* data = nullptr;
  int64_t offset = 0;
};

/// y[j] = f(a[j], b[j]) for one row of `length` elements; `f` points to the function object.
struct BinaryLoop {
  void (*run)(const void* f, RowOperand a, RowOperand b, RowResult y, int64_t length) = nullptr;
  ElementType result = ElementType::kUndefined;  ///< Of y.
};

template <typename U, typename A, typename B, typename Function>
BinaryLoop binaryLoop() {
  const auto run = [](const void* f, RowOperand a, RowOperand b, RowResult y, int64_t length) {
    const A* left = static_cast<const A*>(a.data) + a.offset;
    const B* right = static_cast<const B*>(b.data) + b.offset;
    U* out = static_cast<U*>(y.data) + y.offset;
    for (int64_t j = 0; j < length; ++j)
      out[j] = (*static_cast<const Function*>(f))(left[j * a.step], right[j * b.step]);
  };
  return {run, elementTypeOf<U>()};
}

/// f over the broadcast shape of `a` and `b`, whose types are the loop's.
Result<Tensor> mapPairs(const OpCall& call, const TensorView& a, const TensorView& b,
                        const BinaryLoop& loop, const void* f);
/// f over inputs 0 and 1 of one type; an error when there is no loop for it.
OpResult mapSameTyped(const OpCall& call, const BinaryLoop& loop, const void* f);
/// f over all inputs from the left; at least one input, each of the same type.
OpResult foldInputs(const OpCall& call, const BinaryLoop& loop, const void* f);

/// The loop for `type`, empty when it is not listed; U is the element type of y, or void for that
/// of the inputs.
template <typename U, typename Function, typename... Ts>
BinaryLoop selectBinaryLoop(ElementType type, TypeList<Ts...> types) {
  return selectByType<BinaryLoop>(type, types, []<typename T>() {
    return binaryLoop<std::conditional_t<std::is_void_v<U>, T, U>, T, T, Function>();
  });
}

/// y = f(a, b) for inputs of one of the listed types.
template <typename U = void, typename... Ts, typename Function>
OpResult binary(const OpCall& call, TypeList<Ts...> types, const Function& f) {
  TESSERA_TRY(const TensorView first, requiredInput(call, 0));
  return mapSameTyped(call, selectBinaryLoop<U, Function>(first.type, types), &f);
}

/// f over all inputs from the left, each of the same listed type.
template <typename... Ts, typename Function>
OpResult fold(const OpCall& call, TypeList<Ts...> types, const Function& f) {
  TESSERA_TRY(const TensorView first, requiredInput(call, 0));
  return foldInputs(call, selectBinaryLoop<void, Function>(first.type, types), &f);
}

}  // namespace tessera::reference
