// The arithmetic that the geometry of this folder is written in. `Int` is `int64_t` where numbers
// are known (inference, folding, static kernels), or a wrapper around an index value where code for
// sizes of the run is built. A wrapper has the operators of the concept and, in its own namespace,
// the functions that numbers have here.
#pragma once

#include <concepts>
#include <cstdint>

namespace tessera::ir::spec {

/// a / b rounded down or up, for any signs; b is not 0, nor -1 for the least a.
constexpr int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}
constexpr int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a % b < 0) == (b < 0) ? 1 : 0);
}
constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t larger(int64_t a, int64_t b) { return a < b ? b : a; }
constexpr int64_t select(bool condition, int64_t a, int64_t b) { return condition ? a : b; }
/// `number` as an integer of the kind of `like`.
constexpr int64_t literal(int64_t /*like*/, int64_t number) { return number; }

// clang-format off
template <typename Int>
concept Integer = std::copyable<Int> && requires(const Int a, const Int b, int64_t n) {
  { a + b } -> std::same_as<Int>;
  { a - b } -> std::same_as<Int>;
  { a * n } -> std::same_as<Int>;
  { floorDiv(a, n) } -> std::same_as<Int>;
  { ceilDiv(a, b) } -> std::same_as<Int>;
  { smaller(a, b) } -> std::same_as<Int>;
  { larger(a, b) } -> std::same_as<Int>;
  { select(a < b, a, b) } -> std::same_as<Int>;
  { select(a == b, a, b) } -> std::same_as<Int>;
  { literal(a, n) } -> std::same_as<Int>;
};
// clang-format on

}  // namespace tessera::ir::spec
