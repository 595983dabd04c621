#include "compiler/lowering/passes/reduced.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tessera::lowering {

bool isMadeByReduction(mlir::Value value) {
  llvm::SmallVector<mlir::Value> pending = {value};
  llvm::SmallPtrSet<mlir::Operation*, 8> seen;
  while (!pending.empty()) {
    auto producer = pending.pop_back_val().getDefiningOp<mlir::linalg::LinalgOp>();
    if (!producer || !seen.insert(producer).second) continue;
    if (producer.getNumReductionLoops() > 0) return true;
    llvm::append_range(pending, producer->getOperands());
  }
  return false;
}

}  // namespace tessera::lowering
