// Kernels on memrefs -> LLVM dialect.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Converts a module of kernel functions and outlined bodies (scf, memref, vector, arith, math,
/// func, llvm ops) entirely to the LLVM dialect, and makes kernels and bodies return where a call
/// marked kMayFailAttr fails. On modules.
std::unique_ptr<mlir::Pass> createConvertKernelToLlvmPass();

}  // namespace tessera::lowering
