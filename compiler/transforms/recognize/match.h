// A small language of data-flow patterns: which operators compute a value from which other values.
//
//   const Pattern x = capture("x");
//   const Pattern silu = either<ir::MulOp>(x, op<ir::SigmoidOp>(x));
//   if (std::optional<Match> found = match(silu, value)) use(found->value("x"));
//
// Alternatives and operand orders are tried with full backtracking.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/tsr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::transforms {

/// How a pattern was matched.
struct Match {
  /// The operations that op and either stood for, each once, the root's first.
  llvm::SmallVector<mlir::Operation*> ops;
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>> captures;

  /// The value captured under `name`; null when the matched alternative has no such capture.
  mlir::Value value(llvm::StringRef name) const;
};

/// Extends the match so that it explains `value`, then asks `next` to explain the rest; undoes its
/// part and returns false when that fails.
using Pattern =
    std::function<bool(mlir::Value value, Match& match, llvm::function_ref<bool()> next)>;

/// Any value. A name that was seen before stands for the same value.
Pattern capture(llvm::StringRef name);
/// A constant.
Pattern constant(llvm::StringRef name);
/// A constant whose elements are all equal.
Pattern scalar(llvm::StringRef name);
/// A constant whose elements are all `number`, but for rounding to f32 or a few printed digits.
Pattern scalar(double number);
Pattern anyOf(std::vector<Pattern> alternatives);
/// What `pattern` matches if `holds`.
Pattern when(Pattern pattern, std::function<bool(mlir::Value)> holds);

/// The operation named `name` on operands that match in order; it may have more operands than
/// patterns.
Pattern operation(llvm::StringRef name, std::vector<Pattern> operands);
/// As above for two operands in any order.
Pattern commutative(llvm::StringRef name, Pattern a, Pattern b);

template <typename Op, typename... Patterns>
Pattern op(Patterns... operands) {
  return operation(Op::getOperationName(), {std::move(operands)...});
}
template <typename Op>
Pattern either(Pattern a, Pattern b) {
  return commutative(Op::getOperationName(), std::move(a), std::move(b));
}

std::optional<Match> match(const Pattern& pattern, mlir::Value value);

}  // namespace tessera::transforms
