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

}  // namespace tessera::lowering
