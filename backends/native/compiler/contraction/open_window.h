// Convolutions, transposed ones too, and pools whose spatial sizes are known at run time only,
// row-major.
#pragma once

#include "backends/native/compiler/contraction/match.h"
#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/lowering/contraction/open/open_conv.h"
#include "compiler/lowering/contraction/open/open_pool.h"

namespace tessera::backend_native {

/// Whether a size of an image, but not their number, is known at run time only.
bool hasOpenImage(mlir::Operation* conv);

/// Why lowering::emitOpenConv does not compute a convolution of row-major f32 images whose sizes
/// are open: "has no weights". Nothing where it does.
std::optional<std::string> whyNoOpenConv(mlir::Operation* conv);

/// The geometry for an input that lies in `input`, and the result's sizes: `out` of its axes. What
/// the operator relies on is required at `b`.
lowering::OpenConvShape openConvShape(KernelBuilder& b, mlir::Operation* conv, mlir::Value input);

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
