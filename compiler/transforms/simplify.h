// Phase simplify: the recipe.
#pragma once

#include "mlir/Pass/PassManager.h"

namespace tessera::transforms {

/// Adds the passes of phase simplify, in order, to a pass manager on modules.
void buildSimplifyPipeline(mlir::OpPassManager& passes);

/// Makes them known as the pipeline `tessera-simplify`. Once for a process.
void registerSimplifyPipeline();

}  // namespace tessera::transforms
