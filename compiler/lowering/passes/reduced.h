#pragma once

#include "mlir/IR/Value.h"

namespace tessera::lowering {

/// Whether a reduction makes `value`, or something that it is made of.
bool isMadeByReduction(mlir::Value value);

}  // namespace tessera::lowering
