// Phase `partition` of a module that has a plan.
#pragma once

#include <functional>
#include <memory>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::placement {

/// Adds passes to a pipeline on modules.
using AddPasses = std::function<void(mlir::OpPassManager&)>;

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION  // registerPlacementPasses()
#include "compiler/placement/passes.h.inc"

/// The pass; `placeTile` are the passes that place a tile, those of
/// partition::buildGreedyPartition.
std::unique_ptr<mlir::Pass> createApplyPlanPass(AddPasses placeTile);

/// What buildGreedyPartition is to modules without a plan (plan_attribute.h).
void buildPlannedPartition(mlir::OpPassManager& manager, const AddPasses& foldConstants);

}  // namespace tessera::placement
