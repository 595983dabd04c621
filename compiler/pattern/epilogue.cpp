// What follows an operation.
#include "compiler/pattern/search.h"

namespace tessera::pattern {

using namespace mlir;
using Next = Pattern::Next;

Pattern part(StringRef name, const Pattern& pattern) {
  // Entered behind the pattern's own parts, which lie before it in the data flow.
  return {[name, pattern](Value value, Search& search, Next next) {
            return pattern(value, search, [&] {
              return value ? search.withPart(name, outermost(value), next) : next();
            });
          },
          pattern.roots(), pattern.place()};
}

Pattern optionally(const Pattern& pattern, const Step& step) {
  return anyOf({step(pattern), pattern});
}

Pattern followedBy(const Pattern& pattern, const std::vector<Step>& steps, size_t atLeast,
                   size_t atMost) {
  // From the outside in: the last step is the root. `atMost` and `atLeast` steps are still to come.
  Pattern before = pattern;
  for (size_t i = 0; i < atMost; ++i) {
    std::vector<Pattern> alternatives;
    for (const Step& step : steps) alternatives.push_back(step(before));
    // Built from the inside out: round i has i steps at most, of which the last rounds are a must.
    const bool isOptional = i < atMost - std::min(atLeast, atMost);
    if (isOptional) alternatives.push_back(pattern);
    before = anyOf(std::move(alternatives));
  }
  return before;
}

namespace {

/// What lies between a child and its dominating parent.
class Stretch {
 public:
  Stretch(Value child, Value parent, const Pattern& path, Search& search)
      : child_(child.getDefiningOp()), parent_(parent), path_(path), search_(search) {}

  /// Whether all that is computed from the parent leads into the child, by operations that match
  /// the path. They are in interior() then.
  bool isClosed() {
    std::vector<Value> values = {parent_};
    bool reaches = false;
    while (!values.empty()) {
      const Value value = values.back();
      values.pop_back();
      for (Operation* user : search_.users(value)) {
        if (child_->isAncestor(user)) {
          reaches = true;
        } else if (!llvm::is_contained(interior_, user)) {
          if (!search_.step() || !isOnPath(user)) return false;
          interior_.push_back(user);
          for (const Value result : user->getResults()) values.push_back(outermost(result));
        }
      }
    }
    return reaches;
  }
  ArrayRef<Operation*> interior() const { return interior_; }

  /// Whether the child and what is between read the parent, each other, constants and no more.
  bool readsNothingElse() const {
    const auto isInside = [&](Value operand) {
      const Value value = outermost(operand);
      if (value == parent_ || value.getDefiningOp<ir::ConstantOp>()) return true;
      return llvm::any_of(interior_,
                          [&](Operation* op) { return outermost(op->getResult(0)) == value; });
    };
    return llvm::all_of(child_->getOperands(), isInside) &&
           llvm::all_of(interior_,
                        [&](Operation* op) { return llvm::all_of(op->getOperands(), isInside); });
  }

 private:
  bool isOnPath(Operation* op) {
    return op->getNumResults() == 1 &&
           outermost(op->getResult(0)).getParentBlock() == child_->getBlock() &&
           match(path_, op->getResult(0)).has_value();
  }

  Operation* child_;
  Value parent_;
  const Pattern& path_;
  Search& search_;
  SmallVector<Operation*> interior_;
};

}  // namespace

/// Values from which `child` is computed through operations of its block, nearest first.
static std::vector<Value> ancestors(Value child, Search& search) {
  std::vector<Value> found;
  llvm::DenseSet<Value> seen;
  const auto add = [&](Operation* op) {
    for (const Value operand : op->getOperands()) {
      const Value value = outermost(operand);
      if (seen.insert(value).second) found.push_back(value);
    }
  };
  add(child.getDefiningOp());
  for (size_t i = 0; i < found.size() && search.step(); ++i) {
    Operation* op = found[i].getDefiningOp();
    if (op && op->getBlock() == child.getParentBlock()) add(op);
  }
  return found;
}

static bool matchOps(ArrayRef<Operation*> ops, Search& search, Next next) {
  if (ops.empty()) return next();
  return search.with(ops.front(), [&] { return matchOps(ops.drop_front(), search, next); });
}

Pattern dominates(const Pattern& parent, const Pattern& path, const Pattern& child,
                  SideInputs sideInputs) {
  return {[=](Value value, Search& search, Next next) {
            return child(value, search, [&] {
              const Value root = outermost(value);
              if (!root.getDefiningOp()) return false;
              return llvm::any_of(ancestors(root, search), [&](Value from) {
                return parent(from, search, [&] {
                  Stretch stretch(root, from, path, search);
                  return stretch.isClosed() &&
                         (sideInputs == SideInputs::kAny || stretch.readsNothingElse()) &&
                         matchOps(stretch.interior(), search, next);
                });
              });
            });
          },
          child.roots()};
}

}  // namespace tessera::pattern
