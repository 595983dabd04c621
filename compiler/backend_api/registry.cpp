// The context holds the registry as an interface of the dialect tsr, MLIR's way to attach services.
#include "compiler/backend_api/registry.h"

#include "compiler/ir/module_attributes.h"
#include "mlir/IR/DialectInterface.h"

namespace tessera::backend_api {

namespace {

struct RegistryInterface : mlir::DialectInterface::Base<RegistryInterface> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RegistryInterface)

  explicit RegistryInterface(mlir::Dialect* dialect) : Base(dialect) {}

  const BackendRegistry* registry = nullptr;
  CodeCache* cache = nullptr;
};

}  // namespace

Result<const Backend*> BackendRegistry::add(std::unique_ptr<Backend> backend) {
  const target::TargetKind& kind = backend->kind();
  if (std::string why = target::whyMalformed(kind); !why.empty())
    return targetFailed(std::move(why));
  if (find(kind.name)) return targetFailed("target kind '" + kind.name + "' has two backends");
  return backends_.emplace_back(std::move(backend)).get();
}

const Backend* BackendRegistry::find(std::string_view kind) const {
  for (const auto& backend : backends_) {
    if (backend->kind().name == kind) return backend.get();
  }
  return nullptr;
}

std::vector<const Backend*> BackendRegistry::backends() const {
  std::vector<const Backend*> backends;
  backends.reserve(backends_.size());
  for (const auto& backend : backends_) backends.push_back(backend.get());
  return backends;
}

const Owner* hostOf(const Owners& owners) {
  for (const Owner& owner : llvm::reverse(owners)) {
    if (owner.backend->kind().isHost) return &owner;
  }
  return nullptr;
}

static RegistryInterface& madeInterface(mlir::MLIRContext& context) {
  auto* dialect = context.getOrLoadDialect<ir::TsrDialect>();
  auto* interface = dialect->getRegisteredInterface<RegistryInterface>();
  return interface ? *interface : dialect->addInterface<RegistryInterface>();
}

static const RegistryInterface* foundInterface(mlir::MLIRContext& context) {
  auto* dialect = context.getLoadedDialect<ir::TsrDialect>();
  return dialect ? dialect->getRegisteredInterface<RegistryInterface>() : nullptr;
}

void attachRegistry(mlir::MLIRContext& context, const BackendRegistry& registry) {
  madeInterface(context).registry = &registry;
}

const BackendRegistry* registryOf(mlir::MLIRContext& context) {
  const RegistryInterface* interface = foundInterface(context);
  return interface ? interface->registry : nullptr;
}

void attachCodeCache(mlir::MLIRContext& context, CodeCache* cache) {
  madeInterface(context).cache = cache;
}

CodeCache* codeCacheOf(mlir::MLIRContext& context) {
  const RegistryInterface* interface = foundInterface(context);
  return interface ? interface->cache : nullptr;
}

void loadDialects(mlir::MLIRContext& context) {
  const BackendRegistry* registry = registryOf(context);
  if (registry == nullptr) return;
  mlir::DialectRegistry dialects;
  for (const Backend* backend : registry->backends()) backend->registerDialects(dialects);
  context.appendDialectRegistry(dialects);
  for (const llvm::StringRef name : dialects.getDialectNames()) context.getOrLoadDialect(name);
}

Result<Owners> ownersOf(mlir::ModuleOp module) {
  const BackendRegistry* registry = registryOf(*module.getContext());
  if (!registry) return invalidInput("the module's context knows no backends");
  const mlir::Attribute named = module->getAttr(ir::kTargetsAttribute);
  if (!named) return registry->defaultOwners();
  const auto targets = llvm::dyn_cast<mlir::ArrayAttr>(named);
  if (!targets) return invalidInput(ir::kTargetsAttribute.str() + " is no list of targets");
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
    const std::string reason = target::whyNoneOf(backend->kind(), owners.back().target);
    if (!reason.empty()) return invalidInput(ir::kTargetsAttribute.str() + ": " + reason);
  }
  return owners;
}

mlir::FailureOr<Owners> ownersOrEmitError(mlir::ModuleOp module) {
  auto owners = ownersOf(module);
  if (!owners) return module.emitError(owners.error().message);
  return std::move(*owners);
}

void setTargets(mlir::ModuleOp module, const Owners& owners) {
  llvm::SmallVector<mlir::Attribute> targets;
  for (const Owner& owner : owners)
    targets.push_back(toAttribute(module.getContext(), owner.target));
  module->setAttr(ir::kTargetsAttribute, mlir::ArrayAttr::get(module.getContext(), targets));
}

}  // namespace tessera::backend_api
