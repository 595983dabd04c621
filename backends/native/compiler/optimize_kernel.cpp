// Kernel modules -> LLVM dialect, or nothing where their code is kept.
#include "backends/native/compiler/kept_kernel.h"
#include "backends/native/compiler/kernels.h"
#include "backends/native/compiler/passes.h"
#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/unobserved.h"
#include "compiler/lowering/dialects.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/pipeline.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::backend_native {

using namespace mlir;

#define GEN_PASS_DEF_OPTIMIZEKERNELPASS
#include "backends/native/compiler/passes.h.inc"

namespace {

struct OptimizeKernel : impl::OptimizeKernelPassBase<OptimizeKernel> {
  OptimizeKernel()
      : onTensors(ModuleOp::getOperationName()), onMemory(ModuleOp::getOperationName()) {
    lowering::buildTensorKernelPipeline(onTensors);
    lowering::buildMemRefKernelPipeline(onMemory);
  }
  OptimizeKernel(const OptimizeKernel& other) = default;
  void getDependentDialects(DialectRegistry& registry) const override {
    lowering::registerLoweringDialects(registry);
    onTensors.getDependentDialects(registry);
    onMemory.getDependentDialects(registry);
  }
  void runOnOperation() override;

  OpPassManager onTensors, onMemory;
};

}  // namespace

/// Whether the kernel's code is kept by what the kernel is now, and stands in its place from here
/// on. Passes that others add, print or leave out would be no part of that.
static bool takeKeptCode(ModuleOp kernels) {
  const auto whole = dyn_cast_or_null<ModuleOp>(kernels->getParentOp());
  backend_api::CodeCache* cache = backend_api::codeCacheOf(*kernels.getContext());
  if (!whole || !backend_api::isUnobserved(whole) || !cache) return false;
  const std::string key = keyOf(kernels);
  const auto kept = cache->find(key);
  if (kept && unpack(*kept)) {
    replaceByCode(kernels, *kept);
    return true;
  }
  noteKey(kernels, key);
  return false;
}

void OptimizeKernel::runOnOperation() {
  ModuleOp kernels = getOperation();
  if (!isNative(backend_api::ownerOf(kernels))) return;
  const auto functions = kernels.getOps<func::FuncOp>();
  if (functions.empty()) return;  // Lowered before the module was saved.
  if (takeKeptCode(kernels)) return;
  const bool isOnMemory = (*functions.begin())->hasAttr(lowering::kKernelAttr);
  if (failed(runPipeline(isOnMemory ? onMemory : onTensors, kernels))) return signalPassFailure();
  // Helpers of one kernel must not clash with those of another in the shared object.
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>()) {
    if (!function.isExternal() && !function->hasAttr(lowering::kKernelAttr))
      function.setLinkage(LLVM::Linkage::Internal);
  }
}

}  // namespace tessera::backend_native
