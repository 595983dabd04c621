// Who runs what of a placed module, and why nobody else does.
#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "tessera/compile.h"

namespace tessera::report {

/// One entry for each ONNX node (and one for all that comes from none in a region), in the order
/// of execution. All owners of the module are asked about the operators as they are in row-major
/// order in host memory; regions that were refused tell with what reason. Empty where the module
/// names a target that there is not.
std::vector<NodePlacement> describePlacement(mlir::ModuleOp placed);

}  // namespace tessera::report
