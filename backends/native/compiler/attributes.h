// Attributes that many operators share, by name.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tessera::backend_native {

/// Values of a list attribute, `fallback` for each of `count` where it is absent or empty.
llvm::SmallVector<int64_t> intsOr(mlir::Operation* op, llvm::StringRef name, size_t count,
                                  int64_t fallback);
int64_t intOr(mlir::Operation* op, llvm::StringRef name, int64_t fallback);

/// `axis` counted from the front.
inline int64_t positiveAxis(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace tessera::backend_native
