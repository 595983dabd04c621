#include "compiler/placement/placed_calls.h"

#include "compiler/backend_api/backend.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/placement/placed_parts.h"
#include "compiler/placement/plan_attribute.h"

namespace tessera::placement {

using namespace mlir;

static bool isCopy(func::FuncOp region) {
  return llvm::all_of(region.getBody().front().without_terminator(),
                      [](Operation& op) { return isa<ir::CopyOp>(op); });
}

std::vector<PlacedCall> placedCalls(const OperatorGraph& graph,
                                    const std::optional<std::vector<Tile>>& tiles,
                                    const PlaceTile& place) {
  OwningOpRef<ModuleOp> module = numberedCopy(graph);
  if (tiles) (*module)->setAttr(kPlanAttribute, toAttribute(module->getContext(), *tiles));
  std::vector<PlacedCall> calls;
  if (!place(*module)) return calls;
  for (auto call : ir::entryFunction(*module).getBody().front().getOps<func::CallOp>()) {
    auto region = module->lookupSymbol<func::FuncOp>(call.getCallee());
    if (!region || !backend_api::ownerOf(region) || isCopy(region)) continue;
    PlacedCall& made = calls.emplace_back();
    made.nodes = numbersIn(region);
    made.target = backend_api::ownerOf(region);
    for (const Value operand : call.getOperands())
      if (!operand.getDefiningOp<ir::ConstantOp>()) made.reads.push_back(operand.getType());
    llvm::append_range(made.gives, call.getResultTypes());
  }
  return calls;
}

}  // namespace tessera::placement
