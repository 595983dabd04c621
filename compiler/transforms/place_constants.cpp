#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_PLACECONSTANTSPASS
#include "compiler/transforms/passes.h.inc"

static void placeConstants(Block& block) {
  llvm::DenseSet<Operation*> placed;
  for (Operation& op : llvm::make_early_inc_range(block)) {
    if (isa<ir::ConstantOp>(op)) continue;
    // Also what the operation's regions read.
    op.walk([&](Operation* nested) {
      for (const Value operand : nested->getOperands()) {
        auto constant = operand.getDefiningOp<ir::ConstantOp>();
        const bool isHere = constant && constant->getBlock() == &block;
        if (isHere && placed.insert(constant).second) constant->moveBefore(&op);
      }
    });
    for (Region& region : op.getRegions()) {
      for (Block& nested : region) placeConstants(nested);
    }
  }
}

namespace {

struct PlaceConstants : impl::PlaceConstantsPassBase<PlaceConstants> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block& block : function.getBody()) placeConstants(block);
    }
  }
};

}  // namespace

}  // namespace tessera::transforms
