// Buffers are placed by base/greedy_placement.h. Time is the index of the operation of the
// function's entry block in which a use lies.
#include "compiler/lowering/passes/plan_workspace.h"

#include "base/alignment.h"
#include "base/greedy_placement.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_PLANWORKSPACEPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct PlanWorkspace : impl::PlanWorkspacePassBase<PlanWorkspace> {
  using PlanWorkspacePassBase::PlanWorkspacePassBase;
  void runOnOperation() override;
};

/// Temporaries and, for each, where it is alive.
struct Buffers {
  SmallVector<memref::AllocOp> allocs;
  std::vector<base::PlacedBuffer> places;
};

}  // namespace

int64_t elementSizeBytes(MemRefType type) {
  const Type element = type.getElementType();
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

// Bytes that a temporary of static size takes, a multiple of the alignment.
static int64_t bufferSizeBytes(MemRefType type) {
  const int64_t bytes = type.getNumElements() * elementSizeBytes(type);
  return static_cast<int64_t>(base::alignUp(std::max<int64_t>(bytes, 1)));
}

Operation* parallelLoopOf(Operation* op) {
  Operation* outermost = nullptr;
  while ((op = op->getParentOp())) {
    if (isa<scf::ForallOp, scf::ParallelOp>(op)) outermost = op;
  }
  return outermost;
}

size_t numOnBodyStack(MutableArrayRef<memref::AllocOp> allocs, int64_t maxBytes) {
  llvm::stable_sort(allocs, [](memref::AllocOp a, memref::AllocOp b) {
    return bufferSizeBytes(a.getType()) < bufferSizeBytes(b.getType());
  });
  int64_t total = 0;
  return static_cast<size_t>(llvm::count_if(allocs, [&](memref::AllocOp alloc) {
    total += bufferSizeBytes(alloc.getType());
    return total <= maxBytes;
  }));
}

bool isPlaceable(memref::AllocOp alloc, const BufferViewFlowAnalysis& aliases) {
  if (!alloc.getType().hasStaticShape() || !alloc.getType().getLayout().isIdentity()) return false;
  for (const Value alias : aliases.resolve(alloc.getResult())) {
    for (Operation* user : alias.getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(user)) return false;
      if (isa<memref::DeallocOp>(user) && alias != alloc.getResult()) return false;
    }
  }
  return true;
}

static Buffers placeableBuffers(func::FuncOp function, BufferViewFlowAnalysis& aliases) {
  Buffers buffers;
  Block* entry = &function.getBody().front();
  llvm::DenseMap<Operation*, int64_t> times;
  for (auto [time, op] : llvm::enumerate(*entry)) times[&op] = static_cast<int64_t>(time);
  function.walk([&](memref::AllocOp alloc) {
    if (!isPlaceable(alloc, aliases)) return;
    // Threads need one each: placed once the loop's body is a function.
    if (parallelLoopOf(alloc)) return;
    const int64_t begin = times.lookup(entry->findAncestorOpInBlock(*alloc));
    base::PlacedBuffer place{
        .sizeBytes = bufferSizeBytes(alloc.getType()), .first = begin, .last = begin};
    for (const Value alias : aliases.resolve(alloc.getResult())) {
      for (Operation* user : alias.getUsers()) {
        place.last = std::max(place.last, times.lookup(entry->findAncestorOpInBlock(*user)));
      }
    }
    buffers.allocs.push_back(alloc);
    buffers.places.push_back(place);
  });
  return buffers;
}

static void moveToStack(func::FuncOp function, ArrayRef<memref::AllocOp> allocs) {
  OpBuilder b(function.getContext());
  for (memref::AllocOp alloc : allocs) {
    b.setInsertionPointToStart(&function.getBody().front());
    const Value place = b.create<memref::AllocaOp>(alloc.getLoc(), alloc.getType(),
                                                   b.getI64IntegerAttr(base::kBufferAlignment));
    alloc.replaceAllUsesWith(place);
    alloc.erase();
  }
}

static void moveToWorkspace(func::FuncOp kernel, const Buffers& buffers, int64_t totalBytes) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  const Location loc = kernel.getLoc();
  const Value workspace = buildWorkspace(b, loc, kernel, totalBytes);
  for (const auto& [temporary, place] : llvm::zip_equal(buffers.allocs, buffers.places)) {
    memref::AllocOp alloc = temporary;
    const Value offset =
        b.create<LLVM::ConstantOp>(loc, b.getI64Type(), b.getI64IntegerAttr(place.offset));
    const Value address = b.create<LLVM::GEPOp>(loc, workspace.getType(), b.getI8Type(), workspace,
                                                ArrayRef<LLVM::GEPArg>{offset});
    alloc.replaceAllUsesWith(buildMemRef(b, loc, address, alloc.getType(), {}));
    alloc.erase();
  }
  kernel->setAttr(kWorkspaceBytesAttr, b.getI64IntegerAttr(totalBytes));
}

void PlanWorkspace::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration()) return;
  BufferViewFlowAnalysis aliases(function);
  Buffers buffers = placeableBuffers(function, aliases);
  const bool isKernel = function->hasAttr(kKernelAttr);
  // Deallocations of placed buffers go with them.
  for (const memref::AllocOp alloc : buffers.allocs) {
    for (Operation* user : llvm::make_early_inc_range(alloc->getUsers())) {
      if (isa<memref::DeallocOp>(user)) user->erase();
    }
  }
  if (isKernel) {
    const int64_t total = base::placeBuffers(buffers.places);
    if (total == 0) return;
    if (total <= maxStackBytes) return moveToStack(function, buffers.allocs);
    return moveToWorkspace(function, buffers, total);
  }
  moveToStack(
      function,
      ArrayRef(buffers.allocs).take_front(numOnBodyStack(buffers.allocs, maxBodyStackBytes)));
}

}  // namespace tessera::lowering
