// The passes of simplify and their registration.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::transforms {

#define GEN_PASS_DECL
#include "compiler/transforms/passes.h.inc"

/// Makes all passes of this folder, and the pipeline `tessera-simplify`, known by name.
void registerTransformsPasses();

}  // namespace tessera::transforms
