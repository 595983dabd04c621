// Layouts at the borders of regions.
#pragma once

#include "compiler/backend_api/backend.h"

namespace tessera::backend_onednn {

/// Channels in each block of [N, C/c, spatial..., c], a form that the library has kernels for,
/// where the type lies so and its blocks are full; 1 for row-major, nothing for other layouts.
std::optional<int64_t> blockOf(mlir::RankedTensorType type);

/// Operands in blocks are taken as they come; results that convolutions or pools of others read
/// are given in blocks: of the operands' size or, where none has any, of the vectors of the machine
/// that compiles. The rest is row-major.
backend_api::LayoutChoice chooseBorder(mlir::func::FuncOp region,
                                       llvm::ArrayRef<mlir::RankedTensorType> available);

}  // namespace tessera::backend_onednn
