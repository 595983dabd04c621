// Operators that make one result of many, in any order.
#pragma once

#include <optional>

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace tessera::lowering {

/// What a combiner does; none when it is no sum, product, minimum, maximum or bitwise operator.
std::optional<mlir::vector::CombiningKind> combiningKind(mlir::Operation* combiner);

/// The element, as an attribute of `type`, that changes nothing.
mlir::TypedAttr neutralElement(mlir::OpBuilder& b, mlir::vector::CombiningKind kind,
                               mlir::Type type);

/// Whether a combiner takes numbers and leaves out NaN.
bool skipsNan(mlir::Operation* combiner);

/// Of vectors: the combiner that skips NaN, on what it has come to and one more. As that began as a
/// number and stays one, it is a comparison, one instruction on x86.
mlir::Value combineNumbers(mlir::OpBuilder& b, mlir::Operation* combiner, mlir::Value before,
                           mlir::Value next);

}  // namespace tessera::lowering
