// Phases `emit` and `link`: code into the module, the host program and its memory.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"
#include "mlir/Pass/Pass.h"

namespace tessera::codegen {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION  // registerCodegenPasses()
#include "compiler/codegen/passes.h.inc"

/// What the emit pass hands to owners beyond the module. Both outlive the pass.
struct EmitServices {
  backend_api::CodeCache* cache = nullptr;  ///< Null: each run has its own.
  backend_api::Progress progress = {};
};
std::unique_ptr<mlir::Pass> createEmitRegionsPass(EmitServices services);

/// On a region's function: how it is run, an array of `#tsr.implementation`, the first choice in
/// front.
inline constexpr llvm::StringLiteral kImplementations = "tessera.implementations";

inline constexpr llvm::StringLiteral kArenaBytes = "tessera.arena_bytes";
inline constexpr llvm::StringLiteral kLowerBoundBytes = "tessera.lower_bound_bytes";

/// The same figures of memory spaces other than the host's: a dictionary by name. There, too, the
/// targets that have the space, under ir::kTargetsAttribute.
inline constexpr llvm::StringLiteral kOtherSpaces = "tessera.memory_spaces";

}  // namespace tessera::codegen
