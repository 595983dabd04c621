// Rewriting by patterns: where one matches, another value takes the place of the one it matched.
#pragma once

#include <functional>

#include "compiler/pattern/pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tessera::pattern {

struct Rewrite {
  Pattern pattern;
  /// Builds, behind what computes `value`, a value of its type that its users read instead; it may
  /// be computed from `value`. Null, or `value` itself: this match stays as it is.
  std::function<mlir::Value(mlir::OpBuilder& builder, mlir::Value value, const Match& match)>
      replace;
  /// Applied in the first round only: what replaces a value is not rewritten again.
  bool isOnce = false;
};

/// Rounds of rewriting until nothing changes.
inline constexpr size_t kMaxRounds = 100;

/// Rewrites the values of `function`, bodies of control flow included, those of composites left
/// alone, in rounds until none matches. In a round values are looked at from the last to the first,
/// for each the rewrites in order, and what one match stands for is in no second one: of values
/// inside each other the outermost is rewritten. What nobody reads any more of a match is erased,
/// calls left alone. Fails, with a diagnostic, after kMaxRounds.
mlir::LogicalResult rewrite(mlir::func::FuncOp function, llvm::ArrayRef<Rewrite> rewrites);

}  // namespace tessera::pattern
