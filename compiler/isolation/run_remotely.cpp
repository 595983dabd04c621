#include "compiler/isolation/run_remotely.h"

#include "compiler/backend_api/backend.h"
#include "compiler/backend_api/registry.h"
#include "compiler/isolation/module_message.h"

namespace tessera::isolation {

using namespace mlir;

namespace {

class RunRemotely : public PassWrapper<RunRemotely, OperationPass<ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RunRemotely)

  RunRemotely(Remote& remote, target::Target target, target::Phase phase, target::HookPoint point)
      : remote_(remote), target_(std::move(target)), phase_(phase), point_(point) {}

  StringRef getName() const override { return "RunRemotely"; }
  StringRef getArgument() const override { return "tessera-run-remotely"; }
  StringRef getDescription() const override {
    return "run a target's passes in a process of their own";
  }

  /// What any backend could make is loaded before passes run.
  LogicalResult initialize(MLIRContext* context) override {
    backend_api::loadDialects(*context);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (isRefused(module)) return;
    auto answer = remote_.ask({{"call", "run_passes"},
                               {"target", target_.toString()},
                               {"phase", target::phaseName(phase_)},
                               {"is_before", point_ == target::HookPoint::kBefore}},
                              module);
    if (!answer) return refuse(module, answer.error().message);
    if (answer->header.contains("failed")) {
      module.emitError(worker::textOf(answer->header, "failed"));
      return signalPassFailure();
    }
    auto changed = moduleOf(getContext(), *answer);
    if (!changed) return refuse(module, "it answered with what is no module");
    module->setAttrs((**changed)->getAttrDictionary());
    module.getBodyRegion().takeBody((*changed)->getBodyRegion());
  }

 private:
  bool isRefused(ModuleOp module) {
    return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
      return function->hasAttr(backend_api::kRefusedAttribute);
    });
  }

  void refuse(ModuleOp module, const std::string& why) {
    const std::string reason = why + " in phase " + std::string(target::phaseName(phase_));
    const ir::TargetAttr target = backend_api::toAttribute(&getContext(), target_);
    bool isPlaced = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (backend_api::ownerOf(function) != target) continue;
      isPlaced = true;
      function->setAttr(backend_api::kRefusedAttribute, StringAttr::get(&getContext(), reason));
    }
    if (isPlaced) return;
    module.emitError("target '" + target_.toString() + "' fails: " + reason);
    signalPassFailure();
  }

  Remote& remote_;
  target::Target target_;
  target::Phase phase_;
  target::HookPoint point_;
};

}  // namespace

std::unique_ptr<Pass> createRunRemotelyPass(Remote& remote, const target::Target& target,
                                            target::Phase phase, target::HookPoint point) {
  return std::make_unique<RunRemotely>(remote, target, phase, point);
}

}  // namespace tessera::isolation
