// What a context needs before kernels can be built, lowered and emitted in it.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tessera::lowering {

/// Registers the dialects kernels are written in, their bufferisation, tiling and subset
/// interfaces, and the translation to LLVM IR. Call once per context, before it is used by several
/// threads.
void registerLoweringDialects(mlir::DialectRegistry& registry);

}  // namespace tessera::lowering
