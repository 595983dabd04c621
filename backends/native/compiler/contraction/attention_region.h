// Kernels of regions that are attention, through the emitter of lowering/.
#pragma once

#include "backends/native/compiler/contraction/attention_plan.h"
#include "backends/native/compiler/kernels.h"
#include "compiler/lowering/contraction/attention/attention.h"

namespace tessera::backend_native {

/// The block of a region that may be attention: the body of the composite that it is, else its own
/// if it holds a softmax between products; null for others.
mlir::Block* attentionBody(mlir::func::FuncOp region);

/// A size is open where one of those is that have to be equal.
lowering::AttentionShape attentionShape(const AttentionPlan& plan);

/// Adds the kernel `name`, in ABI form on memrefs, to `kernels`. `plan` is of `region`'s
/// attentionBody.
void emitAttentionRegion(mlir::func::FuncOp region, const AttentionPlan& plan,
                         mlir::ModuleOp kernels, llvm::StringRef name,
                         const lowering::CpuTarget& cpu);

}  // namespace tessera::backend_native
