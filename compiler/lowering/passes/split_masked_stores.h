#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tessera::lowering {

/// Stores of the first lanes of a vector, as many as a constant says, become whole stores of powers
/// of two of them (7 lanes: 4, 2 and 1). For CPUs without the masks of AVX-512: a masked store of
/// AVX2 takes 12 cycles on Zen 1 to 3, and there is none for elements of less than 32 bits.
void populateSplitMaskedStoresPatterns(mlir::RewritePatternSet& patterns);

}  // namespace tessera::lowering
