// Layouts at the border of a body.
#pragma once

#include "compiler/ir/tsr.h"

namespace tessera::partition {

/// One operator between two types.
struct Conversion {
  mlir::RankedTensorType from;
  mlir::RankedTensorType to;
};
/// What retypeBody() inserts into a body whose arguments and results have the types of `present`.
llvm::SmallVector<Conversion> borderConversions(mlir::FunctionType present,
                                                mlir::TypeRange arguments, mlir::TypeRange results);

/// Gives the block arguments of `body` and the operands of its terminator these types, which differ
/// from the present ones in layout only. Inside, its owner converts as it likes: orders change at
/// the border (`tsr.relayout`); a memory space that all of them share is where everything inside
/// lives; other spaces are left at the border as well (`tsr.copy`).
void retypeBody(mlir::Block& body, mlir::TypeRange arguments, mlir::TypeRange results);

}  // namespace tessera::partition
