#include "compiler/partition/regions/canonical_order.h"

#include "compiler/partition/host_blocks.h"
#include "llvm/ADT/DenseSet.h"

namespace tessera::partition {

using namespace mlir;

/// The operations of `block` whose results `op` reads, in the order of its operands.
static SmallVector<Operation*> producersOf(Operation* op, Block& block) {
  SmallVector<Operation*> producers;
  forEachOutsideOperand(op, [&](OpOperand& operand) {
    Operation* producer = operand.get().getDefiningOp();
    if (producer && producer->getBlock() == &block) producers.push_back(producer);
  });
  return producers;
}

namespace {

struct Visit {
  Operation* op;
  SmallVector<Operation*> producers;
  size_t next = 0;
};

}  // namespace

std::vector<Operation*> canonicalOrder(Block& block) {
  std::vector<Operation*> order;
  llvm::DenseSet<Operation*> seen;
  std::vector<Visit> stack;  // Blocks may be deeper than the program's stack.
  const auto visit = [&](Operation* root) {
    if (!seen.insert(root).second) return;
    stack.push_back({.op = root, .producers = producersOf(root, block)});
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next == top.producers.size()) {
        order.push_back(top.op);
        stack.pop_back();
        continue;
      }
      Operation* producer = top.producers[top.next++];
      if (seen.insert(producer).second)
        stack.push_back({.op = producer, .producers = producersOf(producer, block)});
    }
  };
  Operation* terminator = block.mightHaveTerminator() ? block.getTerminator() : nullptr;
  if (terminator) {
    visit(terminator);
    order.pop_back();
  }
  for (Operation& op : block) visit(&op);
  return order;
}

}  // namespace tessera::partition
