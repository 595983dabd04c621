// Kernel modules -> LLVM dialect. The pass is nested, so that MLIR runs it on many kernels at once.
#include "backends/native/compiler/kernels.h"
#include "compiler/lowering/dialects.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/pipeline.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

class OptimizeKernel : public PassWrapper<OptimizeKernel, OperationPass<ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OptimizeKernel)
  explicit OptimizeKernel(target::Target target)
      : target_(std::move(target)),
        onTensors_(ModuleOp::getOperationName()),
        onMemory_(ModuleOp::getOperationName()) {
    lowering::buildTensorKernelPipeline(onTensors_);
    lowering::buildMemRefKernelPipeline(onMemory_);
  }
  OptimizeKernel(const OptimizeKernel& other) = default;
  StringRef getArgument() const override { return "tessera-native-optimize-kernel"; }
  StringRef getDescription() const override { return "lower a native kernel to the LLVM dialect"; }
  void getDependentDialects(DialectRegistry& registry) const override {
    lowering::registerLoweringDialects(registry);
    onTensors_.getDependentDialects(registry);
    onMemory_.getDependentDialects(registry);
  }
  void runOnOperation() override;

 private:
  target::Target target_;
  OpPassManager onTensors_, onMemory_;
};

}  // namespace

void OptimizeKernel::runOnOperation() {
  ModuleOp kernels = getOperation();
  if (backend_api::ownerOf(kernels) != backend_api::toAttribute(&getContext(), target_)) return;
  const auto functions = kernels.getOps<func::FuncOp>();
  if (functions.empty()) return;  // Lowered before the module was saved.
  const bool isOnMemory = (*functions.begin())->hasAttr(lowering::kKernelAttr);
  if (failed(runPipeline(isOnMemory ? onMemory_ : onTensors_, kernels))) return signalPassFailure();
  // Helpers of one kernel must not clash with those of another in the shared object.
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>()) {
    if (!function.isExternal() && !function->hasAttr(lowering::kKernelAttr))
      function.setLinkage(LLVM::Linkage::Internal);
  }
}

std::unique_ptr<Pass> createOptimizeKernelPass(const target::Target& target) {
  return std::make_unique<OptimizeKernel>(target);
}

}  // namespace tessera::backend_native
