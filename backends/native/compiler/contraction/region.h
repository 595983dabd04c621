// Kernels of regions that are one contraction with an elementwise tail, through the emitters of
// lowering/.
#pragma once

#include "backends/native/compiler/contraction/plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::backend_native {

/// Adds the kernel `name`, in ABI form on memrefs, to `kernels`. `cpu` is the one planned for.
void emitContraction(const RegionPlan& plan, mlir::ModuleOp kernels, llvm::StringRef name,
                     const lowering::CpuTarget& cpu);

}  // namespace tessera::backend_native
