// Sliding windows over the spatial dimensions: what convolutions and pools share.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/ir/spec/window.h"

namespace tessera::backend_native {

/// One entry for each spatial dimension; sizes that may be known at run time only are index values.
struct Window {
  llvm::SmallVector<int64_t> strides, dilations;
  Values kernel, input, output, padsBegin, padsEnd;

  size_t rank() const { return kernel.size(); }
  /// Input elements between a window's first and last tap, both included.
  mlir::Value reach(KernelBuilder& b, size_t d) const;
};

/// Steps and sizes of a window; its pads and the sizes of its result are to be added.
Window windowWithoutPads(const ir::spec::WindowAttributes& attributes, mlir::ValueRange kernel,
                         mlir::ValueRange input);

/// The window of a conv or pool from its attributes. `kernel` and `input` are the sizes of its
/// spatial dimensions; `resultType`, where static, gives the output's.
Window windowOf(KernelBuilder& b, ir::WindowOpInterface op, mlir::ValueRange kernel,
                mlir::ValueRange input, mlir::RankedTensorType resultType);

/// The window of a transposed convolution, without its pads behind the result.
Window transposedWindow(KernelBuilder& b, ir::ConvTransposeOp op, mlir::ValueRange kernel,
                        mlir::ValueRange input);

/// The part of x ([N, C, spatial..., inner...] in memory) that windows see, with `fill` around it:
/// windows of the result start at output index * stride and never leave it.
mlir::Value padForWindow(KernelBuilder& b, mlir::Value x, const Window& window, mlir::Value fill);

}  // namespace tessera::backend_native
