#include "compiler/lowering/passes.h"

#include "compiler/lowering/pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::lowering {

#define GEN_PASS_REGISTRATION
#include "compiler/lowering/passes.h.inc"

void registerLoweringPasses() {
  registerKernelLoweringPasses();
  mlir::PassPipelineRegistration<>("tessera-lowering-tensor-kernel",
                                   "tensor kernels to the LLVM dialect",
                                   [](mlir::OpPassManager& pm) { buildTensorKernelPipeline(pm); });
  mlir::PassPipelineRegistration<>("tessera-lowering-memref-kernel",
                                   "kernels in ABI form to the LLVM dialect",
                                   [](mlir::OpPassManager& pm) { buildMemRefKernelPipeline(pm); });
}

}  // namespace tessera::lowering
