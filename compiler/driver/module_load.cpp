// Loading: a context with all dialects, the module, its owners.
#include <chrono>
#include <filesystem>

#include "compiler/backend_registry/registry.h"
#include "compiler/driver/diagnostics.h"
#include "compiler/driver/module_state.h"
#include "compiler/driver/pipeline.h"
#include "compiler/ir/module_io.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/import/import.h"

namespace tessera {

using target::Phase;

Module::Module(std::unique_ptr<State> state) : state_(std::move(state)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

static std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registry.insert<ir::TsrDialect, mlir::func::FuncDialect>();
  for (const backend_api::Backend* backend : backend_registry::allBackends())
    backend->registerDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry);
  context->loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  context->printOpOnDiagnostic(false);  // An error is one sentence that names the ONNX node.
  return context;
}

static driver::PassDoorOptions doorOptions(const CompileOptions& options) {
  return {.disabledPasses = {options.disabledPasses.begin(), options.disabledPasses.end()},
          .printAfter = {options.printAfter.begin(), options.printAfter.end()},
          .print = options.print};
}

static onnx::ImportOptions importOptions(const CompileOptions& options) {
  onnx::ImportOptions result;
  for (const auto& [input, shape] : options.shapes)
    result.shapes.push_back({.input = input, .shape = shape});
  for (const auto& [symbol, size] : options.dims)
    result.dims.push_back({.symbol = symbol, .size = size});
  return result;
}

/// The owners that the module names; nothing when it names none.
static Result<backend_api::Owners> ownersOf(mlir::ModuleOp module) {
  backend_api::Owners owners;
  const auto targets = module->getAttrOfType<mlir::ArrayAttr>(driver::kTargetsAttribute);
  if (!targets) return owners;
  for (const mlir::Attribute attribute : targets) {
    const auto target = llvm::dyn_cast<ir::TargetAttr>(attribute);
    const backend_api::Backend* backend =
        target ? backend_registry::findBackend(std::string_view(target.getKind())) : nullptr;
    if (!backend) {
      return invalidInput("the module is compiled for target '" +
                          (target ? target.getKind().str() : "?") +
                          "', which this compiler does not have");
    }
    owners.push_back({.target = backend_api::fromAttribute(target), .backend = backend});
  }
  return owners;
}

/// Settles the owners and writes them, with what else later phases need, into the module.
static Status settleOwners(mlir::ModuleOp module, const CompileOptions& options,
                           backend_api::Owners& owners) {
  TESSERA_TRY(owners, ownersOf(module));
  if (owners.empty() || !options.targets.empty()) {
    TESSERA_TRY(backend_api::Owners wanted, backend_registry::parseOwners(options.targets));
    const bool isPlaced = driver::phaseOf(module) >= Phase::kPartition;
    const auto sameTarget = [](const backend_api::Owner& a, const backend_api::Owner& b) {
      return a.target == b.target;
    };
    if (isPlaced && !std::ranges::equal(owners, wanted, sameTarget))
      return usageError("the module is already partitioned for other targets than those asked for");
    owners = std::move(wanted);
  }
  mlir::Builder builder(module.getContext());
  llvm::SmallVector<mlir::Attribute> attributes;
  for (const backend_api::Owner& owner : owners)
    attributes.push_back(backend_api::toAttribute(module.getContext(), owner.target));
  module->setAttr(driver::kTargetsAttribute, builder.getArrayAttr(attributes));
  if (!module->hasAttr(driver::kPlacementAttribute))
    module->setAttr(driver::kPlacementAttribute, builder.getStringAttr(options.placement));
  if (!module->hasAttr(driver::kThreadsAttribute) || options.threads != 0)
    module->setAttr(driver::kThreadsAttribute, builder.getI64IntegerAttr(options.threads));
  return {};
}

static Result<mlir::OwningOpRef<mlir::ModuleOp>> readModule(mlir::MLIRContext& context,
                                                            const std::string& path,
                                                            const CompileOptions& options) {
  const std::filesystem::path file(path);
  if (file.extension() != ".onnx") {
    if (!options.shapes.empty() || !options.dims.empty())
      return usageError("shapes and dimensions are bound when an .onnx file is imported; '" + path +
                        "' is a saved module");
    return ir::loadModule(context, path);
  }
  TESSERA_TRY(auto module, onnx::importOnnxFile(context, path, importOptions(options)));
  module->setSymName(file.stem().string());
  driver::setPhase(*module, Phase::kImport);
  return module;
}

Result<Module> Module::load(const std::string& path, const CompileOptions& options) {
  if (options.placement != "greedy")
    return usageError("unknown placement '" + options.placement + "', expected greedy");
  auto state = std::make_unique<State>();
  state->context = makeContext();
  state->options = options;
  state->file = path;
  state->door = std::make_unique<driver::PassDoor>(*state->context, doorOptions(options));
  const auto start = std::chrono::steady_clock::now();
  auto module = readModule(*state->context, path, options);
  if (!module) return state->atFile(std::move(module).error());
  state->module = std::move(module).value();
  state->door->addTiming(
      Phase::kImport, "import",
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (auto status = settleOwners(*state->module, options, state->owners); !status)
    return state->atFile(status.error());
  TESSERA_TRY_VOID(driver::checkPassNames(*state->context, doorOptions(options), state->owners));
  return Module(std::move(state));
}

Result<Module> Module::loadOnnx(std::span<const std::byte> bytes, const CompileOptions& options) {
  auto state = std::make_unique<State>();
  state->context = makeContext();
  state->options = options;
  state->door = std::make_unique<driver::PassDoor>(*state->context, doorOptions(options));
  TESSERA_TRY(state->module,
              onnx::importOnnxBytes(*state->context, bytes, nullptr, importOptions(options)));
  driver::setPhase(*state->module, Phase::kImport);
  TESSERA_TRY_VOID(settleOwners(*state->module, options, state->owners));
  TESSERA_TRY_VOID(driver::checkPassNames(*state->context, doorOptions(options), state->owners));
  return Module(std::move(state));
}

}  // namespace tessera
