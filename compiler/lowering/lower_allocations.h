// Temporaries of run-time size.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Memory that the workspace and the stack will not hold comes from services->allocate, which keeps
/// it from call to call. Runs on kernel functions before their parallel loops are outlined;
/// `maxBodyStackBytes` as in PlanWorkspaceOptions: what the body of a parallel loop may have on its
/// stack is left alone.
std::unique_ptr<mlir::Pass> createLowerAllocationsPass(int64_t maxBodyStackBytes = 65536);

}  // namespace tessera::lowering
