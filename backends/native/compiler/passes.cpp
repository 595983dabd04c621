#include "backends/native/compiler/passes.h"

namespace tessera::backend_native {

#define GEN_PASS_REGISTRATION
#include "backends/native/compiler/passes.h.inc"

void registerNativePasses() { registerNativeKernelPasses(); }

}  // namespace tessera::backend_native
