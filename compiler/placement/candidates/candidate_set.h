// All candidates of a model with the layouts at their borders.
#pragma once

#include "compiler/placement/candidates/proposal.h"

namespace tessera::placement {

/// What candidates of one class have in common.
struct CandidateClass {
  std::string name;                               ///< tileClass() of it.
  mlir::OwningOpRef<mlir::ModuleOp> module = {};  ///< Placed: at phase `partition`.
  llvm::SmallVector<mlir::Type> gives = {};       ///< Types of the results.
  size_t numRegions = 0;                          ///< That its target makes of it.
  /// Why it is no candidate: its target does not get all of it.
  std::string reason = {};
};

/// A tile that its target takes, with the layouts it reads.
struct CandidateTile {
  Tile tile;
  std::string rule;
  size_t classNumber = 0;                      ///< Index into CandidateSet::classes.
  llvm::SmallVector<mlir::Value> inputs = {};  ///< Origins, as in ExtractedTile.
  llvm::SmallVector<mlir::Value> outputs = {};
};

/// A proposal that its target does not take; its class has the reason.
struct DeclinedTile {
  Tile tile;
  size_t classNumber = 0;
};

struct CandidateSet {
  std::vector<CandidateClass> classes = {};
  std::vector<CandidateTile> tiles = {};
  std::vector<DeclinedTile> declined = {};
  size_t numProposals = 0;
};

/// Proposals become candidates by being placed, one of each class. What a candidate gives in a
/// layout of its own is offered in that layout to all that read it, until nothing new arises: at
/// most `kMaxStates` layouts of a value are looked at.
CandidateSet collectCandidates(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                               const PlaceTile& place);

/// Layouts and memory spaces of one value, the row-major one in host memory included.
inline constexpr size_t kMaxStates = 4;

}  // namespace tessera::placement
