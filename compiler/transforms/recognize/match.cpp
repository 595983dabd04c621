#include "compiler/transforms/recognize/match.h"

#include <cmath>

#include "compiler/ir/io/constants.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

using Next = llvm::function_ref<bool()>;

Value Match::value(llvm::StringRef name) const {
  for (const auto& [key, captured] : captures) {
    if (key == name) return captured;
  }
  return {};
}

Pattern capture(llvm::StringRef name) {
  return [name](Value value, Match& match, Next next) {
    if (const Value seen = match.value(name)) return seen == value && next();
    match.captures.emplace_back(name, value);
    if (next()) return true;
    match.captures.pop_back();
    return false;
  };
}

Pattern when(Pattern pattern, std::function<bool(Value)> holds) {
  return [pattern = std::move(pattern), holds = std::move(holds)](Value value, Match& match,
                                                                  Next next) {
    return holds(value) && pattern(value, match, next);
  };
}

Pattern constant(llvm::StringRef name) { return when(capture(name), isConstant); }

Pattern scalar(llvm::StringRef name) {
  return when(capture(name), [](Value value) { return ir::constantScalar(value).has_value(); });
}

Pattern scalar(double number) {
  return [number](Value value, Match&, Next next) {
    const std::optional<double> found = ir::constantScalar(value);
    return found && std::abs(*found - number) <= 1e-5 * std::abs(number) && next();
  };
}

Pattern anyOf(std::vector<Pattern> alternatives) {
  return [alternatives = std::move(alternatives)](Value value, Match& match, Next next) {
    return llvm::any_of(alternatives,
                        [&](const Pattern& pattern) { return pattern(value, match, next); });
  };
}

/// Matches operands[i...] against patterns[i...], then the rest.
static bool matchOperands(Operation* op, llvm::ArrayRef<Pattern> patterns, size_t i, Match& match,
                          Next next) {
  if (i == patterns.size()) return next();
  return patterns[i](op->getOperand(i), match,
                     [&] { return matchOperands(op, patterns, i + 1, match, next); });
}

/// Enters `op` in the match while `next` runs.
static bool withOperation(Operation* op, Match& match, Next next) {
  if (llvm::is_contained(match.ops, op)) return next();
  match.ops.push_back(op);
  if (next()) return true;
  match.ops.pop_back();
  return false;
}

static Operation* definedBy(Value value, llvm::StringRef name) {
  Operation* op = value.getDefiningOp();
  return op && op->getName().getStringRef() == name ? op : nullptr;
}

Pattern operation(llvm::StringRef name, std::vector<Pattern> operands) {
  return [name, operands = std::move(operands)](Value value, Match& match, Next next) {
    Operation* op = definedBy(value, name);
    return op && op->getNumOperands() >= operands.size() &&
           withOperation(op, match, [&] { return matchOperands(op, operands, 0, match, next); });
  };
}

Pattern commutative(llvm::StringRef name, Pattern a, Pattern b) {
  return [name, a = std::move(a), b = std::move(b)](Value value, Match& match, Next next) {
    Operation* op = definedBy(value, name);
    if (!op || op->getNumOperands() != 2) return false;
    const Value first = op->getOperand(0);
    const Value second = op->getOperand(1);
    return withOperation(op, match, [&] {
      const auto inOrder = [&](Value x, Value y) {
        return a(x, match, [&] { return b(y, match, next); });
      };
      return inOrder(first, second) || (first != second && inOrder(second, first));
    });
  };
}

std::optional<Match> match(const Pattern& pattern, Value value) {
  Match match;
  if (!pattern(value, match, [] { return true; })) return std::nullopt;
  return match;
}

}  // namespace tessera::transforms
