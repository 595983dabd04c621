// What operators have to do, whoever runs them.
#pragma once

#include "mlir/IR/Operation.h"

namespace tessera::placement {

/// Floating-point operations; 0 where an operator does not count them.
double flopsOf(mlir::Operation* op);
/// Bytes of tensors of these types, as they lie in memory; 0 for those of unknown size.
double bytesOf(mlir::TypeRange types);

}  // namespace tessera::placement
