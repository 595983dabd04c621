// Cheaper operators for the same value.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tessera::transforms {

/// Pow with exponent 2, 3, 0.5 or -1 becomes Mul, Sqrt or Reciprocal; 1 / x becomes Reciprocal;
/// a Cast of a Cast that loses nothing becomes one.
void addStrengthReductions(mlir::RewritePatternSet& patterns);

}  // namespace tessera::transforms
