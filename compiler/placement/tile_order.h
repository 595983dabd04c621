// An order in which the tiles of a plan can run.
#pragma once

#include "compiler/placement/tile.h"
#include "tessera/status.h"

namespace tessera::placement {

/// Numbers of tiles, producers before users; among those that are ready the one with the first
/// operator. Errors (kInvalidInput): an operator is in no tile or in two, or there is none of that
/// number; tiles wait for each other.
Result<std::vector<size_t>> orderOf(const OperatorGraph& graph, llvm::ArrayRef<Tile> tiles);

}  // namespace tessera::placement
