// Preparing tensor operations for tiling: one form, long inner loops, relaxed arithmetic.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Named linalg operations become linalg.generic, except linalg.fill, which others recognise as an
/// initial value. On functions.
std::unique_ptr<mlir::Pass> createGeneralizeLinalgPass();

/// Merges neighbouring loops of linalg.generic that every operand walks contiguously, so that inner
/// loops are long ([C, H, W] plus a bias per channel becomes [C, H*W]). On functions.
std::unique_ptr<mlir::Pass> createCollapseDimsPass();

/// Lets LLVM contract multiply-add everywhere, and reorder the sums, products, minima and maxima of
/// reductions. On functions.
std::unique_ptr<mlir::Pass> createRelaxFloatMathPass();

}  // namespace tessera::lowering
