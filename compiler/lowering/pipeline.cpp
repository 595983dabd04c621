#include "compiler/lowering/pipeline.h"

#include "compiler/lowering/passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tessera::lowering {

void buildTensorKernelPipeline(OpPassManager& pm) {
  OpPassManager& function = pm.nest<func::FuncOp>();
  function.addPass(createConvertElementwiseToLinalgPass());
  function.addPass(createGeneralizeLinalgPass());
  function.addPass(createWidenBoolPass());
  pm.addPass(createFuseElementwisePass());
  OpPassManager& loops = pm.nest<func::FuncOp>();
  loops.addPass(createLinalgFoldUnitExtentDimsPass());
  loops.addPass(createCollapseDimsPass());
  loops.addPass(createCanonicalizerPass());
  loops.addPass(createCSEPass());
  loops.addPass(createRelaxFloatMathPass());
  loops.addPass(createTileParallelPass());
  loops.addPass(createCanonicalizerPass());
  loops.addPass(createCSEPass());
  pm.addPass(createWrapKernelPass());
  pm.addPass(createBufferizeKernelPass());
  buildMemRefKernelPipeline(pm);
}

void buildMemRefKernelPipeline(OpPassManager& pm) {
  OpPassManager& buffers = pm.nest<func::FuncOp>();
  buffers.addPass(createCanonicalizerPass());
  buffers.addPass(createCSEPass());
  buffers.addPass(createExpandCopiesPass());
  buffers.addPass(createVectorizeLoopsPass());
  buffers.addPass(createConvertLinalgToLoopsPass());
  buffers.addPass(createPlanWorkspacePass());
  buffers.addPass(createLowerAllocationsPass());
  pm.addPass(createOutlineParallelPass());
  OpPassManager& bodies = pm.nest<func::FuncOp>();
  bodies.addPass(createPlanWorkspacePass());
  bodies.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(createExpandMathPass());
  pm.addPass(createConvertToLlvmPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void registerPassesOfPipelines() {
  registerLoweringPasses();
  registerCanonicalizerPass();
  registerCSEPass();
  registerConvertElementwiseToLinalgPass();
  registerLinalgFoldUnitExtentDimsPass();
  registerConvertLinalgToLoopsPass();
  memref::registerFoldMemRefAliasOpsPass();
  memref::registerExpandReallocPass();
  bufferization::registerBufferizationPasses();
  registerReconcileUnrealizedCasts();
}

void registerPipelines() {
  PassPipelineRegistration<>("tessera-lowering-tensor-kernel", "tensor kernels to the LLVM dialect",
                             buildTensorKernelPipeline);
  PassPipelineRegistration<>("tessera-lowering-memref-kernel",
                             "kernels in ABI form to the LLVM dialect", buildMemRefKernelPipeline);
}

}  // namespace tessera::lowering
