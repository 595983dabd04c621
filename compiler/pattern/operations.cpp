// Patterns for values by the operation that computes them.
#include "compiler/pattern/search.h"

namespace tessera::pattern {

using namespace mlir;
using Next = Pattern::Next;
using Place = Pattern::Place;

bool matchOperands(ArrayRef<Value> values, ArrayRef<Pattern> patterns, Search& search, Next next) {
  if (patterns.empty()) return values.empty() && next();
  const Pattern& first = patterns.front();
  if (first.place() == Place::kRest) {
    while (!values.empty() && !values.front()) values = values.drop_front();  // Absent ones fit.
    if (values.empty()) return next();
    return first(values.front(), search,
                 [&] { return matchOperands(values.drop_front(), patterns, search, next); });
  }
  const Value value = values.empty() ? Value() : values.front();
  return first(value, search, [&] {
    return matchOperands(values.empty() ? values : values.drop_front(), patterns.drop_front(),
                         search, next);
  });
}

/// Matches each of `patterns` against one of `values`, each value once.
static bool matchUnordered(ArrayRef<Value> values, ArrayRef<Pattern> patterns, Search& search,
                           Next next) {
  if (patterns.empty()) return values.empty() && next();
  for (size_t i = 0; i < values.size(); ++i) {
    if (llvm::is_contained(values.take_front(i), values[i])) continue;
    SmallVector<Value> others(values);
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    const bool matches = patterns.front()(values[i], search, [&] {
      return matchUnordered(others, patterns.drop_front(), search, next);
    });
    if (matches) return true;
  }
  return false;
}

using Operands = std::function<bool(ArrayRef<Value>, Search&, Next)>;

/// The operation `name` whose operands match as `operands` says.
static Pattern definedBy(StringRef name, int64_t index, Operands operands) {
  return {[name, index, operands = std::move(operands)](Value value, Search& search, Next next) {
            return llvm::any_of(search.definitions(value), [&](OpResult found) {
              Operation* op = found.getOwner();
              if (op->getName().getStringRef() != name) return false;
              if (index != kAnyResult && found.getResultNumber() != index) return false;
              return search.step() &&
                     search.with(op, [&] { return operands(placesOf(op), search, next); });
            });
          },
          std::vector<StringRef>{name}};
}

Pattern operation(StringRef name, std::vector<Pattern> operands, int64_t index) {
  return definedBy(
      name, index,
      [operands = std::move(operands)](ArrayRef<Value> values, Search& search, Next next) {
        return operands.empty() ? next() : matchOperands(values, operands, search, next);
      });
}

Pattern commutative(StringRef name, Pattern a, Pattern b) {
  return unordered(name, {std::move(a), std::move(b)});
}

Pattern unordered(StringRef name, std::vector<Pattern> operands) {
  return definedBy(
      name, 0, [operands = std::move(operands)](ArrayRef<Value> values, Search& search, Next next) {
        SmallVector<Value> present(values);
        llvm::erase(present, Value());
        return matchUnordered(present, operands, search, next);
      });
}

Pattern perhaps(const Pattern& pattern) {
  return {[pattern](Value value, Search& search, Next next) {
            return value ? pattern(value, search, next) : next();
          },
          pattern.roots(), Place::kPerhaps};
}

Pattern absent() {
  return {[](Value value, Search&, Next next) { return !value && next(); }, std::nullopt,
          Place::kPerhaps};
}

Pattern every(const Pattern& pattern) {
  return {
      [pattern](Value value, Search& search, Next next) { return pattern(value, search, next); },
      pattern.roots(), Place::kRest};
}

Pattern more() {
  return {[](Value, Search&, Next next) { return next(); }, std::nullopt, Place::kRest};
}

}  // namespace tessera::pattern
