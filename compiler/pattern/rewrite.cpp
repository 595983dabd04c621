#include "compiler/pattern/rewrite.h"

#include "compiler/support/check.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::pattern {

using namespace mlir;

/// Erases those of `ops` that nobody reads; `ops` are in no order.
static void eraseUnread(ArrayRef<Operation*> ops, Block* block) {
  SmallVector<Operation*> left(ops);
  const auto eraseOne = [&](Operation* op) {
    if (op->getBlock() != block || !op->use_empty() || !isMemoryEffectFree(op)) return false;
    op->erase();
    return true;
  };
  for (size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    llvm::erase_if(left, eraseOne);
  }
}

/// Applies `one` to a value that it matches; the operations of the match are `taken` then.
static bool apply(const Rewrite& one, OpResult value, llvm::DenseSet<Operation*>& taken) {
  const std::optional<Match> found = match(one.pattern, value);
  const auto isTaken = [&](Operation* op) { return taken.contains(op); };
  if (!found || llvm::any_of(found->ops, isTaken)) return false;
  SmallVector<OpOperand*> uses;
  for (OpOperand& use : value.getUses()) uses.push_back(&use);
  OpBuilder builder(value.getOwner());
  builder.setInsertionPointAfter(value.getOwner());
  const Value replacement = one.replace(builder, value, *found);
  if (!replacement || replacement == value) return false;
  TESSERA_CHECK(replacement.getType() == value.getType(), "a rewrite changes the type of a value");
  for (OpOperand* use : uses) use->set(replacement);
  llvm::SetVector<Operation*> replaced(found->ops.begin(), found->ops.end());
  replaced.insert(value.getOwner());  // A composite that was seen through.
  taken.insert(replaced.begin(), replaced.end());
  eraseUnread(replaced.getArrayRef(), value.getOwner()->getBlock());
  return true;
}

static bool runRound(func::FuncOp function, ArrayRef<Rewrite> rewrites) {
  SmallVector<Operation*> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation* op) {
    ops.push_back(op);
    return isa<ir::CompositeOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  llvm::DenseSet<Operation*> taken;
  bool hasChanged = false;
  for (Operation* op : llvm::reverse(ops)) {
    for (const Rewrite& one : rewrites) {
      if (taken.contains(op)) break;
      for (const OpResult value : op->getResults()) {
        if (value.use_empty() || !apply(one, value, taken)) continue;
        hasChanged = true;
        break;
      }
    }
  }
  return hasChanged;
}

LogicalResult rewrite(func::FuncOp function, ArrayRef<Rewrite> rewrites) {
  std::vector<Rewrite> left(rewrites.begin(), rewrites.end());
  for (size_t round = 0; round < kMaxRounds; ++round) {
    if (!runRound(function, left)) return success();
    llvm::erase_if(left, [](const Rewrite& one) { return one.isOnce; });
  }
  return function.emitError("rewriting by patterns has not ended after " +
                            std::to_string(kMaxRounds) + " rounds");
}

}  // namespace tessera::pattern
