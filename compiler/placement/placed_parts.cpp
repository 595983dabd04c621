#include "compiler/placement/placed_parts.h"

#include <set>

#include "compiler/backend_api/backend.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/placement/plan_attribute.h"

namespace tessera::placement {

using namespace mlir;

SmallVector<uint32_t> numbersIn(func::FuncOp region) {
  std::set<uint32_t> nodes;
  region.walk([&](Operation* op) {
    if (const auto node = op->getAttrOfType<IntegerAttr>(kNodeAttribute))
      nodes.insert(static_cast<uint32_t>(node.getInt()));
  });
  return {nodes.begin(), nodes.end()};
}

OwningOpRef<ModuleOp> numberedCopy(const OperatorGraph& graph) {
  auto source = cast<ModuleOp>(graph.entry()->getParentOp());
  OwningOpRef<ModuleOp> copy = source.clone();
  const OperatorGraph copied(ir::entryFunction(*copy));
  Builder builder(copy->getContext());
  for (uint32_t node = 0; node < copied.size(); ++node)
    copied.operation(node)->setAttr(kNodeAttribute, builder.getI64IntegerAttr(node));
  return copy;
}

std::vector<Tile> placedParts(const OperatorGraph& graph,
                              const std::optional<std::vector<Tile>>& tiles,
                              const PlaceTile& place) {
  OwningOpRef<ModuleOp> module = numberedCopy(graph);
  if (tiles) (*module)->setAttr(kPlanAttribute, toAttribute(module->getContext(), *tiles));
  std::vector<Tile> parts;
  if (!place(*module)) return parts;
  for (auto region : module->getOps<func::FuncOp>()) {
    const ir::TargetAttr owner = backend_api::ownerOf(region);
    SmallVector<uint32_t> nodes = numbersIn(region);
    if (owner && !nodes.empty())
      parts.push_back({.nodes = std::move(nodes), .target = owner, .reads = {}});
  }
  llvm::sort(parts, [](const Tile& a, const Tile& b) { return a.nodes < b.nodes; });
  return parts;
}

}  // namespace tessera::placement
