// Booleans in memory.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Tensors of i1 become tensors of i8 holding 0 or 1, in bodies and function signatures: a boolean
/// takes one byte of memory everywhere (a vector<16xi1> would take two bytes in all). Scalars stay
/// i1: reading an element tests it against 0, writing extends it.
std::unique_ptr<mlir::Pass> createWidenBoolPass();

}  // namespace tessera::lowering
