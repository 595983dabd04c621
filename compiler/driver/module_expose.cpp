// What the regions of a module compute, as outputs of the module.
#include "compiler/driver/module_state.h"
#include "compiler/driver/region_outputs.h"
#include "compiler/partition/passes.h"

namespace tessera {

using target::Phase;

Result<std::vector<RegionOutput>> Module::exposeRegions() {
  TESSERA_TRY_VOID(runTo(Phase::kPostPartition));
  const Status status = state_->door->run(
      state_->module(), Phase::kPostPartition,
      [](mlir::OpPassManager& manager) { manager.addPass(partition::createExposeRegionsPass()); });
  if (!status) return state_->atFile(status.error());
  return driver::regionOutputs(state_->module());
}

}  // namespace tessera
