// Maxima and minima of floats that keep NaN, of what CPUs have instructions for.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tessera::lowering {

enum class Extreme : uint8_t { kMaximum, kMinimum };

/// `first` where it is greater (kMaximum) or less (kMinimum) than `second`, else `second`, as
/// beside a NaN: one instruction.
mlir::Value extremeOrSecond(mlir::OpBuilder& b, mlir::Location loc, Extreme which,
                            mlir::Value first, mlir::Value second);

/// `value`, and NaN in the lanes of `isNan`: one of all bits, which makes it one `or` where masks
/// are vectors.
mlir::Value withNan(mlir::OpBuilder& b, mlir::Location loc, mlir::Value isNan, mlir::Value value);

}  // namespace tessera::lowering
