#include "compiler/isolation/rehearse.h"

#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/pins.h"
#include "compiler/partition/refusals.h"

namespace tessera::isolation {

using namespace mlir;

namespace {

class Rehearse : public PassWrapper<Rehearse, OperationPass<ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Rehearse)

  Rehearse(Remote& remote, target::Target target) : remote_(remote), target_(std::move(target)) {}

  StringRef getName() const override { return "Rehearse"; }
  StringRef getArgument() const override { return "tessera-rehearse"; }
  StringRef getDescription() const override {
    return "place a module in a target's process, to see that it answers";
  }

  void runOnOperation() override {
    const auto answer =
        remote_.ask({{"call", "rehearse"}, {"target", target_.toString()}}, getOperation());
    if (!answer) withdrawAll(getOperation(), target_, answer.error().message);
  }

 private:
  Remote& remote_;
  target::Target target_;
};

}  // namespace

std::unique_ptr<Pass> createRehearsePass(Remote& remote, const target::Target& target) {
  return std::make_unique<Rehearse>(remote, target);
}

void withdrawAll(ModuleOp module, const target::Target& target, const std::string& ending) {
  const std::string reason = ending + " when it was asked about operators";
  const ir::TargetAttr attribute = backend_api::toAttribute(module.getContext(), target);
  partition::addExclusion(module,
                          {.regionClass = "", .target = attribute, .reason = reason, .node = ""});
  module.walk([&](Operation* op) {
    if (isa<ir::TsrOpInterface>(op)) partition::withdraw(op, attribute, reason);
  });
}

void rehearse(ModuleOp module, const backend_api::Owner& owner,
              const backend_api::BackendRegistry& registry) {
  backend_api::Owners owners = {owner};
  if (const auto all = module->getAttrOfType<ArrayAttr>(ir::kTargetsAttribute)) {
    for (const auto target : all.getAsRange<ir::TargetAttr>()) {
      const backend_api::Backend* backend = registry.find(target.getKind().str());
      const bool isHost = backend != nullptr && backend->kind().isHost;
      if (isHost && backend != owner.backend)
        owners.push_back({.target = backend_api::fromAttribute(target), .backend = backend});
    }
  }
  backend_api::setTargets(module, owners);
  module->removeAttr(partition::kPinsAttribute);  // Of targets that are not here.
  const ir::DiagnosticCapture ignored(module.getContext());
  (void)partition::placeUntilAccepted(module, [](ModuleOp attempt) -> Status {
    PassManager manager(attempt.getContext(), ModuleOp::getOperationName());
    partition::buildGreedyPartition(manager, [](OpPassManager&) {});
    if (mlir::failed(manager.run(attempt))) return targetFailed("it is not placed");
    return {};
  });
}

}  // namespace tessera::isolation
