// Operators that only name memory: what the host program realises without running anything.
#pragma once

#include <optional>

#include "compiler/ir/tsr.h"

namespace tessera::ir {

/// True for reshape, squeeze, unsqueeze, flatten and identity between static, row-major tensors of
/// one memory space: the result is the memory of operand 0 under another shape.
bool isRename(mlir::Operation* op);

/// Where the parts of a slice (its result), a split (its results) or a concatenation (its operands)
/// begin in the memory of the whole (operand 0, or the result of a concatenation), in bytes.
/// Nothing for other operators and unless each part is one stretch of that memory: static shapes,
/// one physical order, cut at block boundaries along the outermost physical dimension that is not
/// 1.
std::optional<llvm::SmallVector<int64_t>> contiguousParts(mlir::Operation* op);

/// The value that a concatenation in the host program can have computed straight into the part of
/// its operand `part`: what a region or another concatenation gives, through renames. Null when
/// there is none, or when the entry function returns it, so that it lives in the caller's memory.
/// While regions are being cut, operators that will be in one count as regions.
mlir::Value placeableValue(
    mlir::Value part, llvm::function_ref<bool(mlir::Operation*)> willBeInRegion =
                          [](mlir::Operation*) { return false; });

}  // namespace tessera::ir
