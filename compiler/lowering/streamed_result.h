// Results that are written past the caches: a store into a line that no cache holds reads the line
// first, past them it does not.
#pragma once

#include "compiler/lowering/index_builder.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera::lowering {

/// A vector of less than a line is one of several that make one, which only come in order where
/// nothing else is written in between.
inline constexpr int64_t kLineBytes = 64;

int64_t elementBytes(mlir::MemRefType type);

/// Whether caches do not hold such memory: what is written to it, or was, does not stay there.
bool isBeyondCaches(mlir::MemRefType type);

/// Where vectors are written past the caches.
struct StreamedResult {
  mlir::Value buffer;          ///< A view of its own, which no pass folds into stores.
  mlir::Value startsOnVector;  ///< i1: its address is a multiple of a vector's size.
};
StreamedResult streamedResult(IndexBuilder& b, mlir::Value result, int64_t lanes);

/// Calls `emit` for code that writes `output`, a flat result of a kernel in rows of `width`
/// elements that it does not read again, `run` elements of a row one after the other: twice where
/// it is larger than caches, and rows and runs are whole lines, once for writing past the caches by
/// vector.store with nontemporal. `target` is what to write.
void emitStreamed(
    const IndexBuilder& at, mlir::Value output, int64_t width, int64_t lanes, int64_t run,
    llvm::function_ref<void(IndexBuilder b, mlir::Value target, bool isStreamed)> emit);

}  // namespace tessera::lowering
