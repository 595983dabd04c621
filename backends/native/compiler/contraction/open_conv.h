// Convolutions and transposed ones whose spatial sizes are known at run time only, row-major.
#pragma once

#include "backends/native/compiler/contraction/match.h"
#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/lowering/contraction/open/open_conv.h"

namespace tessera::backend_native {

/// Whether a size of an image, but not their number, is known at run time only.
bool hasOpenImage(mlir::Operation* conv);

/// Why lowering::emitOpenConv does not compute a convolution of row-major f32 images whose sizes
/// are open: "has no weights". Nothing where it does.
std::optional<std::string> whyNoOpenConv(mlir::Operation* conv);

/// The geometry for an input that lies in `input`, and the result's sizes: `out` of its axes. What
/// the operator relies on is required at `b`.
lowering::OpenConvShape openConvShape(KernelBuilder& b, mlir::Operation* conv, mlir::Value input);

/// Adds sizes and pads to the axes of a convolution or a pool, for the same.
void readAxes(KernelBuilder& b, mlir::Operation* op, llvm::MutableArrayRef<lowering::OpenAxis> axes,
              mlir::Value input);

}  // namespace tessera::backend_native
