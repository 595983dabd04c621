#include "compiler/ir/composites.h"
#include "compiler/region_graph/write.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tessera::region_graph {

/// Puts the operators of a composite in its place; they are a chain.
static Chain dissolve(ir::CompositeOp composite) {
  OpBuilder builder(composite);
  IRMapping mapping;
  Block& body = composite.getBody().front();
  mapping.map(body.getArguments(), composite.getInputs());
  Chain chain;
  for (Operation& op : body.without_terminator()) {
    Operation* copy = builder.clone(op, mapping);
    if (!isa<ir::ConstantOp>(copy)) chain.push_back(copy);
  }
  composite.getResult(0).replaceAllUsesWith(mapping.lookup(body.getTerminator()->getOperand(0)));
  composite.erase();
  return chain;
}

Result<std::unique_ptr<GraphT>> describeMatched(func::FuncOp region) {
  OwningOpRef<func::FuncOp> flat = region.clone();
  std::vector<Chain> chains;
  for (auto composite : llvm::to_vector((*flat).getOps<ir::CompositeOp>())) {
    if (ir::composite::isBackends(composite.getName())) chains.push_back(dissolve(composite));
  }
  return describeRegion(*flat, chains);
}

}  // namespace tessera::region_graph
