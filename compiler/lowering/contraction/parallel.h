// Loops that threads share out. Not for other folders.
#pragma once

#include "compiler/lowering/index_builder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::lowering {

/// A loop over all of [0, ends), whose last dimension changes fastest; `b` builds in it from then
/// on.
mlir::scf::ForallOp openForall(IndexBuilder& b, llvm::ArrayRef<mlir::OpFoldResult> ends);

}  // namespace tessera::lowering
