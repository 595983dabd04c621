// Which operators become one region.
#pragma once

#include <vector>

#include "compiler/partition/owner_index.h"

namespace tessera::partition {

/// Operators of one owner that become one function, in canonical order (canonical_order.h), which
/// is an order of execution; values leave through the last.
using FusionGroup = std::vector<mlir::Operation*>;

/// Groups the owned operators of `block` along their post-dominators, as TVM's FuseOps does: what
/// joins a group lies on every path between its first operator and its last, so no value leaves the
/// group except through the last operator and no cycle between groups can arise. Each owned
/// operator is in exactly one group. Groups stand as their last operators do in the block, an order
/// of execution; which groups there are does not depend on the order of independent operators.
std::vector<FusionGroup> computeFusionGroups(mlir::Block& block, const OwnerIndex& owners);

}  // namespace tessera::partition
