// Common passes on regions, of which targets may leave some out for their own.
#include "compiler/backend_api/registry.h"
#include "compiler/driver/passes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tessera::driver {

using namespace mlir;

#define GEN_PASS_DEF_CLEANREGIONSPASS
#include "compiler/driver/passes.h.inc"

namespace {

struct CleanRegions : impl::CleanRegionsPassBase<CleanRegions> {
  void runOnOperation() override {
    const auto owners = backend_api::ownersOrEmitError(getOperation());
    if (failed(owners)) return signalPassFailure();
    for (auto region : getOperation().getOps<func::FuncOp>()) {
      const backend_api::Owner* owner =
          backend_api::findOwner(*owners, backend_api::ownerOf(region));
      if (!owner || region.isExternal()) continue;
      OpPassManager pipeline(func::FuncOp::getOperationName());
      addPasses(pipeline, owner->backend->skippedPasses(owner->target));
      if (!pipeline.empty() && failed(runPipeline(pipeline, region))) return signalPassFailure();
    }
  }

  static void addPasses(OpPassManager& pipeline, ArrayRef<std::string> skipped) {
    std::unique_ptr<Pass> passes[] = {createCanonicalizerPass(), createCSEPass()};
    for (std::unique_ptr<Pass>& pass : passes) {
      if (!llvm::is_contained(skipped, pass->getArgument().str()))
        pipeline.addPass(std::move(pass));
    }
  }
};

}  // namespace

}  // namespace tessera::driver
