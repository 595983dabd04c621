#include "compiler/partition/host_blocks.h"

#include "compiler/backend_api/backend.h"

namespace tessera::partition {

using namespace mlir;

bool isControlFlow(Operation* op) { return isa<ir::IfOp, ir::LoopOp, ir::ScanOp>(op); }

LogicalResult forEachHostBlock(ModuleOp module, llvm::function_ref<LogicalResult(Block&)> visit,
                               llvm::function_ref<bool(Operation*)> isTaken) {
  SmallVector<Block*> blocks;
  const auto add = [&](Region& region) {
    for (Block& block : region) blocks.push_back(&block);
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!backend_api::ownerOf(function)) add(function.getBody());
  }
  for (size_t i = 0; i < blocks.size(); ++i) {  // NOLINT(modernize-loop-convert): it grows.
    Block& block = *blocks[i];
    if (failed(visit(block))) return failure();
    for (Operation& op : block) {
      if (isControlFlow(&op) && !backend_api::ownerOf(&op) && !isTaken(&op))
        llvm::for_each(op.getRegions(), add);
    }
  }
  return success();
}

SmallVector<Block*> hostBlocks(ModuleOp module) {
  SmallVector<Block*> blocks;  // NOLINT(misc-const-correctness): it is filled below.
  (void)forEachHostBlock(module, [&](Block& block) {
    blocks.push_back(&block);
    return success();
  });
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
