#include "compiler/lowering/passes.h"

#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/passes/plan_workspace.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_LOWERALLOCATIONSPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct LowerAllocations : impl::LowerAllocationsPassBase<LowerAllocations> {
  using LowerAllocationsPassBase::LowerAllocationsPassBase;
  void runOnOperation() override;
};

}  // namespace

// Bytes of an allocation: too many for any memory where the product of the sizes overflows.
static Value sizeBytes(OpBuilder& b, Location loc, memref::AllocOp alloc) {
  const MemRefType type = alloc.getType();
  int64_t known = elementSizeBytes(type);
  for (const int64_t extent : type.getShape()) known *= ShapedType::isDynamic(extent) ? 1 : extent;
  const Type i64 = b.getI64Type();
  const Value zero = b.create<arith::ConstantIntOp>(loc, 0, i64);
  Value bytes = b.create<arith::ConstantIntOp>(loc, known, i64);
  Value overflows = b.create<arith::ConstantIntOp>(loc, 0, b.getI1Type());
  for (const Value extent : alloc.getDynamicSizes()) {
    const Value size = b.create<arith::IndexCastOp>(loc, i64, extent);
    auto product = b.create<arith::MulUIExtendedOp>(loc, bytes, size);
    const Value isHigh =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, product.getHigh(), zero);
    overflows = b.create<arith::OrIOp>(loc, overflows, isHigh);
    bytes = product.getLow();
  }
  const Value most = b.create<arith::ConstantIntOp>(loc, std::numeric_limits<int64_t>::max(), i64);
  return b.create<arith::SelectOp>(loc, overflows, most, bytes);
}

static void replaceAlloc(func::FuncOp kernel, memref::AllocOp alloc) {
  OpBuilder b(alloc);
  const Location loc = alloc.getLoc();
  const Value address = buildAllocate(b, loc, kernel, sizeBytes(b, loc, alloc));
  alloc.replaceAllUsesWith(buildMemRef(b, loc, address, alloc.getType(), alloc.getDynamicSizes()));
  alloc.erase();
}

static void replaceDealloc(func::FuncOp kernel, memref::DeallocOp dealloc) {
  OpBuilder b(dealloc);
  const Location loc = dealloc.getLoc();
  const Value address = b.create<memref::ExtractAlignedPointerAsIndexOp>(loc, dealloc.getMemref());
  const Value number = b.create<arith::IndexCastOp>(loc, b.getI64Type(), address);
  buildRelease(b, loc, kernel,
               b.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), number));
  dealloc.erase();
}

void LowerAllocations::runOnOperation() {
  func::FuncOp kernel = getOperation();
  if (!kernel->hasAttr(kKernelAttr)) return;
  BufferViewFlowAnalysis aliases(kernel);
  SmallVector<memref::AllocOp> allocs;
  llvm::MapVector<Operation*, SmallVector<memref::AllocOp>> placeable;  // By parallel loop.
  kernel.walk([&](memref::AllocOp alloc) {
    Operation* loop = parallelLoopOf(alloc);
    if (loop && isPlaceable(alloc, aliases))
      placeable[loop].push_back(alloc);
    else
      allocs.push_back(alloc);
  });
  llvm::DenseSet<Value> onStack;
  for (auto& [loop, candidates] : placeable) {
    const size_t count = numOnBodyStack(candidates, maxBodyStackBytes);
    for (memref::AllocOp alloc : ArrayRef(candidates).take_front(count)) onStack.insert(alloc);
    allocs.append(candidates.begin() + count, candidates.end());
  }
  SmallVector<memref::DeallocOp> deallocs;
  kernel.walk([&](memref::DeallocOp dealloc) {
    if (!onStack.contains(dealloc.getMemref())) deallocs.push_back(dealloc);
  });
  for (const memref::AllocOp alloc : allocs) replaceAlloc(kernel, alloc);
  for (const memref::DeallocOp dealloc : deallocs) replaceDealloc(kernel, dealloc);
}

}  // namespace tessera::lowering
