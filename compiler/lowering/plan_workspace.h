// Memory of a kernel's temporaries.
#pragma once

#include <cstdint>
#include <memory>

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

struct PlanWorkspaceOptions {
  /// Kernel functions: temporaries up to this many bytes in all live on the stack.
  int64_t maxStackBytes = 4096;
  /// The same for the bodies of parallel loops, whose threads share no workspace.
  int64_t maxBodyStackBytes = 65536;
};

/// Bytes of an element in memory.
int64_t elementSizeBytes(mlir::MemRefType type);

/// The outermost parallel loop around `op`, whose body becomes a function; null when there is none.
mlir::Operation* parallelLoopOf(mlir::Operation* op);

/// Orders the placeable temporaries of the body of a parallel loop and says how many of them, from
/// the first, its stack takes.
size_t numOnBodyStack(llvm::MutableArrayRef<mlir::memref::AllocOp> allocs,
                      const PlanWorkspaceOptions& options);

/// Whether the pass may place `alloc`: its size is static, no loop or branch hands its memory on,
/// and nobody frees it but through its own result.
bool isPlaceable(mlir::memref::AllocOp alloc, const mlir::BufferViewFlowAnalysis& aliases);

/// Places memref.alloc of static size: in kernel functions at offsets of one workspace (liveness
/// decides who shares memory) or on the stack when small, in outlined parallel bodies on the stack
/// up to a limit. Others stay (lower_allocations.h). Sets `tessera.workspace_bytes` on kernel
/// functions that use a workspace. Runs before outlining, for the kernels, and again after it, for
/// the bodies of their parallel loops; on functions.
std::unique_ptr<mlir::Pass> createPlanWorkspacePass(const PlanWorkspaceOptions& options = {});

}  // namespace tessera::lowering
