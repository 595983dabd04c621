// Phase `link`: the host program and its memory.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"
#include "mlir/Pass/Pass.h"

namespace tessera::codegen {

/// Turns the entry function from calls on tensors into the host program: `tsr.alloc`, `tsr.global`,
/// `tsr.view` and `tsr.call` on buffers, in execution order. Arguments and results become buffers.
/// What has no owner is realised without running anything (compiler/ir/host_views.h), except for
/// `tsr.copy_buffer` of parts of concatenations that no region computes.
std::unique_ptr<mlir::Pass> createBuildHostProgramPass();

/// Gives each static `tsr.alloc` of the host program its offset in the arena. A result takes the
/// memory of an operand that dies there when the region's owner allows it. Sets on the entry
/// function `tessera.arena_bytes`, `tessera.peak_bytes` (bytes that the plan uses: the arena) and
/// `tessera.lower_bound_bytes` (most bytes live at once: no plan for these buffers can be smaller).
/// Buffers sized at run time are in none of them.
std::unique_ptr<mlir::Pass> createPlanMemoryPass(backend_api::Owners owners);

inline constexpr llvm::StringLiteral kArenaBytes = "tessera.arena_bytes";
inline constexpr llvm::StringLiteral kPeakBytes = "tessera.peak_bytes";
inline constexpr llvm::StringLiteral kLowerBoundBytes = "tessera.lower_bound_bytes";

/// Values start at multiples of this, but for parts of others.
inline constexpr int64_t kBufferAlignment = 64;

}  // namespace tessera::codegen
