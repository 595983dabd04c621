// Regions that are one convolution or matrix product with an elementwise tail, through the
// contraction emitters of lowering/.
#pragma once

#include "compiler/lowering/llvm_target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::backend_native {

/// Adds the kernel `name`, in ABI form on memrefs, to `kernels` when an emitter takes the region's
/// contraction in the layouts it has and the tail can work on accumulators. Returns false, and adds
/// nothing, otherwise.
bool buildContractionKernel(mlir::func::FuncOp region, mlir::ModuleOp kernels, llvm::StringRef name,
                            const lowering::CpuTarget& cpu);

}  // namespace tessera::backend_native
