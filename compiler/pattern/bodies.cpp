// Patterns for operations with a body: composites, branches, calls.
#include "compiler/pattern/search.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::pattern {

using namespace mlir;
using Next = Pattern::Next;

/// The value number `index` that a body ends with; null when it has none.
static Value yieldedBy(Region& body, size_t index) {
  if (body.empty() || !body.back().mightHaveTerminator()) return {};
  Operation* end = body.back().getTerminator();
  return index < end->getNumOperands() ? end->getOperand(index) : Value();
}

/// What each of the bodies from number `from` on yields in the place of `result`.
static bool matchBodies(OpResult result, ArrayRef<Pattern> bodies, size_t from, Search& search,
                        Next next) {
  if (from == bodies.size()) return next();
  const Value yielded = yieldedBy(result.getOwner()->getRegion(from), result.getResultNumber());
  return bodies[from](yielded, search,
                      [&] { return matchBodies(result, bodies, from + 1, search, next); });
}

/// An operation on operands that match in order, given by the result that `accepts`, whose bodies'
/// first yielded values match.
static Pattern withBodies(StringRef name, std::vector<Pattern> operands,
                          std::vector<Pattern> bodies, std::function<bool(Operation*)> accepts) {
  return {[name, operands = std::move(operands), bodies = std::move(bodies),
           accepts = std::move(accepts)](Value value, Search& search, Next next) {
            return llvm::any_of(search.definitions(value), [&](OpResult found) {
              Operation* op = found.getOwner();
              const bool fits = op->getName().getStringRef() == name && accepts(op) &&
                                op->getNumRegions() >= bodies.size();
              if (!fits || !search.step()) return false;
              return search.with(op, [&] {
                return matchOperands(placesOf(op), operands, search,
                                     [&] { return matchBodies(found, bodies, 0, search, next); });
              });
            });
          },
          std::vector<StringRef>{name}};
}

static std::function<bool(Operation*)> isComposite(StringRef name) {
  return [name](Operation* op) { return cast<ir::CompositeOp>(op).getName() == name; };
}

Pattern composite(StringRef name, std::vector<Pattern> inputs) {
  return withBodies(ir::CompositeOp::getOperationName(), std::move(inputs), {}, isComposite(name));
}

Pattern composite(StringRef name, std::vector<Pattern> inputs, const Pattern& body) {
  return withBodies(ir::CompositeOp::getOperationName(), std::move(inputs), {body},
                    isComposite(name));
}

Pattern ifElse(const Pattern& condition, const Pattern& thenValue, const Pattern& elseValue) {
  return withBodies(ir::IfOp::getOperationName(), {condition}, {thenValue, elseValue},
                    [](Operation*) { return true; });
}

Pattern callOf(const Pattern& body, std::vector<Pattern> operands) {
  const Pattern call = operation(func::CallOp::getOperationName(), std::move(operands), kAnyResult);
  return {[call, body](Value value, Search& search, Next next) {
            return call(value, search, [&] {
              const auto result = cast<OpResult>(outermost(value));
              auto op = dyn_cast<func::CallOp>(result.getOwner());
              auto module = op ? op->getParentOfType<ModuleOp>() : ModuleOp();
              auto callee =
                  module ? module.lookupSymbol<func::FuncOp>(op.getCallee()) : func::FuncOp();
              return callee &&
                     body(yieldedBy(callee.getBody(), result.getResultNumber()), search, next);
            });
          },
          call.roots()};
}

}  // namespace tessera::pattern
