// The context holds the registry as an interface of the dialect tsr, MLIR's way to attach services.
#include "compiler/backend_api/registry.h"

#include "compiler/ir/module_attributes.h"
#include "compiler/support/check.h"
#include "mlir/IR/DialectInterface.h"

namespace tessera::backend_api {

namespace {

struct RegistryInterface : mlir::DialectInterface::Base<RegistryInterface> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RegistryInterface)

  explicit RegistryInterface(mlir::Dialect* dialect) : Base(dialect) {}

  const BackendRegistry* registry = nullptr;
};

}  // namespace

const Backend& BackendRegistry::add(std::unique_ptr<Backend> backend) {
  TESSERA_CHECK(!find(backend->kind().name), "two backends of one kind");
  TESSERA_CHECK(target::whyMalformed(backend->kind()).empty(), "a target kind that cannot be");
  return *backends_.emplace_back(std::move(backend));
}

const Backend* BackendRegistry::find(std::string_view kind) const {
  for (const auto& backend : backends_) {
    if (backend->kind().name == kind) return backend.get();
  }
  return nullptr;
}

std::vector<const Backend*> BackendRegistry::backends() const {
  std::vector<const Backend*> backends;
  for (const auto& backend : backends_) backends.push_back(backend.get());
  return backends;
}

void attachRegistry(mlir::MLIRContext& context, const BackendRegistry& registry) {
  auto* dialect = context.getOrLoadDialect<ir::TsrDialect>();
  auto* interface = dialect->getRegisteredInterface<RegistryInterface>();
  if (!interface) interface = &dialect->addInterface<RegistryInterface>();
  interface->registry = &registry;
}

const BackendRegistry* registryOf(mlir::MLIRContext& context) {
  auto* dialect = context.getLoadedDialect<ir::TsrDialect>();
  auto* interface = dialect ? dialect->getRegisteredInterface<RegistryInterface>() : nullptr;
  return interface ? interface->registry : nullptr;
}

Result<Owners> ownersOf(mlir::ModuleOp module) {
  const BackendRegistry* registry = registryOf(*module.getContext());
  if (!registry) return invalidInput("the module's context knows no backends");
  const auto targets = module->getAttrOfType<mlir::ArrayAttr>(ir::kTargetsAttribute);
  if (!targets) return registry->defaultOwners();
  Owners owners;
  for (const mlir::Attribute attribute : targets) {
    const auto target = llvm::dyn_cast<ir::TargetAttr>(attribute);
    const Backend* backend = target ? registry->find(std::string_view(target.getKind())) : nullptr;
    if (!backend) {
      return invalidInput("the module is compiled for target '" +
                          (target ? target.getKind().str() : "?") +
                          "', which this compiler does not have");
    }
    owners.push_back({.target = fromAttribute(target), .backend = backend});
  }
  return owners;
}

void setTargets(mlir::ModuleOp module, const Owners& owners) {
  llvm::SmallVector<mlir::Attribute> targets;
  for (const Owner& owner : owners)
    targets.push_back(toAttribute(module.getContext(), owner.target));
  module->setAttr(ir::kTargetsAttribute, mlir::ArrayAttr::get(module.getContext(), targets));
}

}  // namespace tessera::backend_api
