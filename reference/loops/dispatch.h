// From a run-time element type to a C++ type.
#pragma once

#include <cstdint>
#include <type_traits>

#include "reference/arguments.h"
#include "tessera/element_type.h"

namespace tessera::reference {

/// One stored bool. A byte other than 0 or 1 may come from outside, which C++'s own bool must not
/// hold.
struct Boolean {
  uint8_t byte = 0;
  Boolean() = default;
  Boolean(bool value) : byte(value ? 1 : 0) {}  // NOLINT: implicit by design
  operator bool() const { return byte != 0; }   // NOLINT: implicit by design
};

template <typename... Ts>
struct TypeList {};

using FloatTypes = TypeList<float, double>;
using IntegerTypes =
    TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
using NumberTypes = TypeList<float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                             int64_t, uint64_t>;
using AllTypes = TypeList<float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                          int64_t, uint64_t, Boolean>;

template <typename T>
constexpr ElementType elementTypeOf() {
  if constexpr (std::is_same_v<T, float>) return ElementType::kF32;
  if constexpr (std::is_same_v<T, double>) return ElementType::kF64;
  if constexpr (std::is_same_v<T, int8_t>) return ElementType::kI8;
  if constexpr (std::is_same_v<T, uint8_t>) return ElementType::kU8;
  if constexpr (std::is_same_v<T, int16_t>) return ElementType::kI16;
  if constexpr (std::is_same_v<T, uint16_t>) return ElementType::kU16;
  if constexpr (std::is_same_v<T, int32_t>) return ElementType::kI32;
  if constexpr (std::is_same_v<T, uint32_t>) return ElementType::kU32;
  if constexpr (std::is_same_v<T, int64_t>) return ElementType::kI64;
  if constexpr (std::is_same_v<T, uint64_t>) return ElementType::kU64;
  if constexpr (std::is_same_v<T, Boolean>) return ElementType::kBool;
  return ElementType::kUndefined;
}

/// What `select.operator()<T>()` gives for the T of the list that stands for `type`; an empty
/// Selected when none does. For picking a typed loop: what surrounds the loop need not be a
/// template.
template <typename Selected, typename... Ts, typename Select>
Selected selectByType(ElementType type, TypeList<Ts...>, Select select) {
  Selected selected{};
  (void)((elementTypeOf<Ts>() == type && (selected = select.template operator()<Ts>(), true)) ||
         ...);
  return selected;
}

/// Calls `body.operator()<T>()` for the T of the list that stands for `type`; an error when none
/// does.
template <typename... Ts, typename Body>
OpResult dispatch(const OpCall& call, ElementType type, TypeList<Ts...> types, Body&& body) {
  using Run = OpResult (*)(Body&);
  const auto run = selectByType<Run>(type, types, []<typename T>() -> Run {
    return [](Body& typed) -> OpResult { return typed.template operator()<T>(); };
  });
  return run ? run(body) : unsupportedType(call, type);
}

/// For operators that only move elements: T is an unsigned integer as wide as `type`.
template <typename Body>
OpResult dispatchBySize(const OpCall& call, ElementType type, Body&& body) {
  switch (elementSizeBytes(type)) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    case 8:
      return body.template operator()<uint64_t>();
    default:
      return unsupportedType(call, type);
  }
}

/// What sums of T are accumulated in: double for floats; unsigned for integers, whose overflow
/// wraps.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

}  // namespace tessera::reference
