#include "compiler/lowering/pipeline.h"

#include "compiler/lowering/bufferize_kernel.h"
#include "compiler/lowering/convert_to_llvm.h"
#include "compiler/lowering/kernel_wrapper.h"
#include "compiler/lowering/lower_allocations.h"
#include "compiler/lowering/math_expansion.h"
#include "compiler/lowering/outline_parallel.h"
#include "compiler/lowering/prepare_linalg.h"
#include "compiler/lowering/widen_bool.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tessera::lowering {

void buildTensorKernelPipeline(OpPassManager& pm, const PipelineOptions& options) {
  OpPassManager& function = pm.nest<func::FuncOp>();
  function.addPass(createConvertElementwiseToLinalgPass());
  function.addPass(createGeneralizeLinalgPass());
  function.addPass(createWidenBoolPass());
  pm.addPass(createLinalgElementwiseOpFusionPass());
  OpPassManager& loops = pm.nest<func::FuncOp>();
  loops.addPass(createLinalgFoldUnitExtentDimsPass());
  loops.addPass(createCollapseDimsPass());
  loops.addPass(createCanonicalizerPass());
  loops.addPass(createCSEPass());
  loops.addPass(createRelaxFloatMathPass());
  loops.addPass(createTileParallelPass(options.tiling));
  loops.addPass(createCanonicalizerPass());
  loops.addPass(createCSEPass());
  pm.addPass(createWrapKernelPass());
  pm.addPass(createBufferizeKernelPass());
  buildMemRefKernelPipeline(pm, options);
}

void buildMemRefKernelPipeline(OpPassManager& pm, const PipelineOptions& options) {
  OpPassManager& buffers = pm.nest<func::FuncOp>();
  buffers.addPass(createCanonicalizerPass());
  buffers.addPass(createCSEPass());
  buffers.addPass(createExpandCopiesPass());
  buffers.addPass(createConvertLinalgToLoopsPass());
  buffers.addPass(createPlanWorkspacePass(options.workspace));
  buffers.addPass(createLowerAllocationsPass(options.workspace));
  pm.addPass(createOutlineParallelPass());
  OpPassManager& bodies = pm.nest<func::FuncOp>();
  bodies.addPass(createPlanWorkspacePass(options.workspace));
  bodies.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(createExpandMathPass());
  pm.addPass(createConvertKernelToLlvmPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

}  // namespace tessera::lowering
