// Two constants as one, where that shows in no result.
#pragma once

#include "compiler/transforms/rewrite.h"

namespace tessera::transforms {

/// a * b, the constant that x * a * b multiplies by at once, for constants that broadcast. Nothing
/// unless both are f32 or f64, all elements are finite and no product leaves the range of normal
/// numbers: an infinite x shows whether it met a number, an infinity or a zero.
std::optional<reference::Tensor> productOf(mlir::Value a, mlir::Value b);

/// a + b, the constant that x + a + b adds at once, likewise. Nothing also when much of a and b
/// cancels: a large constant that is added and taken away again is a way to round x.
std::optional<reference::Tensor> sumOf(mlir::Value a, mlir::Value b);

/// True when no element is infinite or NaN.
bool areFinite(std::span<const float> values);

}  // namespace tessera::transforms
