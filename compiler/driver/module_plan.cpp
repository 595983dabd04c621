// Plans of a module: read from a file, or found by measuring.
#include "base/mapped_file.h"
#include "compiler/costs/machine.h"
#include "compiler/costs/store.h"
#include "compiler/driver/measured_placement.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/placement/cost_table.h"
#include "compiler/placement/plan_attribute.h"
#include "compiler/placement/plan_file.h"

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

/// Errors name the plan's file instead of the model's.
static Status applyPlanFile(mlir::ModuleOp module, const std::string& path) {
  TESSERA_TRY(const std::string text, readPlanFile(path));
  const auto owners = partition::OwnerIndex::of(module);
  if (mlir::failed(owners)) return targetFailed("the module names targets that are not there");
  const placement::OperatorGraph graph(ir::entryFunction(module));
  auto tiles = placement::readPlan(graph, *owners, text);
  if (!tiles) {
    Error error = tiles.error();
    error.file = path;
    return error;
  }
  if (*tiles)
    module->setAttr(placement::kPlanAttribute,
                    placement::toAttribute(module.getContext(), **tiles));
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

Status Module::State::findPlan() {
  const auto progress = [&](const placement::Progress& at) {
    if (options.progress) options.progress(at.what, at.done, at.total);
  };
  const bool isMocked = options.costs.starts_with(kMockCosts);
  placement::FoundPlan found;
  if (isMocked) {
    TESSERA_TRY(found, planByTable(module(), options.costs.substr(kMockCosts.size()), progress));
  } else {
    TESSERA_TRY(
        const std::unique_ptr<costs::Store> store,
        costs::openSqliteStore(options.costs.empty() ? costs::defaultStorePath() : options.costs));
    driver::MeasuringOptions measuring{.threads = options.threads, .store = store.get()};
    for (const backend_registry::Plugin& plugin : session->state_->plugins)
      measuring.plugins.push_back(plugin.file);
    TESSERA_TRY(found, driver::placeMeasured(module(), measuring, progress));
  }
  const placement::OperatorGraph graph(ir::entryFunction(module()));
  const auto owners = partition::OwnerIndex::of(module());
  if (mlir::succeeded(owners))
    plan = placement::toJson(graph, *owners, found,
                             isMocked ? "mock" : costs::thisMachine().fingerprint());
  return {};
}

Status Module::State::settlePlan() {
  return options.plan.empty() ? findPlan() : applyPlanFile(module(), options.plan);
}

Result<std::string> Module::plan() const {
  if (state_->plan.empty()) return usageError("no plan was found for this module by measuring");
  return state_->plan;
}

}  // namespace tessera
