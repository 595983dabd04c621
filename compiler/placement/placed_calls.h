// What a placed model calls, one after the other.
#pragma once

#include <optional>

#include "compiler/placement/candidates/proposal.h"

namespace tessera::placement {

/// A call of a region.
struct PlacedCall {
  llvm::SmallVector<uint32_t> nodes = {};  ///< Sorted, each once; none: it is a conversion.
  ir::TargetAttr target = {};
  llvm::SmallVector<mlir::Type> reads = {};  ///< Of the arguments that are no constants.
  llvm::SmallVector<mlir::Type> gives = {};

  bool operator==(const PlacedCall&) const = default;
};

/// The calls of the module of `graph` in the order in which its host program makes them, placed by
/// a plan's tiles, or greedily without one; copies between memory spaces are none. Empty where the
/// module cannot be placed.
std::vector<PlacedCall> placedCalls(const OperatorGraph& graph,
                                    const std::optional<std::vector<Tile>>& tiles,
                                    const PlaceTile& place);

}  // namespace tessera::placement
