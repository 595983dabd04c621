#include "compiler/lowering/bufferize_kernel.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class BufferizeKernelPass : public PassWrapper<BufferizeKernelPass, OperationPass<ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BufferizeKernelPass)
  StringRef getArgument() const override { return "tessera-bufferize-kernel"; }
  StringRef getDescription() const override { return "bufferise wrapped kernels"; }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<bufferization::BufferizationDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override;
};

class ExpandCopiesPass : public PassWrapper<ExpandCopiesPass, OperationPass<func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandCopiesPass)
  StringRef getArgument() const override { return "tessera-expand-copies"; }
  StringRef getDescription() const override { return "turn memref.copy into linalg.copy"; }
  void runOnOperation() override;
};

}  // namespace

static bool allocatesAtRunTime(ModuleOp module) {
  return module
      .walk([](memref::AllocOp alloc) {
        return alloc.getType().hasStaticShape() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void BufferizeKernelPass::runOnOperation() {
  ModuleOp module = getOperation();
  IRRewriter rewriter(&getContext());
  if (failed(bufferization::eliminateEmptyTensors(rewriter, module))) return signalPassFailure();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferAlignment = 64;
  if (failed(bufferization::runOneShotBufferize(module, options))) return signalPassFailure();
  if (!allocatesAtRunTime(module)) return;
  OpPassManager deallocation(ModuleOp::getOperationName());
  bufferization::BufferDeallocationPipelineOptions pipelineOptions;
  bufferization::buildBufferDeallocationPipeline(deallocation, pipelineOptions);
  if (failed(runPipeline(deallocation, module))) signalPassFailure();
}

void ExpandCopiesPass::runOnOperation() {
  getOperation().walk([](memref::CopyOp copy) {
    OpBuilder b(copy);
    if (copy.getSource() != copy.getTarget()) b.create<linalg::CopyOp>(copy.getLoc(), copy.getSource(), copy.getTarget());
    copy.erase();
  });
}

std::unique_ptr<Pass> createBufferizeKernelPass() { return std::make_unique<BufferizeKernelPass>(); }

std::unique_ptr<Pass> createExpandCopiesPass() { return std::make_unique<ExpandCopiesPass>(); }

}  // namespace tessera::lowering
