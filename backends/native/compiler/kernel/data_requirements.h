// Requirements on the data of tensors: each element is looked at once, before the loops that rely
// on it.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"

namespace tessera::backend_native {

/// All elements of an integer tensor lie in [least, most]; `what` is one of them.
void requireElements(KernelBuilder& b, mlir::Value tensor, mlir::Value least, mlir::Value most,
                     const llvm::Twine& what);

/// All elements of an integer tensor are positions in a dimension of `size` elements, counted from
/// its start or, negative ones, from its end. `tsrValue` stands for the tensor.
void requireIndices(KernelBuilder& b, mlir::Value tsrValue, mlir::Value size);

/// The last dimension of `positions` (a tensor) holds tuples of positions: entry i in dimension
/// first + i of `extents`.
void requireTuples(KernelBuilder& b, mlir::Value positions, mlir::ValueRange extents,
                   int64_t first);

/// The only element of a tensor, in memory's element type; the tensor is required to have one.
Element onlyElement(KernelBuilder& b, mlir::Value tsrValue);

/// No element of an integer tensor is 0.
void requireNonZero(KernelBuilder& b, mlir::Value tensor, const llvm::Twine& text);

}  // namespace tessera::backend_native
