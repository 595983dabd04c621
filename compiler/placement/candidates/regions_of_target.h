// What one target would make of a whole model.
#pragma once

#include "compiler/placement/candidates/proposal.h"

namespace tessera::placement {

using NodeSet = llvm::SmallVector<uint32_t>;  ///< Sorted, each once.

/// The nodes of each region that `target` gets when the model is placed over it and the host target
/// alone; conversions and views count for nothing. None when the model cannot be placed so.
std::vector<NodeSet> regionsOfTarget(const OperatorGraph& graph, ir::TargetAttr target,
                                     const PlaceTile& place);

}  // namespace tessera::placement
