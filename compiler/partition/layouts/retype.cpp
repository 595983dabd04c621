#include "compiler/partition/layouts/retype.h"

#include "compiler/ir/types.h"

namespace tessera::partition {

using namespace mlir;

static RankedTensorType tensor(Type type) { return cast<RankedTensorType>(type); }

/// `value` in another layout.
static Value converted(OpBuilder& builder, Value value, RankedTensorType to) {
  const RankedTensorType moved = ir::inSpace(tensor(value.getType()), ir::spaceOf(to));
  if (moved != value.getType()) value = builder.create<ir::CopyOp>(value.getLoc(), moved, value);
  if (moved != to) value = builder.create<ir::RelayoutOp>(value.getLoc(), to, value);
  return value;
}

static void moveAllInto(StringRef space, Block& body) {
  const auto move = [&](Value value) {
    if (const auto type = dyn_cast<RankedTensorType>(value.getType()))
      value.setType(ir::inSpace(type, space));
  };
  const auto moveArguments = [&](Block& block) { llvm::for_each(block.getArguments(), move); };
  moveArguments(body);
  body.walk([&](Operation* op) {
    if (isa<ir::ConstantOp>(op)) return;  // Sizes and axes are part of the code.
    llvm::for_each(op->getResults(), move);
    for (Region& region : op->getRegions()) llvm::for_each(region, moveArguments);
  });
}

void retypeBody(Block& body, TypeRange arguments, TypeRange results) {
  SmallVector<Type> all(arguments);
  llvm::append_range(all, results);
  const StringRef space = all.empty() ? StringRef() : ir::spaceOf(tensor(all.front()));
  const bool isShared =
      llvm::all_of(all, [&](Type type) { return ir::spaceOf(tensor(type)) == space; });
  if (isShared) moveAllInto(space, body);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [argument, type] : llvm::zip_equal(body.getArguments(), arguments)) {
    const RankedTensorType inside = tensor(argument.getType());
    if (inside == type) continue;
    argument.setType(type);
    SmallVector<OpOperand*> uses;
    for (OpOperand& use : argument.getUses()) uses.push_back(&use);
    const Value value = converted(builder, argument, inside);
    for (OpOperand* use : uses) use->set(value);
  }
  Operation* terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  for (auto [operand, type] : llvm::zip_equal(terminator->getOpOperands(), results)) {
    if (operand.get().getType() != type)
      operand.set(converted(builder, operand.get(), tensor(type)));
  }
}

}  // namespace tessera::partition
