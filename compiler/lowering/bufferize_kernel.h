// Tensors -> memory.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Bufferises wrapped kernels: temporaries of results are computed in the caller's buffers where
/// possible, the rest becomes memref.alloc; copies become loops. Adds deallocations only when an
/// allocation is left that the workspace cannot hold. On modules.
std::unique_ptr<mlir::Pass> createBufferizeKernelPass();

/// memref.copy becomes linalg.copy (the library call for strided copies does not exist in kernels),
/// large ones in parallel. On functions.
std::unique_ptr<mlir::Pass> createExpandCopiesPass();

}  // namespace tessera::lowering
