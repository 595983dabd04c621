// Pools whose spatial sizes are known at run time only, row-major.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/lowering/contraction/open/open_pool.h"

namespace tessera::backend_native {

/// Why lowering::emitOpenPool does not compute a pool of row-major f32 images whose sizes are open:
/// "is not of f32". Nothing where it does.
std::optional<std::string> whyNoOpenPool(mlir::Operation* pool);

/// Its spatial dimensions, for an input that lies in `input`. What the operator relies on is
/// required at `b`.
llvm::SmallVector<lowering::OpenAxis> openPoolAxes(KernelBuilder& b, mlir::Operation* pool,
                                                   mlir::Value input);

/// What it makes of the elements of a window; where padding ends is for the axes to say.
lowering::Pool openPoolOf(mlir::Operation* pool);

}  // namespace tessera::backend_native
