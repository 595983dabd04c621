// The passes of simplify.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::transforms {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION  // registerTransformsPasses()
#include "compiler/transforms/passes.h.inc"

}  // namespace tessera::transforms
