// Kernels of regions that are one recurrent layer, through the emitter of lowering/.
#pragma once

#include "backends/native/compiler/contraction/match.h"
#include "compiler/lowering/contraction/recurrent/recurrent.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::backend_native {

/// A region that is one layer and nothing else.
struct RecurrentPlan {
  mlir::func::FuncOp function;
  mlir::Operation* layer = nullptr;
  lowering::RecurrentShape shape;
};

/// How a region with a recurrent layer in it is computed by emitRecurrent.
OrDeclined<RecurrentPlan> planRecurrent(mlir::func::FuncOp function, mlir::Operation* layer);

/// Adds the kernel `name`, in ABI form on memrefs, to `kernels`.
void emitRecurrentLayer(const RecurrentPlan& plan, mlir::ModuleOp kernels, llvm::StringRef name,
                        const lowering::CpuTarget& cpu);

}  // namespace tessera::backend_native
