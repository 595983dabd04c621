// Axes that come as a list, counted from the front.
#pragma once

#include <optional>

#include "mlir/IR/Value.h"

namespace tessera::ir::spec {

/// `axes` of a tensor of `rank` dimensions, each counted from the front, in their order.
llvm::SmallVector<int64_t> normalizedAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

/// The same for the elements of a constant operand; nothing when it is null or not constant.
std::optional<llvm::SmallVector<int64_t>> constantAxes(mlir::Value axes, int64_t rank);

/// All of `rank` dimensions: 0, 1, ...
llvm::SmallVector<int64_t> allAxes(int64_t rank);

/// The dimensions that a reduction over `axes` takes, ascending: all where there are none, unless
/// `noopWithEmptyAxes`.
llvm::SmallVector<int64_t> reducedDims(llvm::ArrayRef<int64_t> axes, bool noopWithEmptyAxes,
                                       int64_t rank);

}  // namespace tessera::ir::spec
