#include "compiler/pattern/search.h"

#include "compiler/ir/composites.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::pattern {

using namespace mlir;

bool Search::with(Operation* op, Pattern::Next next) {
  if (llvm::is_contained(match_.ops, op)) return next();
  match_.ops.push_back(op);
  if (next()) return true;
  match_.ops.pop_back();
  return false;
}

bool Search::withCapture(StringRef name, Value value, Pattern::Next next) {
  value = outermost(value);
  if (const Value seen = match_.value(name)) return seen == value && next();
  match_.captures.emplace_back(name, value);
  if (next()) return true;
  match_.captures.pop_back();
  return false;
}

bool Search::withPart(StringRef name, Value value, Pattern::Next next) {
  match_.parts.emplace_back(name, value);
  if (next()) return true;
  match_.parts.pop_back();
  return false;
}

/// The composite, if `op` is one whose body is a part of the graph; null otherwise.
static ir::CompositeOp asOpen(Operation* op) {
  auto composite = dyn_cast_or_null<ir::CompositeOp>(op);
  return composite && !ir::composite::isBackends(composite.getName()) ? composite : nullptr;
}

ir::CompositeOp Search::seenThrough(Operation* op) const {
  return options_.seesThroughComposites ? asOpen(op) : nullptr;
}

SmallVector<OpResult, 2> Search::definitions(Value value) const {
  SmallVector<OpResult, 2> found;
  auto at = dyn_cast_or_null<OpResult>(outermost(value));
  while (at) {
    found.push_back(at);
    ir::CompositeOp composite = seenThrough(at.getOwner());
    if (!composite) break;
    Operation* yield = composite.getBody().front().getTerminator();
    at = dyn_cast<OpResult>(yield->getOperand(at.getResultNumber()));
  }
  return found;
}

SmallVector<Operation*> Search::users(Value value) const {
  llvm::SetVector<Operation*> found;
  SmallVector<Value> values = {outermost(value)};
  for (const OpResult inner : definitions(value)) values.push_back(inner);
  for (size_t i = 0; i < values.size(); ++i) {  // NOLINT(modernize-loop-convert): it grows.
    for (OpOperand& use : values[i].getUses()) {
      Operation* user = use.getOwner();
      if (ir::CompositeOp composite = seenThrough(user))
        values.push_back(composite.getBody().front().getArgument(use.getOperandNumber()));
      else if (!isa<ir::YieldOp>(user) || !asOpen(user->getParentOp()))
        found.insert(user);
    }
  }
  return found.takeVector();
}

Value outermost(Value value) {
  while (value) {
    ir::CompositeOp composite = asOpen(value.getParentRegion()->getParentOp());
    if (!composite) return value;
    if (const auto argument = dyn_cast<BlockArgument>(value)) {
      value = composite.getInputs()[argument.getArgNumber()];
      continue;
    }
    const auto yielded = composite.getBody().front().getTerminator()->getOperands();
    const auto found = llvm::find(yielded, value);
    if (found == yielded.end()) return value;
    value = composite.getResult(std::distance(yielded.begin(), found));
  }
  return value;
}

SmallVector<Value> placesOf(Operation* op) {
  SmallVector<Value> places;
  const auto segments = op->getInherentAttr("operandSegmentSizes");
  const auto sizes =
      segments ? dyn_cast_or_null<DenseI32ArrayAttr>(*segments) : DenseI32ArrayAttr();
  if (!sizes) return SmallVector<Value>(op->getOperands());
  size_t next = 0;
  for (const int32_t size : sizes.asArrayRef()) {
    if (size == 0) places.emplace_back();
    for (int32_t i = 0; i < size; ++i) places.push_back(op->getOperand(next++));
  }
  return places;
}

}  // namespace tessera::pattern
