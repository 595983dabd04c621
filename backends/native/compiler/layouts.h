// Which physical orders operators run in.
#pragma once

#include "backends/native/compiler/kernels.h"
#include "compiler/backend_api/backend.h"

namespace tessera::backend_native {

/// Convolutions take and give channels in blocks of a vector, products take constant matrices
/// packed; what works elementwise or per channel follows the order its operands come in; everything
/// else is row-major.
backend_api::LayoutChoice chooseLayouts(mlir::Operation* op,
                                        llvm::ArrayRef<mlir::RankedTensorType> available,
                                        const CodeTarget& cpu);

}  // namespace tessera::backend_native
