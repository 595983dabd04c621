#include "compiler/lowering/passes/hoist_requirements.h"

#include "compiler/lowering/requirement.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

void hoistToDefinitions(Value value) {
  Operation* op = value.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() > 0) return;
  for (const Value operand : op->getOperands()) hoistToDefinitions(operand);
  Operation* latest = nullptr;
  for (const Value operand : op->getOperands()) {
    Operation* definition = operand.getDefiningOp();
    if (!definition || definition->getBlock() != op->getBlock()) continue;
    if (!latest || latest->isBeforeInBlock(definition)) latest = definition;
  }
  if (latest) {
    if (op->getPrevNode() != latest) op->moveAfter(latest);
  } else {
    op->moveBefore(&op->getBlock()->front());
  }
}

Operation* hoistRequirements(func::FuncOp kernel) {
  Block& body = kernel.getBody().front();
  Operation* last = nullptr;
  for (Operation& op : llvm::make_early_inc_range(body)) {
    if (!isRequirement(&op)) continue;
    Operation* latest = last;
    for (const Value operand : op.getOperands()) {
      hoistToDefinitions(operand);
      Operation* definition = operand.getDefiningOp();
      if (definition && (!latest || latest->isBeforeInBlock(definition))) latest = definition;
    }
    if (!latest) continue;
    op.moveAfter(latest);
    const bool isBehindLoops = llvm::any_of(body, [&](Operation& other) {
      return isa<DestinationStyleOpInterface>(other) && other.isBeforeInBlock(&op);
    });
    if (isBehindLoops) break;  // It is about what a loop computes, as all that follow may be.
    last = &op;
  }
  return last;
}

}  // namespace tessera::lowering
