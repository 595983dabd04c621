// Lines that are fetched into the caches before they are used.
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::lowering {

/// Fetches the line of `memory` at `indices` into all levels of the caches; what lies beside the
/// memory is not touched. `isWrite`: it is to be written.
void prefetch(mlir::OpBuilder& b, mlir::Location loc, mlir::Value memory, mlir::ValueRange indices,
              bool isWrite = false);

}  // namespace tessera::lowering
