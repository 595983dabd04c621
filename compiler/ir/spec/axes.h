// Negative axes: the one place that knows that they count from the back.
#pragma once

#include <cstdint>

#include "compiler/ir/spec/integer.h"

namespace tessera::ir::spec {

/// Whether `axis` names one of `rank` dimensions: it is in [-rank, rank).
constexpr bool isAxis(int64_t axis, int64_t rank) { return axis >= -rank && axis < rank; }

/// `axis` of `rank` dimensions counted from the front: a negative one counts from the back, -1 is
/// the last. Also for a position between dimensions, in [-rank, rank].
template <Integer Int>
constexpr Int normalizedAxis(const Int& axis, int64_t rank) {
  const Int zero = literal(axis, 0);
  return axis + select(axis < zero, literal(axis, rank), zero);
}

}  // namespace tessera::ir::spec
