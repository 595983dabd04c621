// What every operator does first: fetch inputs and attributes, check axes, allocate outputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "reference/op_call.h"
#include "reference/tensor.h"
#include "tessera/status.h"

namespace tessera::reference {

using OpResult = Result<std::vector<Tensor>>;

/// An error about this call: "conv: <message>".
Error opError(const OpCall& call, std::string message);
/// "conv: element type f16 is not supported".
Error unsupportedType(const OpCall& call, ElementType type);
/// "[2, 3]".
std::string toText(std::span<const int64_t> values);

bool hasInput(const OpCall& call, size_t index);
/// Input `index`; an error when the caller left it out.
Result<TensorView> requiredInput(const OpCall& call, size_t index);
/// Input `index`; an error unless present and of element type `type`.
Result<TensorView> typedInput(const OpCall& call, size_t index, ElementType type);
/// The elements of a rank 0 or 1 integer input (i32 or i64), as shape-like operands are.
Result<std::vector<int64_t>> integerInput(const OpCall& call, size_t index);
/// As integerInput, for exactly one element.
Result<int64_t> integerScalarInput(const OpCall& call, size_t index);
/// A floating-point input of any shape, widened to double.
Result<std::vector<double>> realInput(const OpCall& call, size_t index);

/// The attribute, or `fallback` when it is absent; an error when it has another type. An integer is
/// accepted where a float is wanted.
template <typename T>
Result<T> attributeOr(const OpCall& call, std::string_view name, std::type_identity_t<T> fallback) {
  const auto it = call.attributes.find(name);
  if (it == call.attributes.end()) return fallback;
  if (const T* value = std::get_if<T>(&it->second)) return *value;
  if constexpr (std::is_same_v<T, double>) {
    if (const int64_t* value = std::get_if<int64_t>(&it->second))
      return static_cast<double>(*value);
  }
  if constexpr (std::is_same_v<T, std::vector<double>> ||
                std::is_same_v<T, std::vector<std::string>> ||
                std::is_same_v<T, std::vector<int64_t>>) {
    // An empty list has lost its element type.
    const bool empty = std::visit(
        [](const auto& value) {
          if constexpr (requires { value.empty(); }) return value.empty();
          return false;
        },
        it->second);
    if (empty) return T{};
  }
  return opError(call, "attribute '" + std::string(name) + "' has the wrong type");
}
bool hasAttribute(const OpCall& call, std::string_view name);
/// A boolean attribute: ONNX writes it as 0 or 1.
Result<bool> flagOr(const OpCall& call, std::string_view name, bool fallback);
/// An attribute that holds an ONNX element type, such as Cast's `to`; 0 (undefined) counts as
/// absent.
Result<ElementType> elementTypeOr(const OpCall& call, std::string_view name, ElementType fallback);

/// `axis` in [-rank, rank) as [0, rank).
Result<int64_t> normalizeAxis(const OpCall& call, int64_t axis, int64_t rank);
/// Each of `axes` normalised, in the given order; an error when one occurs twice.
Result<std::vector<int64_t>> normalizeAxes(const OpCall& call, std::span<const int64_t> axes,
                                           int64_t rank);

/// A zero-filled tensor; an error when a size is negative or the whole does not fit into memory.
Result<Tensor> makeTensor(const OpCall& call, ElementType type, Shape shape);
/// A tensor with the same elements in the same order, under another shape of equal count.
Result<Tensor> copyWithShape(const OpCall& call, const TensorView& source, Shape shape);

/// Wraps the outputs of an operator.
template <typename... Tensors>
OpResult outputs(Tensors&&... tensors) {
  std::vector<Tensor> list;
  list.reserve(sizeof...(tensors));
  (list.push_back(std::move(tensors)), ...);
  return list;
}

/// Row-major strides, in elements.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape);
inline Shape toShape(std::span<const int64_t> shape) { return {shape.begin(), shape.end()}; }
/// Product of shape[begin, end).
int64_t countBetween(std::span<const int64_t> shape, int64_t begin, int64_t end);
inline bool sameShape(std::span<const int64_t> a, std::span<const int64_t> b) {
  return std::ranges::equal(a, b);
}

}  // namespace tessera::reference
