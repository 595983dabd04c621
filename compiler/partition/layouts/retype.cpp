#include "compiler/partition/layouts/retype.h"

#include "compiler/ir/types.h"

namespace tessera::partition {

using namespace mlir;

static RankedTensorType tensor(Type type) { return cast<RankedTensorType>(type); }

/// The operators between two types: to the other space first.
static SmallVector<Conversion, 2> stepsBetween(RankedTensorType from, RankedTensorType to) {
  const RankedTensorType moved = ir::inSpace(from, ir::spaceOf(to));
  SmallVector<Conversion, 2> steps;
  if (moved != from) steps.push_back({.from = from, .to = moved});
  if (moved != to) steps.push_back({.from = moved, .to = to});
  return steps;
}

/// `value` in another layout.
static Value converted(OpBuilder& builder, Value value, RankedTensorType to) {
  for (const Conversion& step : stepsBetween(tensor(value.getType()), to)) {
    if (ir::spaceOf(step.from) == ir::spaceOf(step.to))
      value = builder.create<ir::RelayoutOp>(value.getLoc(), step.to, value);
    else
      value = builder.create<ir::CopyOp>(value.getLoc(), step.to, value);
  }
  return value;
}

/// The memory space that all of them share.
static std::optional<StringRef> sharedSpace(TypeRange arguments, TypeRange results) {
  SmallVector<Type> all(arguments);
  llvm::append_range(all, results);
  const StringRef space = all.empty() ? StringRef() : ir::spaceOf(tensor(all.front()));
  const auto isHere = [&](Type type) { return ir::spaceOf(tensor(type)) == space; };
  return llvm::all_of(all, isHere) ? std::optional(space) : std::nullopt;
}

SmallVector<Conversion> borderConversions(FunctionType present, TypeRange arguments,
                                          TypeRange results) {
  const auto space = sharedSpace(arguments, results);
  const auto inside = [&](Type type) {
    return space ? ir::inSpace(tensor(type), *space) : tensor(type);
  };
  SmallVector<Conversion> conversions;
  for (auto [type, outside] : llvm::zip_equal(present.getInputs(), arguments))
    llvm::append_range(conversions, stepsBetween(tensor(outside), inside(type)));
  for (auto [type, outside] : llvm::zip_equal(present.getResults(), results))
    llvm::append_range(conversions, stepsBetween(inside(type), tensor(outside)));
  return conversions;
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
  if (const auto space = sharedSpace(arguments, results)) moveAllInto(*space, body);
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
