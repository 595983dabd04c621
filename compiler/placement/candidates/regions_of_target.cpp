#include "compiler/placement/candidates/regions_of_target.h"

#include "compiler/backend_api/backend.h"
#include "compiler/placement/placed_parts.h"

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
    NodeSet nodes = numbersIn(region);
    if (!nodes.empty()) regions.push_back(std::move(nodes));
  }
  llvm::sort(regions);
  return regions;
}

}  // namespace tessera::placement
