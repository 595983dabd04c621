// Temporaries of run-time size.
#pragma once

#include <memory>

#include "compiler/lowering/plan_workspace.h"
#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Memory that the workspace and the stack will not hold comes from services->allocate, which keeps
/// it from call to call. Runs on kernel functions before their parallel loops are outlined;
/// what the plan (plan_workspace.h) leaves on the stack of the body of a parallel loop is left
/// alone.
std::unique_ptr<mlir::Pass> createLowerAllocationsPass(const PlanWorkspaceOptions& options = {});

}  // namespace tessera::lowering
