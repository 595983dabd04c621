// The passes of this backend and their registration.
#pragma once

#include <memory>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tessera::backend_native {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION  // registerNativePasses()
#include "backends/native/compiler/passes.h.inc"

}  // namespace tessera::backend_native
