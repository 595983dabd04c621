#include "compiler/isolation/isolated_backend.h"

#include "compiler/isolation/emission_message.h"
#include "compiler/isolation/rehearse.h"
#include "compiler/isolation/run_remotely.h"

namespace tessera::isolation {

using namespace mlir;
using target::Target;

namespace {

class IsolatedBackend final : public backend_api::Backend {
 public:
  explicit IsolatedBackend(std::unique_ptr<backend_api::Backend> backend)
      : backend_(std::move(backend)) {}

  const target::TargetKind& kind() const override { return backend_->kind(); }
  std::string version() const override { return backend_->version(); }
  std::vector<std::string> usedFiles(const Target& target) const override {
    return backend_->usedFiles(target);
  }
  void registerDialects(DialectRegistry& registry) const override {
    backend_->registerDialects(registry);
  }
  void registerPasses() const override { backend_->registerPasses(); }
  Result<Target> resolve(const Target& target) const override { return backend_->resolve(target); }
  backend_api::Support supports(Operation* op, const Target& target) const override {
    return backend_->supports(op, target);
  }
  std::vector<backend_api::Support> query(ArrayRef<Operation*> ops,
                                          const Target& target) const override {
    return backend_->query(ops, target);
  }
  backend_api::Support supportsRegion(func::FuncOp region, const Target& target) const override {
    return backend_->supportsRegion(region, target);
  }
  Result<SmallVector<Type>> inferTypes(ir::CustomOp op) const override {
    return backend_->inferTypes(op);
  }
  backend_api::PatternTable patterns(const Target& target) const override {
    return backend_->patterns(target);
  }
  std::vector<std::string> needs(const Target& target) const override {
    return backend_->needs(target);
  }
  std::vector<std::string> operators() const override { return backend_->operators(); }
  std::vector<std::string> memorySpaces() const override { return backend_->memorySpaces(); }
  backend_api::RegionRules regionRules(const Target& target) const override {
    return backend_->regionRules(target);
  }
  void addRegionPasses(OpPassManager& manager, const Target& target) const override {
    backend_->addRegionPasses(manager, target);
  }
  bool mayShareRegion(Operation* first, Operation* second) const override {
    return backend_->mayShareRegion(first, second);
  }
  std::vector<backend_api::LayoutChoice> chooseLayouts(Operation* op,
                                                       ArrayRef<RankedTensorType> available,
                                                       const Target& target) const override {
    return backend_->chooseLayouts(op, available, target);
  }
  std::optional<double> leastSeconds(func::FuncOp region, const Target& target) const override {
    return backend_->leastSeconds(region, target);
  }
  std::optional<backend_api::Schedules> schedules(func::FuncOp region,
                                                  const target::Target& target) const override {
    return backend_->schedules(region, target);
  }
  bool canReuseOperand(func::FuncOp region, unsigned index) const override {
    return backend_->canReuseOperand(region, index);
  }
  std::vector<std::string> skippedPasses(const Target& target) const override {
    return backend_->skippedPasses(target);
  }
  std::optional<backend_api::UpdatedConstant> updateConstant(func::FuncOp region, unsigned index,
                                                             RankedTensorType type,
                                                             std::span<const std::byte> bytes,
                                                             const Target& target) const override {
    return backend_->updateConstant(region, index, type, bytes, target);
  }

  void addPasses(target::Phase phase, target::HookPoint point, OpPassManager& manager,
                 const Target& target) const override {
    if (phase == target::Phase::kPartition && point == target::HookPoint::kBefore)
      manager.addPass(createRehearsePass(remote_, target));
    OpPassManager own(ModuleOp::getOperationName());
    backend_->addPasses(phase, point, own, target);
    if (!own.empty()) manager.addPass(createRunRemotelyPass(remote_, target, phase, point));
  }

  Result<backend_api::Emission> emit(ModuleOp module, ArrayRef<func::FuncOp> regions,
                                     const Target& target,
                                     const backend_api::EmitContext& context) const override {
    const OwningOpRef<ModuleOp> own = onlyOwn(module, target);
    nlohmann::json names = nlohmann::json::array();
    for (func::FuncOp region : regions) names.push_back(region.getSymName().str());
    TESSERA_TRY(worker::Message answer, remote_.ask({{"call", "emit"},
                                                     {"target", target.toString()},
                                                     {"regions", std::move(names)},
                                                     {"threads", uint64_t{context.numThreads}}},
                                                    *own, context.progress));
    if (answer.header.contains("failed"))
      return targetFailed(worker::textOf(answer.header, "failed"));
    return emissionOf(std::move(answer));
  }

 private:
  /// A module of what the target owns: all that its emission may look at.
  static OwningOpRef<ModuleOp> onlyOwn(ModuleOp module, const Target& target) {
    OwningOpRef<ModuleOp> own = ModuleOp::create(module.getLoc());
    (*own)->setAttrs(module->getAttrDictionary());
    OpBuilder builder = OpBuilder::atBlockEnd(own->getBody());
    const ir::TargetAttr owner = backend_api::toAttribute(module.getContext(), target);
    for (Operation& op : *module.getBody()) {
      if (backend_api::belongsTo(op, owner)) builder.clone(op);
    }
    return own;
  }

  std::unique_ptr<backend_api::Backend> backend_;
  mutable Remote remote_;
};

}  // namespace

std::unique_ptr<backend_api::Backend> isolate(std::unique_ptr<backend_api::Backend> backend) {
  return std::make_unique<IsolatedBackend>(std::move(backend));
}

}  // namespace tessera::isolation
