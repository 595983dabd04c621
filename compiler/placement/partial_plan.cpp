#include "compiler/placement/partial_plan.h"

#include "compiler/placement/placed_parts.h"
#include "compiler/placement/saved_plans/plan_file.h"
#include "compiler/placement/tile_order.h"

namespace tessera::placement {

using namespace mlir;

namespace {

/// Tiles are added until every operator is in one.
class Cover {
 public:
  Cover(std::vector<Tile> tiles, size_t numNodes) : tiles_(std::move(tiles)), isCovered_(numNodes) {
    for (const Tile& tile : tiles_) mark(tile);
  }

  size_t numCovered() const { return static_cast<size_t>(llvm::count(isCovered_, true)); }

  /// What is covered of it stays where it is; the rest comes apart.
  void add(const Tile& part) {
    const auto isCovered = [&](uint32_t node) { return isCovered_[node]; };
    if (llvm::none_of(part.nodes, isCovered)) return push(part);
    for (const uint32_t node : part.nodes)
      if (!isCovered_[node]) push({.nodes = {node}, .target = part.target, .reads = {}});
  }

  std::vector<Tile> takeTiles() { return std::move(tiles_); }

 private:
  void mark(const Tile& tile) {
    for (const uint32_t node : tile.nodes) isCovered_[node] = true;
  }
  void push(const Tile& tile) {
    mark(tile);
    tiles_.push_back(tile);
  }

  std::vector<Tile> tiles_;
  std::vector<bool> isCovered_;
};

}  // namespace

Result<std::optional<PartialPlan>> fitPlan(const OperatorGraph& graph,
                                           const partition::OwnerIndex& owners,
                                           const std::string& text, const PlaceTile& place) {
  TESSERA_TRY(auto fitting, readFittingTiles(graph, owners, text));
  if (!fitting) return std::optional<PartialPlan>();
  Cover cover(std::move(*fitting), graph.size());
  PartialPlan plan{.tiles = {}, .numPlannedOperators = cover.numCovered()};
  for (const Tile& part : placedParts(graph, std::nullopt, place)) cover.add(part);
  // The host program's own.
  if (owners.host() == nullptr) return targetFailed("the module has no host target");
  const ir::TargetAttr host = owners.attribute(*owners.host());
  for (const uint32_t node : llvm::seq<uint32_t>(0, graph.size()))
    cover.add({.nodes = {node}, .target = host, .reads = {}});
  plan.tiles = cover.takeTiles();
  TESSERA_TRY_VOID(orderOf(graph, plan.tiles));
  return std::optional(std::move(plan));
}

}  // namespace tessera::placement
