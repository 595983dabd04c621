// Addresses in flat buffers, for code that is to have one register for each operand.
#pragma once

#include "compiler/lowering/index_builder.h"

namespace tessera::lowering {

/// The address, an !llvm.ptr, of element `offset` (index) of a flat memref of f32, or of what lies
/// at such an address.
mlir::Value addressOf(IndexBuilder& b, mlir::Value memref, mlir::Value offset);
/// The address `index` * `stride` floats after `pointer`; it may lie outside as long as nothing is
/// read there.
mlir::Value advance(IndexBuilder& b, mlir::Value pointer, mlir::Value index, int64_t stride = 1);
/// The address `distance` floats after `pointer`.
mlir::Value advance(IndexBuilder& b, mlir::Value pointer, int64_t distance);
/// The value of `type`, f32 or a vector of it, at `pointer`.
mlir::Value loadAt(IndexBuilder& b, mlir::Type type, mlir::Value pointer);
/// Lanes [begin, end) of the vector there; the others are 0 and not touched.
mlir::Value loadLanesAt(IndexBuilder& b, mlir::VectorType type, mlir::Value pointer, int64_t begin,
                        int64_t end);

}  // namespace tessera::lowering
