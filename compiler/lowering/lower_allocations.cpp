#include "compiler/lowering/lower_allocations.h"

#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/plan_workspace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class LowerAllocationsPass : public PassWrapper<LowerAllocationsPass, OperationPass<func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAllocationsPass)
  explicit LowerAllocationsPass(int64_t maxBodyStackBytes)
      : maxBodyStackBytes_(maxBodyStackBytes) {}
  LowerAllocationsPass(const LowerAllocationsPass& other) = default;
  StringRef getArgument() const override { return "tessera-lower-allocations"; }
  StringRef getDescription() const override { return "take temporaries from the host's memory"; }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override;

 private:
  int64_t maxBodyStackBytes_;
};

}  // namespace

static Operation* parallelLoopOf(Operation* op) {
  if (auto forall = op->getParentOfType<scf::ForallOp>()) return forall;
  return op->getParentOfType<scf::ParallelOp>();
}

static Value sizeBytes(OpBuilder& b, Location loc, memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  int64_t known = element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
  for (int64_t extent : type.getShape()) known *= ShapedType::isDynamic(extent) ? 1 : extent;
  Value bytes = b.create<arith::ConstantIndexOp>(loc, known);
  for (Value extent : alloc.getDynamicSizes()) bytes = b.create<arith::MulIOp>(loc, bytes, extent);
  return b.create<arith::IndexCastOp>(loc, b.getI64Type(), bytes);
}

static void replaceAlloc(func::FuncOp kernel, memref::AllocOp alloc) {
  OpBuilder b(alloc);
  Location loc = alloc.getLoc();
  Value address = buildAllocate(b, loc, kernel, sizeBytes(b, loc, alloc),
                                /*failsKernel=*/!parallelLoopOf(alloc));
  alloc.replaceAllUsesWith(buildMemRef(b, loc, address, alloc.getType(), alloc.getDynamicSizes()));
  alloc.erase();
}

static void replaceDealloc(func::FuncOp kernel, memref::DeallocOp dealloc) {
  OpBuilder b(dealloc);
  Location loc = dealloc.getLoc();
  Value address = b.create<memref::ExtractAlignedPointerAsIndexOp>(loc, dealloc.getMemref());
  Value number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), address);
  buildRelease(b, loc, kernel,
               b.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), number));
  dealloc.erase();
}

void LowerAllocationsPass::runOnOperation() {
  func::FuncOp kernel = getOperation();
  if (!kernel->hasAttr(kKernelAttr)) return;
  BufferViewFlowAnalysis aliases(kernel);
  SmallVector<memref::AllocOp> allocs;
  llvm::DenseMap<Operation*, SmallVector<memref::AllocOp>> placeable;  // By parallel loop.
  kernel.walk([&](memref::AllocOp alloc) {
    Operation* loop = parallelLoopOf(alloc);
    if (loop && isPlaceable(alloc, aliases))
      placeable[loop].push_back(alloc);
    else
      allocs.push_back(alloc);
  });
  llvm::DenseSet<Value> onStack;
  for (auto& [loop, candidates] : placeable) {
    int64_t total = 0;
    llvm::stable_sort(candidates, [](memref::AllocOp a, memref::AllocOp b) {
      return bufferSizeBytes(a.getType()) < bufferSizeBytes(b.getType());
    });
    for (memref::AllocOp alloc : candidates) {
      total += bufferSizeBytes(alloc.getType());
      if (total > maxBodyStackBytes_)
        allocs.push_back(alloc);
      else
        onStack.insert(alloc);
    }
  }
  SmallVector<memref::DeallocOp> deallocs;
  kernel.walk([&](memref::DeallocOp dealloc) {
    if (!onStack.contains(dealloc.getMemref())) deallocs.push_back(dealloc);
  });
  for (memref::AllocOp alloc : allocs) replaceAlloc(kernel, alloc);
  for (memref::DeallocOp dealloc : deallocs) replaceDealloc(kernel, dealloc);
}

std::unique_ptr<Pass> createLowerAllocationsPass(int64_t maxBodyStackBytes) {
  return std::make_unique<LowerAllocationsPass>(maxBodyStackBytes);
}

}  // namespace tessera::lowering
