// The passes of this folder.
#pragma once

#include <cstdint>
#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION  // registerLoweringPasses()
#include "compiler/lowering/passes.h.inc"

}  // namespace tessera::lowering
