#include "compiler/lowering/bufferize_kernel.h"

#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

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

// One tensor.empty per use: shared ones (CSE makes them) would give several values the same destination.
static void separateEmptyTensors(ModuleOp module) {
  SmallVector<tensor::EmptyOp> empties;
  module.walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties) {
    for (OpOperand& use : llvm::make_early_inc_range(llvm::drop_begin(empty->getUses()))) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*empty)->getResult(0));
    }
  }
}

static bool allocatesAtRunTime(ModuleOp module) {
  return module
      .walk([](memref::AllocOp alloc) {
        return alloc.getType().hasStaticShape() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

// A temporary of run-time size whose largest size is known (a tile at the edge) gets memory of that size.
static void boundAllocations(ModuleOp module) {
  SmallVector<memref::AllocOp> allocs;
  module.walk([&](memref::AllocOp alloc) {
    if (!alloc.getType().hasStaticShape() && alloc.getType().getLayout().isIdentity()) allocs.push_back(alloc);
  });
  for (memref::AllocOp alloc : allocs) {
    MemRefType type = alloc.getType();
    int64_t elements = 1;
    auto dynamicSize = alloc.getDynamicSizes().begin();
    for (int64_t extent : type.getShape()) {
      if (ShapedType::isDynamic(extent)) {
        auto bound = ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::UB, *dynamicSize++,
                                                                    /*stopCondition=*/nullptr, /*closedUB=*/true);
        extent = succeeded(bound) ? *bound : ShapedType::kDynamic;
      }
      elements = ShapedType::isDynamic(extent) || elements < 0 ? -1 : elements * extent;
    }
    if (elements < 0) continue;
    OpBuilder b(alloc);
    auto place = b.create<memref::AllocOp>(alloc.getLoc(), MemRefType::get({elements}, type.getElementType()), alloc.getAlignmentAttr());
    alloc.replaceAllUsesWith(buildReshapedView(b, alloc.getLoc(), place, type, alloc.getDynamicSizes()));
    alloc.erase();
  }
}

void BufferizeKernelPass::runOnOperation() {
  ModuleOp module = getOperation();
  IRRewriter rewriter(&getContext());
  separateEmptyTensors(module);
  if (failed(bufferization::eliminateEmptyTensors(rewriter, module))) return signalPassFailure();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferAlignment = 64;
  if (failed(bufferization::runOneShotBufferize(module, options))) return signalPassFailure();
  boundAllocations(module);
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
