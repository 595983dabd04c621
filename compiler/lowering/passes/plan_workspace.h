// Memory of a kernel's temporaries: what the passes that place them agree on.
#pragma once

#include <cstdint>

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::lowering {

/// Bytes of an element in memory.
int64_t elementSizeBytes(mlir::MemRefType type);

/// The outermost parallel loop around `op`, whose body becomes a function; null when there is none.
mlir::Operation* parallelLoopOf(mlir::Operation* op);

/// Orders the placeable temporaries of the body of a parallel loop and says how many of them, from
/// the first, its stack takes when it has room for `maxBytes`.
size_t numOnBodyStack(llvm::MutableArrayRef<mlir::memref::AllocOp> allocs, int64_t maxBytes);

/// Whether the pass may place `alloc`: its size is static, no loop or branch hands its memory on,
/// and nobody frees it but through its own result.
bool isPlaceable(mlir::memref::AllocOp alloc, const mlir::BufferViewFlowAnalysis& aliases);

}  // namespace tessera::lowering
