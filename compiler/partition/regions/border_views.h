// Views between a region and the rest.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Operation.h"

namespace tessera::partition {

/// Takes views at the border of what becomes one region out of `members` (operators of one block),
/// and their owner from them: the host program has them for nothing. A view is at the border when
/// what it reads comes from elsewhere, or when nobody inside uses it. Views inside stay.
void releaseBorderViews(llvm::SetVector<mlir::Operation*>& members);

}  // namespace tessera::partition
