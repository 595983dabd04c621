// Tiles that a plan may be made of.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/partition/owner_index.h"
#include "compiler/placement/tile.h"

namespace tessera::placement {

/// A tile and where it comes from: the rules that made it, the innermost last: "split.region".
struct Proposal {
  Tile tile;
  std::string rule;
};

/// What the rule of a tile begins with that comes from another target's.
inline constexpr llvm::StringLiteral kSharedRule = "shared.";
/// Of neighbouring tiles of a plan, to be one.
inline constexpr llvm::StringLiteral kUnionRule = "union";

/// Runs phase `partition` on an extracted tile. Errors (kTargetFailed): nobody takes an operator.
using PlaceTile = std::function<Status(mlir::ModuleOp)>;

/// Every tile that the backends' patterns, predicates and region rules give rise to, each once; a
/// backend that has only some of these takes part by them.
/// - `fused`, `region`: what greedy placement makes of the whole model for a target, by its fusion
///   kinds or because it merges.
/// - `split`: parts of these: runs of operators of a region between places where one value passes,
///   all of them where such stretches are few; the beginnings and ends of fused chains.
/// - `chain`, `cone`: of one stretch its branches, and where those meet.
/// - `single`: one operator. `composite`: all operators of one.
/// - `pattern`: a match of a table's entry, overlapping ones too.
/// - `shared`: what is a small tile for one target, offered to the others; it counts where they
///   make one region of it.
/// Whether its target takes a proposal is asked here for single operators only. The order is that
/// of rules, targets and operators.
std::vector<Proposal> proposeTiles(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                                   const PlaceTile& place);

/// `union`: of the tiles of a plan those of one target that can be one, each two of which one reads
/// what the other gives, and all that hang together in this way.
std::vector<Proposal> proposeUnions(const OperatorGraph& graph, llvm::ArrayRef<Tile> plan);

}  // namespace tessera::placement
