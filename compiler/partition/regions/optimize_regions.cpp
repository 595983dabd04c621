// Owners' passes on their new regions.
#include "compiler/partition/exclusions.h"
#include "compiler/partition/owner_index.h"
#include "compiler/partition/passes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::partition {

#define GEN_PASS_DEF_OPTIMIZEREGIONSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

/// Drops what the body does not read, here and at all calls.
static void dropUnusedArguments(func::FuncOp region, ModuleOp module) {
  llvm::BitVector unused(region.getNumArguments());
  for (const BlockArgument argument : region.getArguments()) {
    if (argument.use_empty()) unused.set(argument.getArgNumber());
  }
  if (unused.none()) return;
  const auto uses = SymbolTable::getSymbolUses(region, module);
  for (const SymbolTable::SymbolUse& use : *uses) use.getUser()->eraseOperands(unused);
  region.eraseArguments(unused);
}

namespace {

struct OptimizeRegions : impl::OptimizeRegionsPassBase<OptimizeRegions> {
  LogicalResult initialize(MLIRContext* context) override {
    backend_api::loadDialects(*context);
    return success();
  }

  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    for (auto region : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      const backend_api::Owner* owner = owners->of(region);
      if (!owner || region.isExternal() || region->hasAttr(kRegionClass)) continue;
      OpPassManager pipeline(func::FuncOp::getOperationName());
      owner->backend->addRegionPasses(pipeline, owner->target);
      if (pipeline.empty()) continue;
      if (failed(runPipeline(pipeline, region))) return signalPassFailure();
      dropUnusedArguments(region, getOperation());
    }
  }
};

}  // namespace

}  // namespace tessera::partition
