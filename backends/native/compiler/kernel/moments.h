// Means and variances of lines.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

struct Moments {
  mlir::Value mean;      ///< Null where not asked for.
  mlir::Value variance;  ///< About the mean, or about 0 without one; divided by the count.
};

/// Moments over `dims` of x.
Moments momentsOf(KernelBuilder& b, mlir::Value x, llvm::ArrayRef<int64_t> dims, bool isCentered);

/// Moments of lines from those of parts of equal lengths, which lie along `dims`; about the mean.
Moments joinMoments(KernelBuilder& b, const Moments& parts, llvm::ArrayRef<int64_t> dims);

}  // namespace tessera::backend_native
