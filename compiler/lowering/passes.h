// The passes of this folder by name, for tessera-opt.
#pragma once

namespace tessera::lowering {

/// Registers every pass of this folder and two pipelines: `tessera-tensor-kernel` and
/// `tessera-memref-kernel` (pipeline.h).
void registerLoweringPasses();

}  // namespace tessera::lowering
