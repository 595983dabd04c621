// Which region computes which result, once regions are exposed.
#pragma once

#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "tessera/compile.h"

namespace tessera::driver {

/// One entry for each result of the entry function that partition's pass expose-regions added, in
/// their order.
std::vector<RegionOutput> regionOutputs(mlir::ModuleOp module);

}  // namespace tessera::driver
