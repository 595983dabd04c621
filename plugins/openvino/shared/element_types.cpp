#include "shared/element_types.h"

#include <algorithm>
#include <iterator>

namespace tessera_openvino {

namespace {

struct Pair {
  ov::element::Type_t element;
  tessera_dtype dtype;
};

constexpr Pair kPairs[] = {
    {ov::element::Type_t::f32, {TESSERA_DTYPE_FLOAT, 32, 1}},
    {ov::element::Type_t::i32, {TESSERA_DTYPE_INT, 32, 1}},
    {ov::element::Type_t::i64, {TESSERA_DTYPE_INT, 64, 1}},
    {ov::element::Type_t::boolean, {TESSERA_DTYPE_BOOL, 8, 1}},
};

}  // namespace

std::optional<tessera_dtype> dtypeOf(const ov::element::Type& type) {
  const auto* found =
      std::ranges::find(kPairs, static_cast<ov::element::Type_t>(type), &Pair::element);
  return found == std::end(kPairs) ? std::nullopt : std::optional(found->dtype);
}

ov::element::Type elementOf(tessera_dtype dtype) {
  const auto* found = std::ranges::find_if(kPairs, [&](const Pair& pair) {
    return pair.dtype.code == dtype.code && pair.dtype.bits == dtype.bits;
  });
  return found == std::end(kPairs) ? ov::element::dynamic : ov::element::Type(found->element);
}

}  // namespace tessera_openvino
