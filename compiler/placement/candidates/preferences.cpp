#include "compiler/placement/candidates/preferences.h"

#include "compiler/partition/answers.h"
#include "compiler/partition/exclusions.h"

namespace tessera::placement {

using namespace mlir;

Preferences::Preferences(const OperatorGraph& graph, const partition::OwnerIndex& owners) {
  func::FuncOp entry = graph.entry();
  entry.walk<WalkOrder::PreOrder>([&](Operation* op) {
    const auto target = op->getAttrOfType<ir::TargetAttr>(partition::kPreferAttribute);
    const backend_api::Owner* owner = target ? owners.find(target) : nullptr;
    if (!owner) return;
    if (!backend_api::isSupported(partition::askOwner(op, *owner, owners).front())) return;
    const OperatorGraph::Range range = graph.nodesOf(op);
    for (uint32_t node = range.first; node < range.end; ++node) targets_[node] = target;
  });
}

bool Preferences::allow(ArrayRef<uint32_t> nodes, ir::TargetAttr target) const {
  return llvm::all_of(nodes, [&](uint32_t node) {
    const ir::TargetAttr preferred = targets_.lookup(node);
    return !preferred || preferred == target;
  });
}

}  // namespace tessera::placement
