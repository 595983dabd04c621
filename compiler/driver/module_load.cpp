// Loading: a context with all dialects, the module, its owners.
#include <filesystem>

#include "compiler/backend_registry/registry.h"
#include "compiler/driver/added_passes.h"
#include "compiler/driver/context.h"
#include "compiler/driver/module_state.h"
#include "compiler/driver/pins_file.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/pins.h"
#include "compiler/placement/saved_plans/plan_file.h"
#include "frontends/onnx/import/import.h"

namespace tessera {

using target::Phase;

Module::Module(std::unique_ptr<State> state) : state_(std::move(state)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

static driver::PassDoorOptions doorOptions(const CompileOptions& options) {
  return {.disabledPasses = {options.disabledPasses.begin(), options.disabledPasses.end()},
          .printAfter = {options.printAfter.begin(), options.printAfter.end()},
          .print = options.print,
          .addedPasses = options.addedPasses};
}

static onnx::ImportOptions importOptions(const CompileOptions& options) {
  onnx::ImportOptions result;
  for (const auto& [input, shape] : options.shapes)
    result.shapes.push_back({.input = input, .shape = shape});
  for (const auto& [symbol, size] : options.dims)
    result.dims.push_back({.symbol = symbol, .size = size});
  return result;
}

Module::State::State(const CompileOptions& options, std::string file)
    : session(options.session ? options.session : std::make_shared<Session>()),
      context(driver::makeContext(registry())),
      door(std::make_unique<driver::PassDoor>(*context, doorOptions(options))),
      options(options),
      file(std::move(file)) {
  backend_api::attachCodeCache(*context, &session->state_->cache);
}

static Status settlePins(mlir::ModuleOp module, const CompileOptions& options) {
  if (options.pins.empty()) return {};
  if (driver::phaseOf(module) >= Phase::kPartition)
    return usageError("the module is already partitioned: rules about placing come too late");
  TESSERA_TRY(const mlir::ArrayAttr pins, driver::readPins(module.getContext(), options.pins));
  module->setAttr(partition::kPinsAttribute, pins);
  return {};
}

/// Every backend but those that are for tests.
static std::string allTargets(const backend_api::BackendRegistry& registry) {
  std::string targets;
  for (const backend_api::Backend* backend : registry.backends()) {
    const target::TargetKind& kind = backend->kind();
    if (!kind.isTest && !kind.isHost) targets += (targets.empty() ? "" : ",") + kind.name;
  }
  return targets;
}

Status settleTargets(mlir::ModuleOp module, const backend_api::BackendRegistry& registry,
                     const CompileOptions& options) {
  TESSERA_TRY(backend_api::Owners owners, backend_api::ownersOf(module));
  // What evaluates modules owns nothing in them.
  std::string targets = isInterpretedTarget(options.targets) ? "" : options.targets;
  if (targets.empty() && !options.plan.empty()) {
    TESSERA_TRY(const std::string plan, readPlanFile(options.plan));
    Result<std::string> named = placement::targetsOfPlan(plan);
    if (!named) {
      Error error = named.error();
      error.file = options.plan;
      return error;
    }
    targets = std::move(*named);
  }
  if (owners.empty() && targets.empty() && options.placement == kMeasuredPlacement)
    targets = allTargets(registry);
  if (owners.empty() || !targets.empty()) {
    TESSERA_TRY(backend_api::Owners wanted,
                backend_registry::parseOwners(
                    registry, targets, options.search.objective == PlacementObjective::kMemory));
    const bool isPlaced = driver::phaseOf(module) >= Phase::kPartition;
    const auto sameTarget = [](const backend_api::Owner& a, const backend_api::Owner& b) {
      return a.target == b.target;
    };
    if (isPlaced && !std::ranges::equal(owners, wanted, sameTarget))
      return usageError("the module is already partitioned for other targets than those asked for");
    owners = std::move(wanted);
  }
  backend_api::setTargets(module, owners);
  TESSERA_TRY_VOID(settlePins(module, options));
  mlir::Builder builder(module.getContext());
  if (!module->hasAttr(ir::kPlacementAttribute))
    module->setAttr(ir::kPlacementAttribute, builder.getStringAttr(options.placement));
  if (options.hasFallback && !module->hasAttr(ir::kWithFallbackAttribute)) {
    if (driver::phaseOf(module) >= Phase::kPostPartition)
      return usageError("the module is past phase post_partition, in which fallbacks are made");
    module->setAttr(ir::kWithFallbackAttribute, builder.getUnitAttr());
  }
  if (!module->hasAttr(ir::kThreadsAttribute) || options.threads != 0)
    module->setAttr(ir::kThreadsAttribute, builder.getI64IntegerAttr(options.threads));
  TESSERA_TRY_VOID(driver::loadPassPlugins(options.passPlugins));
  return driver::checkPassNames(registry, doorOptions(options));
}

/// Asks the owners, most preferred first, about operators that the dialect does not know.
static onnx::TypeInference typeInference(const backend_api::Owners& owners) {
  return [&owners](ir::CustomOp op) -> Result<llvm::SmallVector<mlir::Type>> {
    std::optional<Error> failure;
    for (const backend_api::Owner& owner : owners) {
      auto types = owner.backend->inferTypes(op);
      if (types && !types->empty()) return types;
      if (!types && !failure)
        failure =
            targetFailed("target '" + owner.target.kind + "' was asked: " + types.error().message);
    }
    if (failure) return std::move(*failure);
    return llvm::SmallVector<mlir::Type>();
  };
}

Status Module::State::import(driver::ImportRequest request) {
  phases.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
  std::optional<Error> failure;
  request.failure = &failure;
  // Targets' passes of this phase are those of the targets asked for.
  TESSERA_TRY_VOID(settleTargets(module(), registry(), options));
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module()));
  request.options.inferTypes = typeInference(owners);
  const driver::PhaseServices services{
      .import = std::move(request), .findSchedule = {}, .emit = {}};
  if (auto status = driver::runPhase(module(), Phase::kImport, services, *door); !status)
    return failure ? std::move(*failure) : status.error();
  return {};
}

static bool isPlacement(llvm::StringRef name) {
  return name == "greedy" || name == kMeasuredPlacement;
}

/// What a saved module says of itself may have been edited.
static Status checkAttributes(mlir::ModuleOp module) {
  if (const mlir::Attribute phase = module->getAttr(ir::kPhaseAttribute)) {
    const auto name = mlir::dyn_cast<mlir::StringAttr>(phase);
    if (!name || !target::parsePhase(std::string_view(name.getValue())))
      return invalidInput(ir::kPhaseAttribute.str() + " is no name of a phase");
  }
  if (const mlir::Attribute threads = module->getAttr(ir::kThreadsAttribute)) {
    const auto count = mlir::dyn_cast<mlir::IntegerAttr>(threads);
    if (!count || !count.getType().isInteger(64) || !llvm::isUInt<31>(count.getInt()))
      return invalidInput(ir::kThreadsAttribute.str() + " is no number of threads");
  }
  if (const mlir::Attribute placement = module->getAttr(ir::kPlacementAttribute)) {
    const auto name = mlir::dyn_cast<mlir::StringAttr>(placement);
    if (!name || !isPlacement(name.getValue()))
      return invalidInput(ir::kPlacementAttribute.str() +
                          " is no placement, expected greedy or measured");
  }
  return {};
}

/// Passes look into functions: each is one block, but for regions that are code when phase emit is
/// over.
static Status checkBodies(mlir::ModuleOp module) {
  const bool isEmitted = driver::phaseOf(module) >= Phase::kEmit;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    const size_t blocks = function.getBody().getBlocks().size();
    const bool isCode = isEmitted && function->hasAttr(codegen::kImplementations);
    if (blocks == 1 || (blocks == 0 && isCode)) continue;
    return invalidInput(
        "function '" + function.getName().str() + "' " +
        (blocks == 0 ? "has no body" : "has " + std::to_string(blocks) + " blocks") +
        ", expected one block");
  }
  return {};
}

/// Regions belong to targets of the module.
static Status checkOwners(mlir::ModuleOp module) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    const mlir::Attribute owner = function->getAttr(backend_api::kTargetAttribute);
    if (!owner) continue;
    const auto target = mlir::dyn_cast<ir::TargetAttr>(owner);
    const std::string of = "function '" + function.getName().str() + "' ";
    if (!target) return invalidInput(of + "belongs to something that is no target");
    if (!backend_api::findOwner(owners, target))
      return invalidInput(of + "belongs to target '" +
                          backend_api::fromAttribute(target).toString() +
                          "', which is none of the module's");
  }
  return {};
}

Status Module::State::read() {
  if (!options.shapes.empty() || !options.dims.empty())
    return usageError("shapes and dimensions are bound when an .onnx file is imported; '" + file +
                      "' is a saved module");
  TESSERA_TRY(phases.module, ir::loadModule(*context, file));
  TESSERA_TRY_VOID(checkAttributes(module()));
  TESSERA_TRY_VOID(checkBodies(module()));
  TESSERA_TRY_VOID(checkOwners(module()));
  return settleTargets(module(), registry(), options);
}

static Status checkPlacement(const std::string& placement) {
  if (isPlacement(placement)) return {};
  return usageError("unknown placement '" + placement + "', expected greedy or measured");
}

Status Module::State::checkIsolation() const {
  if (!session->state_->isIsolated || options.disabledPasses.empty()) return {};
  return usageError("pass '" + options.disabledPasses.front() +
                    "' cannot be left out where targets compile in processes of their own");
}

Result<Module> Module::load(const std::string& path, const CompileOptions& options) {
  TESSERA_TRY_VOID(checkPlacement(options.placement));
  auto state = std::make_unique<State>(options, path);
  TESSERA_TRY_VOID(state->checkIsolation());
  const bool isOnnx = std::filesystem::path(path).extension() == ".onnx";
  const Status status =
      isOnnx ? state->import({.file = path, .bytes = {}, .options = importOptions(options)})
             : state->read();
  if (!status) return state->atFile(status.error());
  return Module(std::move(state));
}

Result<Module> Module::loadOnnx(std::span<const std::byte> bytes, const CompileOptions& options) {
  TESSERA_TRY_VOID(checkPlacement(options.placement));
  auto state = std::make_unique<State>(options, "");
  TESSERA_TRY_VOID(state->checkIsolation());
  TESSERA_TRY_VOID(state->import({.file = "", .bytes = bytes, .options = importOptions(options)}));
  return Module(std::move(state));
}

}  // namespace tessera
