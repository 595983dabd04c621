// Layouts at the border of a body.
#pragma once

#include "compiler/ir/tsr.h"

namespace tessera::partition {

/// Gives the block arguments of `body` and the operands of its terminator these types, which differ
/// from the present ones in layout only. Inside, its owner converts as it likes: orders change at
/// the border (`tsr.relayout`); a memory space that all of them share is where everything inside
/// lives; other spaces are left at the border as well (`tsr.copy`).
void retypeBody(mlir::Block& body, mlir::TypeRange arguments, mlir::TypeRange results);

}  // namespace tessera::partition
