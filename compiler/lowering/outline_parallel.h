// Parallel loops -> calls of the host's parallel_for.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Every outermost scf.forall and scf.parallel (without results) of a kernel function becomes
/// services->parallel_for over the linearised iteration space; its body becomes a private function
/// (context, begin, end) and what it used from outside travels in a struct on the caller's stack.
/// Parallel loops inside become sequential. On modules.
std::unique_ptr<mlir::Pass> createOutlineParallelPass();

}  // namespace tessera::lowering
