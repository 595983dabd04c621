// A plan as a part of the module that it is for.
#pragma once

#include <vector>

#include "compiler/placement/plan.h"
#include "tessera/status.h"

namespace tessera::placement {

/// The module's attribute: an array of {nodes = array<i32: ...>, target = #tsr.target<...>, reads =
/// [types]}, the tiles (tile.h) that cover the entry function, each operator once.
inline constexpr llvm::StringLiteral kPlanAttribute = "tessera.plan";

mlir::ArrayAttr toAttribute(mlir::MLIRContext* context, llvm::ArrayRef<Tile> tiles);
/// The tiles of a plan without their reasons.
std::vector<Tile> tilesOf(llvm::ArrayRef<PlannedTile> planned);
/// Errors (kInvalidInput): it has another form, which a module written by hand may have.
Result<std::vector<Tile>> tilesOf(mlir::Attribute plan);

}  // namespace tessera::placement
