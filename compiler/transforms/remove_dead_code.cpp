#include "compiler/transforms/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_REMOVEDEADCODEPASS
#include "compiler/transforms/passes.h.inc"

/// Backwards, so that what only dead operations use is dead when its turn comes.
static void eraseDead(Region& region) {
  for (Block& block : region) {
    for (Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      for (Region& nested : op.getRegions()) eraseDead(nested);
    }
  }
}

namespace {

struct RemoveDeadCode : impl::RemoveDeadCodePassBase<RemoveDeadCode> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) eraseDead(function.getBody());
  }
};

}  // namespace

}  // namespace tessera::transforms
