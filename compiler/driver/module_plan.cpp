// Plans of a module: read from a file, or found by measuring.
#include <filesystem>

#include "base/mapped_file.h"
#include "base/time_text.h"
#include "compiler/costs/machine.h"
#include "compiler/costs/store.h"
#include "compiler/driver/measured_placement.h"
#include "compiler/driver/measuring/verdict.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/placement/costing/cost_table.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/saved_plans/plan_file.h"

namespace tessera {

bool Module::State::needsPlan() const {
  if (driver::phaseOf(module()) >= Phase::kPartition) return false;
  if (module()->hasAttr(placement::kPlanAttribute)) return false;
  const auto placement = module()->getAttrOfType<mlir::StringAttr>(ir::kPlacementAttribute);
  return !options.plan.empty() || (placement && placement == kMeasuredPlacement);
}

Result<std::string> readPlanFile(const std::string& path) {
  TESSERA_TRY(const base::MappedFile file, base::MappedFile::open(path));
  return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
}

using Tiles = std::optional<std::vector<placement::Tile>>;

/// None: greedy placement won.
static Result<Tiles> tilesOf(mlir::ModuleOp module, const std::string& text) {
  const auto owners = partition::OwnerIndex::of(module);
  if (mlir::failed(owners)) return targetFailed("the module names targets that are not there");
  const placement::OperatorGraph graph(ir::entryFunction(module));
  return placement::readPlan(graph, *owners, text);
}

static Status applyPlan(mlir::ModuleOp module, const std::string& text) {
  TESSERA_TRY(const Tiles tiles, tilesOf(module, text));
  if (tiles)
    module->setAttr(placement::kPlanAttribute, placement::toAttribute(module.getContext(), *tiles));
  return {};
}

/// A note where the plan says less than all.
static Result<std::string> applyFittingPlan(mlir::ModuleOp module, const std::string& text) {
  const Status status = applyPlan(module, text);
  if (status) return std::string();
  TESSERA_TRY(const auto known, driver::applyPartialPlan(module, text));
  return "the plan knows " + std::to_string(known.first) + " of " + std::to_string(known.second) +
         " operators; greedy placement decides about the others";
}

/// Errors name the plan's file instead of the model's.
Status Module::State::applyPlanFile() {
  TESSERA_TRY(const std::string text, readPlanFile(options.plan));
  Result<std::string> note = std::string();
  if (options.isPlanPartial)
    note = applyFittingPlan(module(), text);
  else if (const Status status = applyPlan(module(), text); !status)
    note = status.error();
  if (!note) {
    Error error = note.error();
    error.file = options.plan;
    return error;
  }
  TESSERA_TRY(std::string ruled, driver::whatRulesChange(module()));
  for (std::string* each : {&*note, &ruled})
    if (!each->empty()) notes.push_back(std::move(*each));
  return {};
}

/// What stands before a file of costs of one's own, in place of a store's.
static constexpr std::string_view kMockCosts = "mock:";

static Result<placement::FoundPlan> planByTable(
    mlir::ModuleOp module, const std::string& path,
    const std::function<void(const placement::Progress&)>& progress) {
  TESSERA_TRY(const std::string text, readPlanFile(path));
  auto table = placement::CostTable::parse(text);
  if (!table) {
    Error error = table.error();
    error.file = path;
    return error;
  }
  placement::CostTableMeasurer measurer(std::move(*table));
  return driver::placeMeasured(module, measurer, progress);
}

static std::string planText(mlir::ModuleOp module, const placement::FoundPlan& found,
                            const std::string& machine) {
  const placement::OperatorGraph graph(ir::entryFunction(module));
  const auto owners = partition::OwnerIndex::of(module);
  return mlir::succeeded(owners) ? placement::toJson(graph, *owners, found, machine) : "";
}

/// What was decided before, or else what measuring says, which is kept; a note where it cannot be.
static Result<std::string> planByMeasuring(
    mlir::ModuleOp module, const driver::MeasuringOptions& options,
    const std::function<void(const placement::Progress&)>& progress,
    std::vector<std::string>& notes) {
  TESSERA_TRY(const driver::Verdict verdict, driver::Verdict::of(module, options));
  TESSERA_TRY(const std::optional<std::string> decided, verdict.find());
  const bool isAskedAgain = options.search.numRandomPlans > 0;
  if (decided && !isAskedAgain && applyPlan(module, *decided)) return *decided;
  TESSERA_TRY(const std::optional<std::string> last, verdict.findPrevious());
  const Result<Tiles> previous = last ? tilesOf(module, *last) : Result<Tiles>(Tiles());
  TESSERA_TRY(const placement::FoundPlan found,
              driver::placeMeasured(module, options, previous ? *previous : Tiles(), progress));
  if (!found.isMeasured)
    notes.push_back("nothing is measured: " + found.searchFailure + "; greedy placement decides");
  else if (!found.searchFailure.empty())
    notes.push_back("whole plans alone were measured: " + found.searchFailure);
  else if (found.isStopped)
    notes.push_back("measuring ended before its time: the best plan so far counts");
  std::string text = planText(module, found, costs::thisMachine().fingerprint());
  Status kept = found.isStopped ? Status() : verdict.keep(found, text);
  if (found.storeFailure) kept = *found.storeFailure;
  if (!kept && options.search.mustKeep) return kept.error();
  if (!kept) notes.push_back("what was measured is not kept: " + kept.error().toString());
  return text;
}

/// "measuring 34 of 51, best plan 3.210 ms, 12.000 s left"
static std::string describe(const placement::Progress& at) {
  std::string text = at.what;
  if (at.total > 0) text += " " + std::to_string(at.done) + " of " + std::to_string(at.total);
  if (at.bestSeconds > 0) text += ", best plan " + base::timeText(at.bestSeconds);
  if (at.secondsLeft > 0) text += ", " + base::timeText(at.secondsLeft) + " left";
  return text;
}

static std::string pathOfStore(const CompileOptions& options) {
  return options.costs.empty() ? costs::defaultStorePath() : options.costs;
}

/// Who names no store can do without: where the usual one cannot be made, nothing is kept, and a
/// note says so. One that is there and refused is an error all the same.
static Result<std::unique_ptr<costs::Store>> openStore(const CompileOptions& options,
                                                       std::vector<std::string>& notes) {
  const std::string path = pathOfStore(options);
  auto store = costs::openSqliteStore(path);
  std::error_code ignored;
  const bool isNeeded = !options.costs.empty() || options.search.mustKeep ||
                        std::filesystem::is_regular_file(path, ignored);
  if (store || isNeeded) return store;
  notes.push_back("what is measured is not kept: " + store.error().toString());
  return costs::openSqliteStore(costs::kStoreInMemory);
}

std::string Module::State::storePath() const { return pathOfStore(options); }

bool Module::State::hasCostsOfItsOwn() const { return options.costs.starts_with(kMockCosts); }

Status Module::State::findPlan() {
  const auto progress = [&](const placement::Progress& at) {
    if (options.progress) options.progress(describe(at), at.done, at.total);
  };
  if (const Status sizes = placement::checkSizes(module()); !sizes) {
    TESSERA_TRY(placement::FoundPlan greedy, driver::describeGreedy(module()));
    greedy.searchFailure = sizes.error().message;
    plan = planText(module(), greedy, "");
    notes.push_back(sizes.error().message + "; greedy placement decides");
    return {};
  }
  if (options.costs == kMockCosts) return usageError("--costs mock: lacks the name of a file");
  if (hasCostsOfItsOwn()) {
    if (options.search.objective == PlacementObjective::kMemory)
      return usageError("--costs mock: says what things cost in time; memory is measured");
    TESSERA_TRY(const placement::FoundPlan found,
                planByTable(module(), options.costs.substr(kMockCosts.size()), progress));
    plan = planText(module(), found, "mock");
    return {};
  }
  TESSERA_TRY(const std::unique_ptr<costs::Store> store, openStore(options, notes));
  const driver::MeasuringOptions measuring{.plugins = session->state_->plugins,
                                           .threads = options.threads,
                                           .store = store.get(),
                                           .code = &session->state_->cache,
                                           .isIsolated = session->state_->isIsolated,
                                           .search = options.search};
  TESSERA_TRY(plan, planByMeasuring(module(), measuring, progress, notes));
  return {};
}

Status Module::State::settlePlan() { return options.plan.empty() ? findPlan() : applyPlanFile(); }

std::vector<std::string> Module::notes() const { return state_->notes; }

Result<std::string> Module::plan() const {
  if (state_->plan.empty()) return usageError("no plan was found for this module by measuring");
  return state_->plan;
}

Result<std::string> Module::greedyPlan() {
  if (phase() > Phase::kPrePartition)
    return usageError("the module is already partitioned; who else would run what is asked before");
  TESSERA_TRY_VOID(runTo(Phase::kPrePartition));
  TESSERA_TRY(const placement::FoundPlan found, driver::describeGreedy(state_->module()));
  return planText(state_->module(), found, "");
}

}  // namespace tessera
