// Positions and ranges as Slice, Shape and their relatives count them: negative ones from the end,
// those outside moved to the border.
#pragma once

#include "compiler/ir/spec/integer.h"

namespace tessera::ir::spec {

/// The place in [least, most] that `position` of a dimension of `size` elements means. Any position
/// is legal, the greatest and the least numbers included.
template <Integer Int>
constexpr Int borderPosition(const Int& position, const Int& size, const Int& least,
                             const Int& most) {
  const Int zero = literal(position, 0);
  const Int absolute = position + select(position < zero, size, zero);
  return smaller(larger(absolute, least), most);
}

/// The end of a range that counts upwards: a place in [0, size].
template <Integer Int>
constexpr Int clampedPosition(const Int& position, const Int& size) {
  return borderPosition(position, size, literal(position, 0), size);
}

/// What start:end:step takes of a dimension.
template <typename Int>
struct SliceRange {
  Int start;   ///< The first element, where there is one.
  Int length;  ///< 0 or more.
};

/// The range start:end:step of `size` elements, as ONNX clamps: a negative step starts at an
/// element, where numpy may start before the first one. A step of 0 is to be refused; here it
/// counts as 1.
template <Integer Int>
constexpr SliceRange<Int> sliceRange(const Int& size, const Int& start, const Int& end,
                                     const Int& step) {
  const Int zero = literal(size, 0), one = literal(size, 1);
  const auto ascends = zero < step;
  const Int most = select(ascends, size, size - one);
  const Int from = borderPosition(start, size, zero, most);
  const Int to = borderPosition(end, size, select(ascends, zero, literal(size, -1)), most);
  const Int divisor = select(step == zero, one, step);
  return {from, larger(ceilDiv(to - from, divisor), zero)};
}

}  // namespace tessera::ir::spec
