#include "compiler/lowering/passes.h"

#include "compiler/lowering/bufferize_kernel.h"
#include "compiler/lowering/convert_to_llvm.h"
#include "compiler/lowering/kernel_wrapper.h"
#include "compiler/lowering/lower_allocations.h"
#include "compiler/lowering/math_expansion.h"
#include "compiler/lowering/outline_parallel.h"
#include "compiler/lowering/pipeline.h"
#include "compiler/lowering/plan_workspace.h"
#include "compiler/lowering/prepare_linalg.h"
#include "compiler/lowering/tile_parallel.h"
#include "compiler/lowering/widen_bool.h"

namespace tessera::lowering {

void registerLoweringPasses() {
  mlir::registerPass(createBufferizeKernelPass);
  mlir::registerPass(createCollapseDimsPass);
  mlir::registerPass(createConvertKernelToLlvmPass);
  mlir::registerPass(createExpandCopiesPass);
  mlir::registerPass(createExpandMathPass);
  mlir::registerPass(createGeneralizeLinalgPass);
  mlir::registerPass([] { return createLowerAllocationsPass(); });
  mlir::registerPass(createOutlineParallelPass);
  mlir::registerPass([] { return createPlanWorkspacePass(); });
  mlir::registerPass(createRelaxFloatMathPass);
  mlir::registerPass([] { return createTileParallelPass(); });
  mlir::registerPass(createWidenBoolPass);
  mlir::registerPass(createWrapKernelPass);
  mlir::PassPipelineRegistration<>("tessera-tensor-kernel", "tensor kernels to the LLVM dialect",
                                   [](mlir::OpPassManager& pm) { buildTensorKernelPipeline(pm); });
  mlir::PassPipelineRegistration<>("tessera-memref-kernel",
                                   "kernels in ABI form to the LLVM dialect",
                                   [](mlir::OpPassManager& pm) { buildMemRefKernelPipeline(pm); });
}

}  // namespace tessera::lowering
