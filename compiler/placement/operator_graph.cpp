#include "compiler/placement/operator_graph.h"

#include "compiler/partition/host_blocks.h"

namespace tessera::placement {

using namespace mlir;

OperatorGraph::OperatorGraph(func::FuncOp entry) : entry_(entry) {
  Block& body = entry.getBody().front();
  number(body);
  for (const auto [node, op] : llvm::enumerate(nodes_)) {
    std::vector<Value>& reads = reads_.emplace_back();
    partition::forEachOutsideOperand(op, [&](OpOperand& operand) {
      const Value value = origin(operand.get());
      if (value.getDefiningOp<ir::ConstantOp>() || llvm::is_contained(reads, value)) return;
      reads.push_back(value);
      readers_[value].push_back(static_cast<uint32_t>(node));
    });
  }
  for (const Value value : body.getTerminator()->getOperands()) returned_.insert(origin(value));
}

void OperatorGraph::number(Block& block) {
  for (Operation& op : block.without_terminator()) {
    const uint32_t first = size();
    if (auto composite = dyn_cast<ir::CompositeOp>(op))
      number(composite.getBody().front());
    else if (!isa<ir::ConstantOp>(op))
      nodes_.push_back(&op);
    ranges_[&op] = {.first = first, .end = size()};
  }
}

Value OperatorGraph::origin(Value value) const {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto composite = dyn_cast<ir::CompositeOp>(argument.getOwner()->getParentOp());
      if (!composite) return value;
      value = composite->getOperand(argument.getArgNumber());
    } else if (auto composite = value.getDefiningOp<ir::CompositeOp>()) {
      const unsigned number = cast<OpResult>(value).getResultNumber();
      value = composite.getBody().front().getTerminator()->getOperand(number);
    } else {
      return value;
    }
  }
}

uint32_t OperatorGraph::producerOf(Value origin) const {
  Operation* op = origin.getDefiningOp();
  if (!op || isa<ir::ConstantOp>(op)) return size();
  return ranges_.lookup(op).first;
}

const std::vector<uint32_t>& OperatorGraph::readersOf(Value origin) const {
  static const std::vector<uint32_t> kNone;
  const auto it = readers_.find(origin);
  return it == readers_.end() ? kNone : it->second;
}

}  // namespace tessera::placement
