// How a pattern was matched, and matching.
#pragma once

#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tessera::pattern {

class Pattern;

struct Match {
  /// The operations that the pattern stood for, each once, the root's first; those in the body of a
  /// composite that was seen through are there, the composite itself is not.
  llvm::SmallVector<mlir::Operation*> ops;
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>> captures;
  /// Parts that are there, in the order of the data flow.
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>> parts;

  /// The value captured under `name`; null when the matched alternative has no such capture.
  mlir::Value value(llvm::StringRef name) const;
  /// The value of the first part of that name; null when it is not there.
  mlir::Value part(llvm::StringRef name) const;
};

struct Options {
  /// Whether bodies of composites without an owner are a part of the graph.
  bool seesThroughComposites = true;
  /// Operations that one search may look at.
  size_t maxSteps = 10'000;
};

/// Nothing when `pattern` does not match.
std::optional<Match> match(const Pattern& pattern, mlir::Value value, const Options& options = {});

/// The same, going back for another way to match until `accepts` holds.
std::optional<Match> match(const Pattern& pattern, mlir::Value value, const Options& options,
                           llvm::function_ref<bool(const Match&)> accepts);

}  // namespace tessera::pattern
