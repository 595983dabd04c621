// An order of a block's operations that depends on what they compute alone.
#pragma once

#include <vector>

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace tessera::partition {

/// The operations of `block` without its terminator, producers before users: depth first from the
/// terminator's operands, so that two blocks that differ in the order of independent operations
/// only give corresponding orders. Operations that nothing returned depends on come last, as they
/// stand.
std::vector<mlir::Operation*> canonicalOrder(mlir::Block& block);

}  // namespace tessera::partition
