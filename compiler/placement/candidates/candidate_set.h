// All candidates of a model with the layouts at their borders.
#pragma once

#include <map>
#include <set>

#include "compiler/placement/candidates/proposal.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::placement {

/// What candidates of one class have in common.
struct CandidateClass {
  std::string name;                               ///< tileClass() of it.
  mlir::OwningOpRef<mlir::ModuleOp> module = {};  ///< Placed: at phase `partition`.
  llvm::SmallVector<mlir::Type> gives = {};       ///< Types of the results.
  size_t numRegions = 0;                          ///< That its target makes of it.
  uint32_t numChoices = 1;                        ///< Of layouts that its target could have.
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

/// Proposals become candidates by being placed, one of each class, with each choice of layouts that
/// their owner has. What a candidate gives in a layout of its own is offered in that layout to all
/// that read it, until nothing new arises: at most `kMaxLayouts` layouts of a value are looked at.
class CandidateCollector {
 public:
  CandidateCollector(const OperatorGraph& graph, const PlaceTile& place)
      : graph_(graph), place_(place) {}

  /// More of them; classes and tiles that are there keep their numbers.
  void add(const std::vector<Proposal>& proposals);

  const CandidateSet& set() const& { return set_; }
  CandidateSet set() && { return std::move(set_); }

 private:
  bool addTile(const Tile& tile, const std::string& rule);
  bool addChoice(const Tile& tile, const std::string& rule);
  size_t classOf(mlir::ModuleOp extracted, ir::TargetAttr target);
  void addVariants(const Proposal& proposal);

  const OperatorGraph& graph_;
  const PlaceTile& place_;
  CandidateSet set_;
  std::vector<Proposal> taken_;
  llvm::StringMap<size_t> classes_;
  llvm::DenseMap<mlir::Value, std::vector<mlir::Type>> states_;  ///< Of origins, but row-major.
  /// Of tiles, by their nodes.
  std::map<llvm::SmallVector<uint32_t>, llvm::SmallVector<mlir::Value>> inputs_;
  std::set<std::tuple<llvm::SmallVector<uint32_t>, uint32_t, std::vector<const void*>>> tried_;
};

}  // namespace tessera::placement
