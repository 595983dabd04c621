// A few elements that come first of each of many lines that lie side by side.
#pragma once

#include "backends/native/compiler/lower/filtered_selection.h"

namespace tessera::backend_native {

/// Whether lines of `length`, of which `inner` lie side by side, are to be gone along together for
/// the first `count` elements of each.
bool isForNeighbours(const Order& order, mlir::Value count, mlir::Value length, mlir::Value inner);

/// The first `count` elements along dimension 1 of `x`, [outer, length, inner], in order, and of
/// equal ones in the order of the line: those and their positions as i64, both [outer, count,
/// inner].
Values selectOfNeighbours(KernelBuilder& b, const Order& order, mlir::Value x, int64_t count);

}  // namespace tessera::backend_native
