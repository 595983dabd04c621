// What became of a plan that leaves something to greedy placement.
#pragma once

#include <optional>

#include "compiler/placement/candidates/proposal.h"

namespace tessera::placement {

/// A copy of the module of `graph` whose operators have their numbers (kNodeAttribute).
mlir::OwningOpRef<mlir::ModuleOp> numberedCopy(const OperatorGraph& graph);

/// Who runs what when `tiles`, or without them all of the model, is placed: the operators of each
/// region, in the order of the program; the host program's own and conversions are left out. Empty
/// when the model cannot be placed so.
std::vector<Tile> placedParts(const OperatorGraph& graph,
                              const std::optional<std::vector<Tile>>& tiles,
                              const PlaceTile& place);

/// The nodes of a region of a module whose operators have numbers (kNodeAttribute).
llvm::SmallVector<uint32_t> numbersIn(mlir::func::FuncOp region);

}  // namespace tessera::placement
