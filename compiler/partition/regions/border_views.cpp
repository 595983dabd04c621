#include "compiler/partition/regions/border_views.h"

#include "compiler/backend_api/backend.h"
#include "compiler/ir/host_views.h"

namespace tessera::partition {

using namespace mlir;

/// What the host program realises without running anything and no other part has to agree to.
static bool isFreeView(Operation* op) {
  return ir::isRename(op) || (isa<ir::SliceOp, ir::SplitOp>(op) && ir::contiguousParts(op));
}

void releaseBorderViews(llvm::SetVector<Operation*>& members) {
  const auto isUsedInside = [&](Operation* op) {
    return llvm::any_of(op->getUsers(), [&](Operation* user) {
      return members.contains(op->getBlock()->findAncestorOpInBlock(*user));
    });
  };
  const auto isReleased = [&](Operation* op) {
    if (!isFreeView(op)) return false;
    Operation* producer = op->getOperand(0).getDefiningOp();
    if (producer && members.contains(producer) && isUsedInside(op)) return false;
    op->removeAttr(backend_api::kTargetAttribute);
    return true;
  };
  while (members.remove_if(isReleased)) continue;
}

}  // namespace tessera::partition
