#include "compiler/partition/regions/border_views.h"

#include "compiler/backend_api/backend.h"
#include "compiler/ir/host_views.h"

namespace tessera::partition {

using namespace mlir;

/// What the host program realises without running anything and no other part has to agree to.
static bool isFreeView(Operation* op) {
  return ir::isRename(op) || (isa<ir::SliceOp, ir::SplitOp>(op) && ir::contiguousParts(op));
}

/// Whether the host program has `concat` for nothing: every part is computed where it lies in the
/// whole.
static bool isFreeConcat(ir::ConcatOp concat) {
  const auto isComputed = [](Operation* op) { return !isa<ir::ConstantOp>(op) && !isFreeView(op); };
  return ir::contiguousParts(concat) && llvm::all_of(concat.getInputs(), [&](Value part) {
           return bool(ir::placeableValue(part, isComputed));
         });
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

void releaseBorderConcats(llvm::SetVector<Operation*>& members) {
  const auto isInside = [&](Operation* op) { return op && members.contains(op); };
  members.remove_if([&](Operation* op) {
    auto concat = dyn_cast<ir::ConcatOp>(op);
    if (!concat || !isFreeConcat(concat)) return false;
    const bool readsInside = llvm::any_of(
        concat.getInputs(), [&](Value part) { return isInside(part.getDefiningOp()); });
    const bool isUsedInside = llvm::any_of(op->getUsers(), [&](Operation* user) {
      return isInside(op->getBlock()->findAncestorOpInBlock(*user));
    });
    return !readsInside || !isUsedInside;
  });
}

}  // namespace tessera::partition
