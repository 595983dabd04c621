#include "compiler/pattern/make_composite.h"

#include "compiler/ir/types.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::pattern {

using namespace mlir;

/// Whether all of the composite's operators, those of composites inside of it too, are `inside`.
static bool isWhole(ir::CompositeOp composite, const llvm::DenseSet<Operation*>& inside) {
  return llvm::all_of(composite.getBody().front().without_terminator(), [&](Operation& op) {
    if (isa<ir::ConstantOp>(op) || inside.contains(&op)) return true;
    auto inner = dyn_cast<ir::CompositeOp>(op);
    return inner && isWhole(inner, inside);
  });
}

/// Whether what `ops` give but for the root, which is the last, is used by them alone.
static bool isClosed(ArrayRef<Operation*> ops, const llvm::SetVector<Operation*>& inside) {
  return llvm::all_of(ops.drop_back(), [&](Operation* op) {
    return llvm::all_of(op->getUsers(), [&](Operation* user) { return inside.contains(user); });
  });
}

/// Adds `op` behind what it reads.
static void addInOrder(Operation* op, const llvm::SetVector<Operation*>& inside,
                       llvm::SetVector<Operation*>& ordered) {
  for (const Value operand : op->getOperands()) {
    Operation* producer = operand.getDefiningOp();
    if (producer && inside.contains(producer) && !ordered.contains(producer))
      addInOrder(producer, inside, ordered);
  }
  ordered.insert(op);
}

/// Whether its bodies may read values that are no operands of it: a composite takes none along.
static bool readsFromOutside(Operation* op) {
  return op->getNumRegions() > 0 && !op->hasTrait<OpTrait::IsIsolatedFromAbove>();
}

std::optional<Cover> coverOf(const Match& match, Operation* root) {
  const llvm::DenseSet<Operation*> inside(match.ops.begin(), match.ops.end());
  Cover cover;
  llvm::SetVector<Operation*> ops;
  for (Operation* op : match.ops) {
    Operation* outer = root->getBlock()->findAncestorOpInBlock(*op);
    if (!outer || isa<ir::ConstantOp>(outer) || readsFromOutside(outer)) return std::nullopt;
    ops.insert(outer);
    // All around it that is not itself in the match was seen through.
    for (Operation* around = op->getParentOp(); outer != op && around;
         around = around->getParentOp()) {
      if (isa<ir::CompositeOp>(around) && around != outer) cover.opened.insert(around);
      if (around == outer) break;
    }
    if (outer == op || !cover.opened.insert(outer)) continue;
    auto composite = dyn_cast<ir::CompositeOp>(outer);
    if (!composite || !isWhole(composite, inside)) return std::nullopt;
  }
  llvm::SetVector<Operation*> ordered;
  if (ops.contains(root)) addInOrder(root, ops, ordered);
  if (ordered.empty() || ordered.size() != ops.size()) return std::nullopt;
  cover.ops = ordered.takeVector();
  if (!isClosed(cover.ops, ops)) return std::nullopt;
  return cover;
}

SmallVector<Value> inputsOf(const Cover& cover, llvm::function_ref<bool(OpOperand&)> staysInside) {
  const llvm::DenseSet<Operation*> inside(cover.ops.begin(), cover.ops.end());
  llvm::SetVector<Value> inputs;
  for (Operation* op : cover.ops) {
    for (OpOperand& operand : op->getOpOperands()) {
      Operation* producer = operand.get().getDefiningOp();
      if (producer && inside.contains(producer)) continue;
      if (isa_and_nonnull<ir::ConstantOp>(producer) && staysInside(operand)) continue;
      inputs.insert(operand.get());
    }
  }
  return inputs.takeVector();
}

/// Copies `op`, or what is in it when it was opened, and maps its results.
static void copyInto(OpBuilder& builder, Operation* op, const llvm::SetVector<Operation*>& opened,
                     IRMapping& mapping) {
  auto composite = dyn_cast<ir::CompositeOp>(op);
  if (!opened.contains(op) || !composite) {
    builder.clone(*op, mapping);
    return;
  }
  Block& body = composite.getBody().front();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), composite.getInputs()))
    mapping.map(argument, mapping.lookup(input));
  for (Operation& inner : body.without_terminator()) copyInto(builder, &inner, opened, mapping);
  for (auto [result, value] :
       llvm::zip_equal(composite.getResults(), body.getTerminator()->getOperands()))
    mapping.map(result, mapping.lookup(value));
}

static void fillBody(ir::CompositeOp composite, const Cover& cover) {
  Block& body = composite.getBody().emplaceBlock();
  IRMapping mapping;
  for (const Value input : composite.getInputs())
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  for (Operation* op : cover.ops) {
    for (const Value operand : op->getOperands()) {
      if (!mapping.contains(operand)) builder.clone(*operand.getDefiningOp(), mapping);
    }
    copyInto(builder, op, cover.opened, mapping);
  }
  SmallVector<Value> results;
  for (const Value result : cover.root()->getResults()) results.push_back(mapping.lookup(result));
  builder.create<ir::YieldOp>(composite.getLoc(), results);
}

ir::CompositeOp makeComposite(const Cover& cover, StringRef name, ArrayRef<Value> inputs,
                              ArrayRef<NamedAttribute> parameters) {
  const SmallVector<Value> read = inputsOf(cover, [](OpOperand&) { return true; });
  const bool isKnown =
      llvm::all_of(read, [&](Value value) { return llvm::is_contained(inputs, value); });
  // A capture may be a value that is computed inside: what it would read goes away.
  const bool isOutside = llvm::none_of(
      inputs, [&](Value value) { return llvm::is_contained(cover.ops, value.getDefiningOp()); });
  if (!isKnown || !isOutside) return nullptr;
  OpBuilder builder(cover.root());
  auto composite = builder.create<ir::CompositeOp>(
      ir::fusedLocation(cover.ops), cover.root()->getResultTypes(), builder.getStringAttr(name),
      inputs, builder.getDictionaryAttr(parameters));
  fillBody(composite, cover);
  cover.root()->replaceAllUsesWith(composite);
  for (Operation* op : llvm::reverse(cover.ops)) op->erase();
  return composite;
}

}  // namespace tessera::pattern
