// A piece of a plan, and the module that it is by itself: what is measured is what is applied.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/tsr.h"
#include "compiler/placement/operator_graph.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera::placement {

/// Layouts and memory spaces of one value, the row-major one in host memory included; choices of
/// them that an owner has for one tile.
inline constexpr size_t kMaxLayouts = 4;

/// Operators that one target gets as a whole.
struct Tile {
  llvm::SmallVector<uint32_t> nodes;  ///< Sorted, each once, at least one.
  ir::TargetAttr target;
  /// The layout and memory space in which it gets each value that it reads from outside, in the
  /// order of ExtractedTile::inputs; empty: row-major in host memory.
  llvm::SmallVector<mlir::Type> reads;
  /// Which of its owner's choices of layouts counts (partition::kLayoutChoiceAttribute).
  uint32_t choice = 0;

  friend bool operator==(const Tile&, const Tile&) = default;
};

/// A tile as a module that has an entry function with these operators, and nothing placed. It is
/// for the tile's target and the host target, and has the attributes of the module it comes from
/// but for rules of the user, which are noted at operators (apply-pins).
struct ExtractedTile {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<mlir::Value> inputs;   ///< Origins that the entry function's arguments are.
  llvm::SmallVector<mlir::Value> outputs;  ///< Origins that it returns.
};

/// On the operators of a tile that was extracted with numbers: the node that each is, an i64.
inline constexpr llvm::StringLiteral kNodeAttribute = "tessera.node";

/// Composites all of whose operators are in the tile stay whole; of others the operators in it
/// stand by themselves. `hasNumbers`: operators say which nodes they are, for people who want to
/// know what became of them.
ExtractedTile extractTile(const OperatorGraph& graph, const Tile& tile, bool hasNumbers = false);

/// Whether a tile gets what it wants to read: as many tensors, of these shapes and element types,
/// in whichever layout.
bool readsFit(const OperatorGraph& graph, const Tile& tile);

/// What tiles that compute the same have in common: a hash of the extracted module without names,
/// locations and the values of large constants of floating-point numbers. Small ones count: they
/// may be sizes or axes. So does what rules of the user say about its operators.
std::string tileClass(mlir::ModuleOp extracted);

}  // namespace tessera::placement
