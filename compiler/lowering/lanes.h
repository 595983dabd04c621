// Which lanes of a vector count.
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::lowering {

/// The lanes below `count`, an index value from 0 on, as a vector of `lanes` conditions; a constant
/// where it is one.
mlir::Value lanesBelow(mlir::OpBuilder& b, mlir::Location loc, int64_t lanes, mlir::Value count);
mlir::Value lanesBelow(mlir::OpBuilder& b, mlir::Location loc, int64_t lanes, int64_t count);

}  // namespace tessera::lowering
