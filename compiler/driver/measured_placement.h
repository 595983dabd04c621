// Placement `measured`: a plan for a module that nothing was placed in yet.
#pragma once

#include "compiler/driver/measuring/worker_measurer.h"
#include "compiler/driver/pipeline.h"
#include "compiler/placement/find_plan.h"

namespace tessera::driver {

/// Finds the fastest plan that can be found and writes it into the module, for phase `partition`;
/// where greedy placement is the fastest, there is none. Errors: those of placement::findPlan.
Result<placement::FoundPlan> placeMeasured(
    mlir::ModuleOp module, placement::Measurer& measurer,
    const std::function<void(const placement::Progress&)>& progress);
/// The same by measuring on this machine. Errors: those of WorkerMeasurer::create, too.
Result<placement::FoundPlan> placeMeasured(
    mlir::ModuleOp module, const MeasuringOptions& options,
    std::optional<std::vector<placement::Tile>> previous,
    const std::function<void(const placement::Progress&)>& progress);

/// placement::fitPlan with the passes and hooks of phase `partition`, written into the module.
/// Gives how many of how many operators the plan knew.
Result<std::pair<size_t, size_t>> applyPartialPlan(mlir::ModuleOp module, const std::string& text);

/// Of a module with a plan: how many of its operators rules of the user keep from the targets that
/// the plan names, and the first such rule; empty: none.
Result<std::string> whatRulesChange(mlir::ModuleOp module);

/// placement::describeGreedy with the passes and hooks of phase `partition`.
Result<placement::FoundPlan> describeGreedy(mlir::ModuleOp module);

}  // namespace tessera::driver
