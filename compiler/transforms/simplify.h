// Phase simplify: the recipe.
#pragma once

#include "mlir/Pass/PassManager.h"

namespace tessera::transforms {

/// Adds the passes of phase simplify, in order, to a pass manager on modules.
void buildSimplifyPipeline(mlir::OpPassManager& passes);

}  // namespace tessera::transforms
