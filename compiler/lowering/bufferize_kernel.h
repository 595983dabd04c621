// Tensors -> memory.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Bufferises wrapped kernels: temporaries of results are computed in the caller's buffers where possible, the rest becomes
/// memref.alloc; copies become loops. Adds deallocations only when an allocation of run-time size is left. On modules.
std::unique_ptr<mlir::Pass> createBufferizeKernelPass();

/// memref.copy becomes linalg.copy: the library call for strided copies does not exist in kernels. On functions.
std::unique_ptr<mlir::Pass> createExpandCopiesPass();

}  // namespace tessera::lowering
