// Kernels that cut channels in blocks into parts.
#pragma once

#include "compiler/ir/tsr.h"
#include "compiler/lowering/object/llvm_target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::backend_native {

/// The Split of channels in blocks of `lanes` that is all that a region computes; null where there
/// is none.
ir::SplitOp splitOfChannels(mlir::func::FuncOp region, int64_t lanes);

/// Adds the kernel `name` of such a region, in ABI form on memrefs, to `kernels`.
void emitSplitOfChannels(mlir::func::FuncOp region, ir::SplitOp split, mlir::ModuleOp kernels,
                         llvm::StringRef name, const lowering::CpuTarget& cpu);

}  // namespace tessera::backend_native
