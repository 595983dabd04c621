// Converting the bytes of a tensor from one physical order to another.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/ir/io/constant_store.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tessera::evaluate {

/// The bytes of a tensor of type `from` in the physical order of `to`; padding of the last blocks
/// is zero. The types are static and agree in shape and element type; bool is one byte.
/// O(physical size of both).
std::vector<std::byte> relayout(std::span<const std::byte> bytes, mlir::RankedTensorType from,
                                mlir::RankedTensorType to);
/// The same as bytes of a constant; large ones are made on the threads of the types' context.
ir::Blob relayoutBlob(std::span<const std::byte> bytes, mlir::RankedTensorType from,
                      mlir::RankedTensorType to);

}  // namespace tessera::evaluate
