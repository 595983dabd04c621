// Whether anybody looks at kernels between phases: where nobody does, those whose code is kept need
// not be made again.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tessera::backend_api {

/// On a module from before phase `optimize` until phase `emit` is over: the phases follow each
/// other, no passes but the owners' run in them, and nobody looks at what is in between. An owner
/// may leave undone in `optimize` what it has the code of already (CodeCache), told apart by what
/// goes into the phase.
inline constexpr llvm::StringLiteral kUnobservedAttribute = "tessera.unobserved";

inline bool isUnobserved(mlir::ModuleOp module) { return module->hasAttr(kUnobservedAttribute); }

}  // namespace tessera::backend_api
