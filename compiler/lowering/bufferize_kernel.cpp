#include "compiler/lowering/bufferize_kernel.h"

#include "base/alignment.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/plan_workspace.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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
    registry
        .insert<bufferization::BufferizationDialect, LLVM::LLVMDialect, memref::MemRefDialect>();
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

// One tensor.empty per use: shared ones (CSE makes them) would give several values the same
// destination.
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

// With several results none is computed in its destination: what starts from one value (two
// reductions from one fill) could have the memory of another's result, which is written first, and
// the analysis does not see that.
static bool hasSeveralResults(ModuleOp module) {
  size_t count = 0;
  module.walk([&](bufferization::MaterializeInDestinationOp) { ++count; });
  return count > 1;
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
    MemRefType type = alloc.getType();
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

void BufferizeKernelPass::runOnOperation() {
  ModuleOp module = getOperation();
  IRRewriter rewriter(&getContext());
  separateEmptyTensors(module);
  if (!hasSeveralResults(module) && failed(bufferization::eliminateEmptyTensors(rewriter, module)))
    return signalPassFailure();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferAlignment = base::kBufferAlignment;
  if (failed(bufferization::runOneShotBufferize(module, options))) return signalPassFailure();
  boundAllocations(module);
  if (!allocatesAtRunTime(module)) return;
  OpPassManager deallocation(ModuleOp::getOperationName());
  bufferization::BufferDeallocationPipelineOptions pipelineOptions;
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

// Elements worth a share of a parallel copy.
static constexpr int64_t kCopyChunk = 16384;

// The first dimension worth sharing out and how many of its indices make a chunk; none for a small
// copy.
static std::optional<std::pair<int64_t, int64_t>> chooseCopyDimension(MemRefType type) {
  if (!type.hasStaticShape() || type.getNumElements() < 2 * kCopyChunk) return std::nullopt;
  int64_t inner = type.getNumElements();
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    inner /= extent;
    if (extent > 1)
      return std::pair<int64_t, int64_t>(dim, std::max<int64_t>(kCopyChunk / inner, 1));
  }
  return std::nullopt;
}

// source -> target, in parallel when it is large and not inside a parallel loop already.
static void emitCopy(OpBuilder& b, memref::CopyOp copy) {
  Location loc = copy.getLoc();
  auto type = cast<MemRefType>(copy.getSource().getType());
  auto share = chooseCopyDimension(type);
  bool isNested =
      copy->getParentOfType<scf::ForallOp>() || copy->getParentOfType<scf::ParallelOp>();
  if (!share || isNested) {
    b.create<linalg::CopyOp>(loc, copy.getSource(), copy.getTarget());
    return;
  }
  auto [dim, chunk] = *share;
  int64_t extent = type.getDimSize(dim);
  OpFoldResult zero = b.getIndexAttr(0), end = b.getIndexAttr(extent), step = b.getIndexAttr(chunk);
  auto forall = b.create<scf::ForallOp>(loc, ArrayRef(zero), ArrayRef(end), ArrayRef(step),
                                        ValueRange(), std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  Value begin = forall.getInductionVars()[0];
  offsets[dim] = begin;
  sizes[dim] = b.getIndexAttr(chunk);
  if (extent % chunk != 0) {
    Value left = b.create<arith::SubIOp>(loc, b.create<arith::ConstantIndexOp>(loc, extent), begin);
    sizes[dim] = b.create<arith::MinSIOp>(loc, left, b.create<arith::ConstantIndexOp>(loc, chunk))
                     .getResult();
  }
  auto part = [&](Value whole) {
    return b.create<memref::SubViewOp>(loc, whole, offsets, sizes, strides).getResult();
  };
  Value from = part(copy.getSource()), to = part(copy.getTarget());
  b.create<linalg::CopyOp>(loc, from, to);
}

void ExpandCopiesPass::runOnOperation() {
  SmallVector<memref::CopyOp> copies;
  getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    if (copy.getSource() != copy.getTarget()) emitCopy(b, copy);
    copy.erase();
  }
}

std::unique_ptr<Pass> createBufferizeKernelPass() {
  return std::make_unique<BufferizeKernelPass>();
}

std::unique_ptr<Pass> createExpandCopiesPass() { return std::make_unique<ExpandCopiesPass>(); }

}  // namespace tessera::lowering
