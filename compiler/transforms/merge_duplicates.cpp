// Common subexpressions, block by block in order; MLIR's own pass would lose the source names of
// the operations it drops.
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_MERGEDUPLICATESPASS
#include "compiler/transforms/passes.h.inc"

namespace {

struct SameComputation : llvm::DenseMapInfo<Operation*> {
  static unsigned getHashValue(const Operation* op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation*>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation* a, const Operation* b) {
    if (a == b) return true;
    if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() ||
        b == getEmptyKey()) {
      return false;
    }
    return OperationEquivalence::isEquivalentTo(const_cast<Operation*>(a),
                                                const_cast<Operation*>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};

}  // namespace

static void mergeInBlock(Block& block) {
  llvm::DenseSet<Operation*, SameComputation> seen;
  for (Operation& op : llvm::make_early_inc_range(block)) {
    for (Region& region : op.getRegions()) {
      for (Block& nested : region) mergeInBlock(nested);
    }
    if (op.getNumRegions() > 0 || op.getNumResults() == 0 || !isMemoryEffectFree(&op)) continue;
    const auto [it, isNew] = seen.insert(&op);
    if (isNew) continue;
    if (!isa<ir::ConstantOp>(op)) (*it)->setLoc(fusedLocation({*it, &op}));
    op.replaceAllUsesWith(*it);
    op.erase();
  }
}

namespace {

struct MergeDuplicates : impl::MergeDuplicatesPassBase<MergeDuplicates> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block& block : function.getBody()) mergeInBlock(block);
    }
  }
};

}  // namespace

}  // namespace tessera::transforms
