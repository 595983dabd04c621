// The state of one search, for who writes patterns' matchers.
#pragma once

#include "compiler/pattern/match.h"
#include "compiler/pattern/pattern.h"

namespace tessera::pattern {

class Search {
 public:
  explicit Search(const Options& options) : options_(options) {}

  const Match& found() const { return match_; }
  Match take() { return std::move(match_); }

  /// Counts an operation that is looked at; false when there were too many, and from then on.
  bool step() {
    isExhausted_ |= ++steps_ > options_.maxSteps;
    return !isExhausted_;
  }
  bool isExhausted() const { return isExhausted_; }

  /// Runs `next` with `op` in the match, with a capture, with a part.
  bool with(mlir::Operation* op, Pattern::Next next);
  bool withCapture(llvm::StringRef name, mlir::Value value, Pattern::Next next);
  bool withPart(llvm::StringRef name, mlir::Value value, Pattern::Next next);

  /// What computes `value` and may be matched, from the outside in: its operation, then, where that
  /// is a composite that may be seen through, what the body yields, and so on. Nothing for
  /// arguments.
  llvm::SmallVector<mlir::OpResult, 2> definitions(mlir::Value value) const;
  /// The operations that read `value`, in bodies of composites too, and those that end a function
  /// or a body; each once.
  llvm::SmallVector<mlir::Operation*> users(mlir::Value value) const;

 private:
  /// The composite, if `op` is one that is seen through; null otherwise.
  ir::CompositeOp seenThrough(mlir::Operation* op) const;

  Match match_;
  Options options_;
  size_t steps_ = 0;
  bool isExhausted_ = false;
};

/// The value outside of composites that `value` is: what a body's argument stands for, what a
/// yielded value becomes; otherwise itself.
mlir::Value outermost(mlir::Value value);

/// Matches an operation's operands, by place, in order: each pattern for one, and all of them.
bool matchOperands(llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<Pattern> patterns,
                   Search& search, Pattern::Next next);

/// The operation's operands by place: null where an optional one is absent.
llvm::SmallVector<mlir::Value> placesOf(mlir::Operation* op);

}  // namespace tessera::pattern
