// Views between a region and the rest.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Operation.h"

namespace tessera::partition {

/// Takes views at the border of what becomes one region out of `members` (operators of one block),
/// and their owner from them: the host program has them for nothing. A view is at the border when
/// what it reads comes from elsewhere, or when nobody inside uses it. Views inside stay, and so do
/// concatenations.
void releaseBorderViews(llvm::SetVector<mlir::Operation*>& members);

/// Takes concatenations at the border out of `members` whose parts can be computed in place. They
/// keep their owner: whether the host program has them shows when layouts are known. More values
/// may leave what remains.
void releaseBorderConcats(llvm::SetVector<mlir::Operation*>& members);

}  // namespace tessera::partition
