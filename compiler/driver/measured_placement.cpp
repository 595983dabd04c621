#include "compiler/driver/measured_placement.h"

#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/refusals.h"
#include "compiler/placement/plan_attribute.h"

namespace tessera::driver {

/// Phase `partition`, hooks of targets included, of a tile or of a module with a plan.
static Status place(mlir::ModuleOp module) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  const PhasePart part{.hasPlan = module->hasAttr(placement::kPlanAttribute)};
  return partition::placeUntilAccepted(module, [&](mlir::ModuleOp attempt) -> Status {
    mlir::PassManager manager(module.getContext());
    buildPhase(target::Phase::kPartition, owners, {}, manager, part);
    ir::DiagnosticCapture diagnostics(module.getContext());
    if (mlir::succeeded(manager.run(attempt))) return {};
    return diagnostics.take(targetFailed("a pass of phase partition failed"));
  });
}

Result<placement::FoundPlan> placeMeasured(
    mlir::ModuleOp module, placement::Measurer& measurer,
    const std::function<void(const placement::Progress&)>& progress) {
  const placement::PlanRequest request{
      .module = module, .place = place, .measurer = &measurer, .progress = progress};
  TESSERA_TRY(placement::FoundPlan plan, placement::findPlan(request));
  const placement::Contestant& winner = plan.contestants.front();
  if (winner.tiles)
    module->setAttr(placement::kPlanAttribute,
                    placement::toAttribute(module.getContext(), placement::tilesOf(*winner.tiles)));
  return plan;
}

Result<placement::FoundPlan> placeMeasured(
    mlir::ModuleOp module, const MeasuringOptions& options,
    const std::function<void(const placement::Progress&)>& progress) {
  std::unique_ptr<WorkerMeasurer> measurer;
  {
    const placement::OperatorGraph graph(ir::entryFunction(module));
    TESSERA_TRY(measurer, WorkerMeasurer::create(graph, options));
  }
  return placeMeasured(module, *measurer, progress);
}

}  // namespace tessera::driver
