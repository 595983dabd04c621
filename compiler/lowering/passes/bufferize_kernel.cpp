#include "compiler/lowering/passes.h"

#include "base/alignment.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/passes/plan_workspace.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_BUFFERIZEKERNELPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct BufferizeKernel : impl::BufferizeKernelPassBase<BufferizeKernel> {
  void runOnOperation() override;
};

}  // namespace

// One tensor.empty per use: shared ones (CSE makes them) would give several values the same
// destination.
static void separateEmptyTensors(ModuleOp module) {
  SmallVector<tensor::EmptyOp> empties;
  module.walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (const tensor::EmptyOp empty : empties) {
    for (OpOperand& use : llvm::make_early_inc_range(llvm::drop_begin(empty->getUses()))) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*empty)->getResult(0));
    }
  }
}

// Whether `result` is what a loop makes of a tensor of its own.
static bool startsByItself(Value result) {
  auto loop = result.getDefiningOp<scf::ForallOp>();
  if (!loop) return false;
  const Value start = loop.getTiedOpOperand(cast<OpResult>(result))->get();
  return start.getDefiningOp<tensor::EmptyOp>() && start.hasOneUse() && result.hasOneUse();
}

// Several results are computed in their destinations if each starts from a tensor of its own: what
// starts from one value (two reductions from one fill) could have the memory of another's result,
// which is written first, and the analysis does not see that.
static bool mayShareStarts(ModuleOp module) {
  size_t count = 0;
  bool areApart = true;
  module.walk([&](Operation* op) {
    if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      ++count;
      areApart &= startsByItself(write.getSource());
    } else if (auto written = dyn_cast<DestinationStyleOpInterface>(op)) {
      areApart &=
          llvm::all_of(written.getDpsInits(), [](Value start) { return start.hasOneUse(); });
    }
  });
  return count > 1 && !areApart;
}

// Whether an allocation is left that the workspace will not hold.
static bool allocatesAtRunTime(ModuleOp module) {
  BufferViewFlowAnalysis aliases(module);
  return module
      .walk([&](memref::AllocOp alloc) {
        return isPlaceable(alloc, aliases) ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

// A temporary of run-time size whose largest size is known (a tile at the edge) gets memory of that
// size.
static void boundAllocations(ModuleOp module) {
  SmallVector<memref::AllocOp> allocs;
  module.walk([&](memref::AllocOp alloc) {
    if (!alloc.getType().hasStaticShape() && alloc.getType().getLayout().isIdentity())
      allocs.push_back(alloc);
  });
  for (memref::AllocOp alloc : allocs) {
    const MemRefType type = alloc.getType();
    int64_t elements = 1;
    auto dynamicSize = alloc.getDynamicSizes().begin();
    for (int64_t extent : type.getShape()) {
      if (ShapedType::isDynamic(extent)) {
        auto bound = ValueBoundsConstraintSet::computeConstantBound(
            presburger::BoundType::UB, *dynamicSize++,
            /*stopCondition=*/nullptr, /*closedUB=*/true);
        extent = succeeded(bound) ? *bound : ShapedType::kDynamic;
      }
      elements = ShapedType::isDynamic(extent) || elements < 0 ? -1 : elements * extent;
    }
    if (elements < 0) continue;
    OpBuilder b(alloc);
    auto place = b.create<memref::AllocOp>(alloc.getLoc(),
                                           MemRefType::get({elements}, type.getElementType()),
                                           alloc.getAlignmentAttr());
    alloc.replaceAllUsesWith(
        buildReshapedView(b, alloc.getLoc(), place, type, alloc.getDynamicSizes()));
    alloc.erase();
  }
}

void BufferizeKernel::runOnOperation() {
  ModuleOp module = getOperation();
  IRRewriter rewriter(&getContext());
  separateEmptyTensors(module);
  if (!mayShareStarts(module) && failed(bufferization::eliminateEmptyTensors(rewriter, module)))
    return signalPassFailure();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferAlignment = base::kBufferAlignment;
  if (failed(bufferization::runOneShotBufferize(module, options))) return signalPassFailure();
  boundAllocations(module);
  if (!allocatesAtRunTime(module)) return;
  OpPassManager deallocation(ModuleOp::getOperationName());
  const bufferization::BufferDeallocationPipelineOptions pipelineOptions;
  bufferization::buildBufferDeallocationPipeline(deallocation, pipelineOptions);
  if (failed(runPipeline(deallocation, module))) return signalPassFailure();
  // Helpers that deallocation adds have the same name in each kernel; kernels end up in one shared
  // object.
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() && !function.isExternal())
      function->setAttr("llvm.linkage",
                        LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal));
  }
}

}  // namespace tessera::lowering
