// Maxima and minima of floats that keep NaN, as what CPUs have instructions for. Not for other
// folders.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tessera::lowering {

/// arith.maximumf, arith.minimumf and their vector.reduction as comparisons and selections.
void populateExpandExtremesPatterns(mlir::RewritePatternSet& patterns);

}  // namespace tessera::lowering
