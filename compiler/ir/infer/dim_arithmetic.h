// Arithmetic on what is known of numbers in shape computations: a number, a named dimension (at
// least 0), or unknown.
#pragma once

#include <algorithm>
#include <optional>

#include "compiler/ir/infer/common.h"

namespace tessera::ir {

inline Dim number(int64_t value) { return {.size = value}; }

/// An element-wise function of two numbers; `apply` returns nothing when the result is not
/// representable.
template <typename Apply>
inline Dim onNumbers(const Dim& a, const Dim& b, Apply apply) {
  if (!a.isStatic() || !b.isStatic()) return {};
  const std::optional<int64_t> result = apply(a.size, b.size);
  return result ? number(*result) : Dim{};
}

inline Dim addDims(const Dim& a, const Dim& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return onNumbers(a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
    int64_t sum = 0;
    return __builtin_add_overflow(x, y, &sum) ? std::nullopt : std::optional(sum);
  });
}

inline Dim subtractDims(const Dim& a, const Dim& b) {
  if (b.is(0)) return a;
  if (areEqual(a, b)) return number(0);
  return onNumbers(a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
    int64_t difference = 0;
    return __builtin_sub_overflow(x, y, &difference) ? std::nullopt : std::optional(difference);
  });
}

inline Dim multiplyDims(const Dim& a, const Dim& b) {
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.is(0) || b.is(0)) return number(0);
  return onNumbers(a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
    int64_t product = 0;
    return __builtin_mul_overflow(x, y, &product) ? std::nullopt : std::optional(product);
  });
}

inline Dim divideDims(const Dim& a, const Dim& b) {
  if (b.is(1)) return a;
  return onNumbers(a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
    if (y == 0 || (y == -1 && x == INT64_MIN)) return std::nullopt;
    return x / y;
  });
}

inline Dim remainderDims(const Dim& a, const Dim& b) {
  return onNumbers(a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
    if (x < 0 || y <= 0) return std::nullopt;  // The sign rule depends on an attribute.
    return x % y;
  });
}

inline Dim lesserDim(const Dim& a, const Dim& b) {
  if (areEqual(a, b)) return a;
  return onNumbers(a, b, [](int64_t x, int64_t y) { return std::optional(std::min(x, y)); });
}

inline Dim greaterDim(const Dim& a, const Dim& b) {
  if (areEqual(a, b)) return a;
  return onNumbers(a, b, [](int64_t x, int64_t y) { return std::optional(std::max(x, y)); });
}

inline Dim equalDims(const Dim& a, const Dim& b) {
  if (areEqual(a, b)) return number(1);
  if ((a.symbol && b.isStatic() && b.size < 0) || (b.symbol && a.isStatic() && a.size < 0))
    return number(0);
  return onNumbers(a, b, [](int64_t x, int64_t y) { return std::optional<int64_t>(x == y); });
}

}  // namespace tessera::ir
