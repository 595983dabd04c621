#include "compiler/driver/measured_placement.h"

#include "compiler/driver/passes.h"
#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/isolation/rehearse.h"
#include "compiler/partition/exclusions.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/pins.h"
#include "compiler/partition/refusals.h"
#include "compiler/placement/partial_plan.h"
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

/// Targets that cannot be asked about operators, which passes of theirs find out in front of the
/// phase, are asked no more: the search asks all of them, in this process.
static void withdrawTheUnanswering(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::PassManager manager(module.getContext());
  manager.addPass(createRunHooksPass(target::Phase::kPartition, target::HookPoint::kBefore));
  const ir::DiagnosticCapture ignored(module.getContext());
  if (mlir::failed(manager.run(*copy))) return;  // Placing says why.
  const size_t numKnown = partition::exclusionsOf(module).size();
  const std::vector<partition::Exclusion> all = partition::exclusionsOf(*copy);
  for (const partition::Exclusion& exclusion : llvm::ArrayRef(all).drop_front(numKnown)) {
    partition::addExclusion(module, exclusion);
    module.walk([&](mlir::Operation* op) {
      if (mlir::isa<ir::TsrOpInterface>(op))
        partition::withdraw(op, exclusion.target, exclusion.reason);
    });
  }
}

/// A copy in which rules of the user are noted at operators.
static Result<mlir::OwningOpRef<mlir::ModuleOp>> withRules(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> ruled = module.clone();
  mlir::PassManager manager(module.getContext());
  manager.addPass(partition::createApplyPinsPass());
  ir::DiagnosticCapture diagnostics(module.getContext());
  if (mlir::succeeded(manager.run(*ruled))) return ruled;
  return diagnostics.take(targetFailed("rules about placing cannot be applied"));
}

/// Of greedy placement there is nothing to say.
static void setPlan(mlir::ModuleOp module, const placement::Contestant& winner) {
  if (winner.tiles)
    module->setAttr(placement::kPlanAttribute,
                    placement::toAttribute(module.getContext(), placement::tilesOf(*winner.tiles)));
}

/// All that a plan of greedy placement, or one that leaves most to it, comes to: its parts, and as
/// tiles of the host target what no region has, such as views.
static std::vector<placement::PlannedTile> wholeOf(mlir::ModuleOp module,
                                                   std::vector<placement::PlannedTile> parts) {
  const auto owners = backend_api::ownersOf(module);
  const backend_api::Owner* host = owners ? backend_api::hostOf(*owners) : nullptr;
  if (host == nullptr) return parts;
  const placement::OperatorGraph graph(ir::entryFunction(module));
  llvm::DenseSet<uint32_t> owned;
  for (const placement::PlannedTile& part : parts)
    owned.insert(part.tile.nodes.begin(), part.tile.nodes.end());
  const ir::TargetAttr target = backend_api::toAttribute(module.getContext(), host->target);
  for (uint32_t node = 0; node < graph.size(); ++node)
    if (!owned.contains(node))
      parts.push_back({.tile = {.nodes = {node}, .target = target, .reads = {}}});
  return parts;
}

using MakeMeasurer = llvm::function_ref<Result<placement::Measurer*>(mlir::ModuleOp)>;

/// `request` lacks its module, its passes and its measurer; that is made for a copy of the module
/// in which rules of the user are noted at operators.
static Result<placement::FoundPlan> findAndSet(mlir::ModuleOp module, MakeMeasurer makeMeasurer,
                                               placement::PlanRequest request) {
  TESSERA_TRY(const mlir::OwningOpRef<mlir::ModuleOp> ruled, withRules(module));
  withdrawTheUnanswering(*ruled);
  request.module = *ruled;
  request.place = place;
  TESSERA_TRY(request.measurer, makeMeasurer(*ruled));
  auto found = placement::findPlan(request);
  if (!found) {  // Greedy placement names an operator that nobody takes.
    TESSERA_TRY_VOID(place(*ruled));
    return found;
  }
  setPlan(module, found->contestants.front());
  return found;
}

Result<placement::FoundPlan> placeMeasured(
    mlir::ModuleOp module, placement::Measurer& measurer,
    const std::function<void(const placement::Progress&)>& progress) {
  const auto given = [&](mlir::ModuleOp) -> Result<placement::Measurer*> { return &measurer; };
  return findAndSet(module, given, {.progress = progress});
}

/// True once the user says so, or most of the budget is spent: the rest is for whole plans.
static std::function<bool()> stopOf(const PlacementSearch& search) {
  constexpr double kShareOfParts = 0.7;
  const auto begin = std::chrono::steady_clock::now();
  return [search, begin] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const double most = search.budgetSeconds * kShareOfParts;
    return (search.isStopped && search.isStopped()) || (most > 0 && spent.count() > most);
  };
}

Result<placement::FoundPlan> placeMeasured(
    mlir::ModuleOp module, const MeasuringOptions& options,
    std::optional<std::vector<placement::Tile>> previous,
    const std::function<void(const placement::Progress&)>& progress) {
  MeasuringOptions limited = options;
  limited.search.isStopped = stopOf(options.search);
  limited.isCancelled = options.search.isStopped;
  std::unique_ptr<WorkerMeasurer> measurer;
  std::optional<Error> unrunnable;  // Why the reference does not run it.
  llvm::DenseSet<mlir::Attribute> unanswering;
  const auto make = [&](mlir::ModuleOp ruled) -> Result<placement::Measurer*> {
    const placement::OperatorGraph graph(ir::entryFunction(ruled));
    Result<ReferenceRun> run = ReferenceRun::make(graph, options.seed);
    if (!run) unrunnable = run.error();
    if (!run) return run.error();
    TESSERA_TRY(measurer, WorkerMeasurer::create(graph, std::move(*run), limited));
    TESSERA_TRY(const auto endings, measurer->whoCannotBeAsked(ruled));
    for (const auto& [target, ending] : endings) {
      isolation::withdrawAll(ruled, target, ending);
      unanswering.insert(backend_api::toAttribute(ruled.getContext(), target));
    }
    return measurer.get();
  };
  auto found = findAndSet(module, make,
                          {.previous = std::move(previous),
                           .objective = options.search.objective == PlacementObjective::kMemory
                                            ? placement::Objective::kMemory
                                            : placement::Objective::kLatency,
                           .latencyBound = options.search.latencyBound,
                           .numRandomPlans = options.search.numRandomPlans,
                           .progress = progress,
                           .isStopped = limited.search.isStopped,
                           .isCancelled = options.search.isStopped});
  if (!found && !unrunnable && !measurer) return found;  // Nothing could be measured at all.
  if (!found) {  // Whoever compiles the greedy plan says which operator it is about.
    TESSERA_TRY(placement::FoundPlan greedy, describeGreedy(module));
    greedy.isStopped = true;
    greedy.searchFailure =
        unrunnable ? "the reference does not run it on random inputs: " + unrunnable->message
                   : found.error().message;
    return greedy;
  }
  if (measurer) found->storeFailure = measurer->storeFailure();
  const auto asksThem = [&](const placement::Contestant& plan) {
    return !plan.tiles || llvm::any_of(*plan.tiles, [&](const placement::PlannedTile& each) {
      return unanswering.contains(each.tile.target);
    });
  };
  if (!unanswering.empty() && asksThem(found->contestants.front())) {
    // Who follows the plan asks those that it names: it names who got something.
    found->contestants.front().tiles = wholeOf(module, found->parts);
    setPlan(module, found->contestants.front());
  }
  return found;
}

Result<std::pair<size_t, size_t>> applyPartialPlan(mlir::ModuleOp module, const std::string& text) {
  const auto owners = partition::OwnerIndex::of(module);
  if (mlir::failed(owners)) return targetFailed("the module names targets that are not there");
  const placement::OperatorGraph graph(ir::entryFunction(module));
  TESSERA_TRY(const auto plan, placement::fitPlan(graph, *owners, text, place));
  if (!plan) return std::pair<size_t, size_t>(0, graph.size());
  module->setAttr(placement::kPlanAttribute,
                  placement::toAttribute(module.getContext(), plan->tiles));
  return std::pair<size_t, size_t>(plan->numPlannedOperators, graph.size());
}

Result<std::string> whatRulesChange(mlir::ModuleOp module) {
  const mlir::Attribute plan = module->getAttr(placement::kPlanAttribute);
  if (!plan || !module->hasAttr(partition::kPinsAttribute)) return std::string();
  TESSERA_TRY(const std::vector<placement::Tile> tiles, placement::tilesOf(plan));
  TESSERA_TRY(const mlir::OwningOpRef<mlir::ModuleOp> ruled, withRules(module));
  const placement::OperatorGraph graph(ir::entryFunction(*ruled));
  size_t count = 0;
  std::string rule;
  for (const placement::Tile& tile : tiles) {
    for (const uint32_t node : tile.nodes) {
      const auto why = partition::whyWithdrawn(graph.operation(node), tile.target);
      if (why && ++count == 1) rule = *why;
    }
  }
  if (count == 0) return std::string();
  return "rules about placing keep " + std::to_string(count) +
         " of the plan's operators from its targets: " + rule;
}

Result<placement::FoundPlan> describeGreedy(mlir::ModuleOp module) {
  return placement::describeGreedy(module, place);
}

}  // namespace tessera::driver
