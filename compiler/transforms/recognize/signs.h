// What is known of the signs of a value's elements, zeros included.
#pragma once

#include "compiler/ir/tsr.h"

namespace tessera::transforms {

/// True when no element is below zero or -0.0; it may be NaN.
bool isPositiveOrZero(mlir::Value value);

/// True when no element can be -0.0, or nobody decides the sign of a zero, as in a sum of products.
bool isNeverMinusZero(mlir::Value value);

/// True when all elements of a constant are zero and have the given sign.
bool isConstantZero(mlir::Value value, bool isNegative);

}  // namespace tessera::transforms
