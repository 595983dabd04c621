#include "compiler/placement/candidates/regions_of_target.h"

#include <set>

#include "compiler/backend_api/backend.h"

namespace tessera::placement {

using namespace mlir;

std::vector<NodeSet> regionsOfTarget(const OperatorGraph& graph, ir::TargetAttr target,
                                     const PlaceTile& place) {
  Tile all{.nodes = llvm::to_vector(llvm::seq<uint32_t>(0, graph.size())),
           .target = target,
           .reads = {}};
  ExtractedTile extracted = extractTile(graph, all, /*hasNumbers=*/true);
  std::vector<NodeSet> regions;
  if (!place(*extracted.module)) return regions;
  for (auto region : extracted.module->getOps<func::FuncOp>()) {
    if (backend_api::ownerOf(region) != target) continue;
    std::set<uint32_t> nodes;
    region.walk([&](Operation* op) {
      if (const auto node = op->getAttrOfType<IntegerAttr>(kNodeAttribute))
        nodes.insert(static_cast<uint32_t>(node.getInt()));
    });
    if (!nodes.empty()) regions.emplace_back(nodes.begin(), nodes.end());
  }
  llvm::sort(regions);
  return regions;
}

}  // namespace tessera::placement
