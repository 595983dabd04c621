// A module at phase link becomes what an artifact holds.
#pragma once

#include "artifact/bundle.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::codegen {

/// Serialises the host program with the code of its regions; the module says all. Constants and
/// code borrow the bytes of the module's store: it must outlive the bundle. Errors: the entry
/// function is no host program (kInvalidInput); a region has no implementation (kTargetFailed).
Result<artifact::Bundle> makeBundle(mlir::ModuleOp module);

}  // namespace tessera::codegen
