#include "compiler/partition/host_blocks.h"

#include "compiler/backend_api/backend.h"

namespace tessera::partition {

using namespace mlir;

bool isControlFlow(Operation* op) { return isa<ir::IfOp, ir::LoopOp, ir::ScanOp>(op); }

SmallVector<Block*> functionBlocks(ModuleOp module) {
  SmallVector<Block*> blocks;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (backend_api::ownerOf(function)) continue;
    for (Block& block : function.getBody()) blocks.push_back(&block);
  }
  return blocks;
}

SmallVector<Block*> hostBlocks(ModuleOp module) {
  SmallVector<Block*> blocks = functionBlocks(module);
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (Operation& op : *blocks[i]) {
      if (!isControlFlow(&op) || backend_api::ownerOf(&op)) continue;
      for (Region& region : op.getRegions()) {
        for (Block& block : region) blocks.push_back(&block);
      }
    }
  }
  return blocks;
}

void forEachOutsideOperand(Operation* op, llvm::function_ref<void(OpOperand&)> visit) {
  for (OpOperand& operand : op->getOpOperands()) visit(operand);
  if (op->getNumRegions() == 0 || op->hasTrait<OpTrait::IsIsolatedFromAbove>()) return;
  for (Region& region : op->getRegions()) {
    region.walk([&](Operation* inner) {
      for (OpOperand& operand : inner->getOpOperands()) {
        Region* from = operand.get().getParentRegion();
        if (!op->isAncestor(from->getParentOp())) visit(operand);
      }
    });
  }
}

}  // namespace tessera::partition
