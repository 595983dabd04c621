// A few tens of a long line's elements that come first: those below a bound are filtered, and put
// in order.
#pragma once

#include <limits>

#include "backends/native/compiler/lower/selection_order.h"

namespace tessera::backend_native {

/// Elements sought that are inserted one by one: in ascending order each is.
inline constexpr int64_t kMostInserted = 8;
/// Elements of a line whose positions are i32.
inline constexpr int64_t kMostPositions = std::numeric_limits<int32_t>::max();

/// Whether a filter is the way to the first `count` elements of a line of `length`. It takes
/// O(length + count^2) where the order is random, O(length * count) where each comes before those
/// in front of it.
bool isForFilter(const Order& order, mlir::Value count, mlir::Value length);

/// The elements of each line of `x`, [lines, length], that come first, in order, and their
/// positions, i64; of equal ones in the order of the line. Both [lines, count].
Values filteredSelection(KernelBuilder& b, const Order& order, mlir::Value x, int64_t count);

}  // namespace tessera::backend_native
