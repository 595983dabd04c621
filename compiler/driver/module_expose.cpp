// What the regions of a module compute, as outputs of the module.
#include "compiler/driver/module_state.h"
#include "compiler/driver/pipeline.h"
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"

namespace tessera {

using target::Phase;

static std::vector<std::string> operatorsOf(mlir::func::FuncOp region) {
  std::vector<std::string> names;
  for (mlir::Operation& op : region.getBody().front().without_terminator()) {
    if (llvm::isa<ir::ConstantOp>(op)) continue;
    auto composite = llvm::dyn_cast<ir::CompositeOp>(op);
    names.push_back((composite ? composite.getName() : op.getName().stripDialect()).str());
  }
  return names;
}

/// One entry for each result of each call of a region, in the order in which the pass appends them
/// to the results of the entry function.
static std::vector<RegionOutput> regionOutputs(mlir::ModuleOp module) {
  std::vector<RegionOutput> outputs;
  mlir::func::FuncOp entry = partition::entryFunction(module);
  if (!entry) return outputs;
  for (auto call : entry.getOps<mlir::func::CallOp>()) {
    auto region = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
    const ir::TargetAttr owner = backend_api::ownerOf(region);
    if (!owner) continue;
    const auto names = ir::sourceNames(call.getLoc());
    for (unsigned i = 0; i < call.getNumResults(); ++i) {
      outputs.push_back({.output = entry.getNumResults() + outputs.size(),
                         .owner = backend_api::fromAttribute(owner).toString(),
                         .ops = operatorsOf(region),
                         .sourceNodes = {names.begin(), names.end()}});
    }
  }
  return outputs;
}

Result<std::vector<RegionOutput>> Module::exposeRegions() {
  TESSERA_TRY_VOID(runTo(Phase::kPostPartition));
  std::vector<RegionOutput> outputs = regionOutputs(state_->module());
  const Status status = state_->door->run(
      state_->module(), Phase::kPostPartition,
      [](mlir::OpPassManager& manager) { manager.addPass(partition::createExposeRegionsPass()); });
  if (!status) return state_->atFile(status.error());
  return outputs;
}

}  // namespace tessera
