// The passes of this backend and their registration.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::backend_native {

#define GEN_PASS_DECL
#include "backends/native/compiler/passes.h.inc"

/// Makes all passes of this folder known by name.
void registerNativePasses();

}  // namespace tessera::backend_native
