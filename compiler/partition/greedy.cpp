// The order of phase `partition`.
#include "compiler/partition/passes.h"

namespace tessera::partition {

void buildGreedyPartition(mlir::OpPassManager& manager,
                          const std::function<void(mlir::OpPassManager&)>& foldConstants) {
  manager.addPass(createApplyPinsPass());
  manager.addPass(createConsumeMarksPass());
  manager.addPass(createMergeCompositePass());
  manager.addPass(createExpandCompositesPass());
  manager.addPass(createMergeCompositePass());  // What was covered in part may now be matched.
  manager.addPass(createAnnotateTargetPass());
  manager.addPass(createMergeCompilerRegionsPass());
  manager.addPass(createPartitionGraphPass());
  manager.addPass(createOptimizeRegionsPass());
  manager.addPass(createPruneRegionsPass());
  manager.addPass(createCheckRegionsPass());  // Before their layouts are asked for.
  manager.addPass(createAssignLayoutsPass());
  foldConstants(manager);  // Weights take their layout now, once.
  manager.addPass(createFuseRegionsPass());
  manager.addPass(createOptimizeRegionsPass());
  manager.addPass(createPruneRegionsPass());
  manager.addPass(createCheckRegionsPass());
  manager.addPass(createMergeEqualRegionsPass());
}

}  // namespace tessera::partition
