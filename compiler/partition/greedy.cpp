// The order of phase `partition`.
#include "compiler/partition/passes.h"

namespace tessera::partition {

void buildGreedyPartition(mlir::OpPassManager& manager,
                          const std::function<void(mlir::OpPassManager&)>& foldConstants) {
  manager.addPass(createExpandCompositesPass());
  manager.addPass(createAnnotateTargetsPass());
  manager.addPass(createMergeRegionsPass());
  manager.addPass(createOutlineRegionsPass());
  manager.addPass(createCheckRegionsPass());  // Before their layouts are asked for.
  manager.addPass(createAssignLayoutsPass());
  foldConstants(manager);  // Weights take their layout now, once.
  manager.addPass(createFuseRegionsPass());
  manager.addPass(createCheckRegionsPass());
  manager.addPass(createMergeEqualRegionsPass());
}

}  // namespace tessera::partition
