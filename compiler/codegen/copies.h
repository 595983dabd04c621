// Copies between memory spaces: the runtime does them, whoever owns them.
#pragma once

#include "compiler/ir/tsr.h"

namespace tessera::codegen {

/// The `tsr.copy` that is all that `region` does: it needs no code, as the host program has an
/// instruction for it. Null for other functions.
ir::CopyOp copyOf(mlir::func::FuncOp region);

}  // namespace tessera::codegen
