// The passes of this folder and their registration.
#pragma once

#include <cstdint>
#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

#define GEN_PASS_DECL
#include "compiler/lowering/passes.h.inc"

/// Makes all passes of this folder, and the pipelines `tessera-lowering-tensor-kernel` and
/// `tessera-lowering-memref-kernel` (pipeline.h), known by name.
void registerLoweringPasses();

}  // namespace tessera::lowering
