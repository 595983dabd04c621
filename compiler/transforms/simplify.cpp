#include "compiler/transforms/simplify.h"

#include "compiler/transforms/passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tessera::transforms {

/// Constants, duplicates and no-ops away; shapes, transposes and arithmetic in one form.
static void addCleanUp(OpPassManager& passes) {
  passes.addPass(createFoldConstantsPass());
  passes.addPass(createInlineBranchesPass());
  passes.addPass(createRemoveNoOpsPass());
  passes.addPass(createNormalizeArithmeticPass());
  passes.addPass(createUnifyReshapesPass());
  passes.addPass(createCancelTransposesPass());
  passes.addPass(createRemoveNoOpsPass());
  passes.addPass(createFoldConstantsPass());
  passes.addPass(createRemoveDeadCodePass());
  passes.addPass(createMergeDuplicatesPass());
}

void buildSimplifyPipeline(OpPassManager& passes) {
  // The shape arithmetic of exporters goes first: what remains is smaller, and static.
  passes.addPass(createFoldConstantsPass());
  passes.addPass(createRemoveDeadCodePass());
  passes.addPass(createNameOpenDimsPass());
  passes.addPass(createExpandEinsumPass());
  addCleanUp(passes);
  // Operators into the weights of others.
  passes.addPass(createFoldBatchNormPass());
  passes.addPass(createFoldScalesPass());
  passes.addPass(createFoldPadsPass());
  passes.addPass(createExpandConvTransposePass());
  addCleanUp(passes);
  // What is left in its final form is grouped; the larger groups first.
  passes.addPass(createRecognizeAttentionPass());
  passes.addPass(createRecognizeLayerNormPass());
  passes.addPass(createRecognizeGroupNormPass());
  passes.addPass(createRecognizeChosenChannelsPass());
  passes.addPass(createRecognizeRmsNormPass());
  passes.addPass(createRecognizeActivationsPass());
  passes.addPass(createTurnProductsPass());
  passes.addPass(createRemoveDeadCodePass());
  passes.addPass(createMergeDuplicatesPass());
  passes.addPass(createPlaceConstantsPass());
}

void registerSimplifyPipeline() {
  PassPipelineRegistration<>("tessera-simplify", "all of phase simplify", buildSimplifyPipeline);
}

}  // namespace tessera::transforms
