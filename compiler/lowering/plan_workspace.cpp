// Buffers are placed largest first at the lowest offset that no buffer alive at the same time
// overlaps (greedy by size, Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", 2020). Time is the index of the operation of the function's entry block in which a
// use lies.
#include "compiler/lowering/plan_workspace.h"

#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

constexpr int64_t kAlignment = 64;

class PlanWorkspacePass : public PassWrapper<PlanWorkspacePass, OperationPass<func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanWorkspacePass)
  explicit PlanWorkspacePass(const PlanWorkspaceOptions& options) : options_(options) {}
  PlanWorkspacePass(const PlanWorkspacePass& other) = default;
  StringRef getArgument() const override { return "tessera-plan-workspace"; }
  StringRef getDescription() const override {
    return "place static temporaries in a workspace or on the stack";
  }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override;

 private:
  PlanWorkspaceOptions options_;
};

struct Buffer {
  memref::AllocOp alloc;
  int64_t bytes;
  int64_t firstUse = 0, lastUse = 0;
  int64_t offset = 0;
};

}  // namespace

int64_t elementSizeBytes(MemRefType type) {
  const Type element = type.getElementType();
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

// Bytes that a temporary of static size takes, a multiple of the alignment.
static int64_t bufferSizeBytes(MemRefType type) {
  int64_t bytes = type.getNumElements() * elementSizeBytes(type);
  return (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

Operation* parallelLoopOf(Operation* op) {
  Operation* outermost = nullptr;
  while ((op = op->getParentOp())) {
    if (isa<scf::ForallOp, scf::ParallelOp>(op)) outermost = op;
  }
  return outermost;
}

size_t numOnBodyStack(MutableArrayRef<memref::AllocOp> allocs,
                      const PlanWorkspaceOptions& options) {
  llvm::stable_sort(allocs, [](memref::AllocOp a, memref::AllocOp b) {
    return bufferSizeBytes(a.getType()) < bufferSizeBytes(b.getType());
  });
  int64_t total = 0;
  return static_cast<size_t>(llvm::count_if(allocs, [&](memref::AllocOp alloc) {
    total += bufferSizeBytes(alloc.getType());
    return total <= options.maxBodyStackBytes;
  }));
}

bool isPlaceable(memref::AllocOp alloc, const BufferViewFlowAnalysis& aliases) {
  if (!alloc.getType().hasStaticShape() || !alloc.getType().getLayout().isIdentity()) return false;
  for (Value alias : aliases.resolve(alloc.getResult())) {
    for (Operation* user : alias.getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(user)) return false;
      if (isa<memref::DeallocOp>(user) && alias != alloc.getResult()) return false;
    }
  }
  return true;
}

static SmallVector<Buffer> placeableBuffers(func::FuncOp function,
                                            BufferViewFlowAnalysis& aliases) {
  SmallVector<Buffer> buffers;
  Block* entry = &function.getBody().front();
  llvm::DenseMap<Operation*, int64_t> times;
  for (auto [time, op] : llvm::enumerate(*entry)) times[&op] = static_cast<int64_t>(time);
  function.walk([&](memref::AllocOp alloc) {
    if (!isPlaceable(alloc, aliases)) return;
    // Threads need one each: placed once the loop's body is a function.
    if (parallelLoopOf(alloc)) return;
    Buffer buffer{.alloc = alloc, .bytes = bufferSizeBytes(alloc.getType())};
    Operation* own = entry->findAncestorOpInBlock(*alloc);
    buffer.firstUse = buffer.lastUse = times.lookup(own);
    for (Value alias : aliases.resolve(alloc.getResult())) {
      for (Operation* user : alias.getUsers()) {
        buffer.lastUse =
            std::max(buffer.lastUse, times.lookup(entry->findAncestorOpInBlock(*user)));
      }
    }
    buffers.push_back(buffer);
  });
  return buffers;
}

// Sets the offsets; the result is the size of all.
static int64_t assignOffsets(SmallVector<Buffer>& buffers) {
  SmallVector<Buffer*> order = llvm::map_to_vector(buffers, [](Buffer& buffer) { return &buffer; });
  llvm::stable_sort(order, [](Buffer* a, Buffer* b) { return a->bytes > b->bytes; });
  SmallVector<Buffer*> placed;
  int64_t total = 0;
  for (Buffer* buffer : order) {
    llvm::sort(placed, [](Buffer* a, Buffer* b) { return a->offset < b->offset; });
    int64_t offset = 0;
    for (Buffer* other : placed) {
      bool aliveTogether = other->firstUse <= buffer->lastUse && buffer->firstUse <= other->lastUse;
      if (!aliveTogether) continue;
      if (offset + buffer->bytes <= other->offset) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    buffer->offset = offset;
    total = std::max(total, offset + buffer->bytes);
    placed.push_back(buffer);
  }
  return total;
}

static void moveToStack(func::FuncOp function, ArrayRef<memref::AllocOp> allocs) {
  OpBuilder b(function.getContext());
  for (memref::AllocOp alloc : allocs) {
    b.setInsertionPointToStart(&function.getBody().front());
    Value place = b.create<memref::AllocaOp>(alloc.getLoc(), alloc.getType(),
                                             b.getI64IntegerAttr(kAlignment));
    alloc.replaceAllUsesWith(place);
    alloc.erase();
  }
}

static void moveToWorkspace(func::FuncOp kernel, ArrayRef<Buffer> buffers, int64_t totalBytes) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  Value workspace = buildWorkspace(b, loc, kernel, totalBytes);
  for (const Buffer& buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    Value offset =
        b.create<LLVM::ConstantOp>(loc, b.getI64Type(), b.getI64IntegerAttr(buffer.offset));
    Value address = b.create<LLVM::GEPOp>(loc, workspace.getType(), b.getI8Type(), workspace,
                                          ArrayRef<LLVM::GEPArg>{offset});
    alloc.replaceAllUsesWith(buildMemRef(b, loc, address, alloc.getType(), {}));
    alloc.erase();
  }
  kernel->setAttr(kWorkspaceBytesAttr, b.getI64IntegerAttr(totalBytes));
}

void PlanWorkspacePass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration()) return;
  BufferViewFlowAnalysis aliases(function);
  SmallVector<Buffer> buffers = placeableBuffers(function, aliases);
  bool isKernel = function->hasAttr(kKernelAttr);
  // Deallocations of placed buffers go with them.
  for (const Buffer& buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    for (Operation* user : llvm::make_early_inc_range(alloc->getUsers())) {
      if (isa<memref::DeallocOp>(user)) user->erase();
    }
  }
  SmallVector<memref::AllocOp> allocs =
      llvm::map_to_vector(buffers, [](const Buffer& buffer) { return buffer.alloc; });
  if (isKernel) {
    int64_t total = assignOffsets(buffers);
    if (total == 0) return;
    if (total <= options_.maxStackBytes) return moveToStack(function, allocs);
    return moveToWorkspace(function, buffers, total);
  }
  moveToStack(function, ArrayRef(allocs).take_front(numOnBodyStack(allocs, options_)));
}

std::unique_ptr<Pass> createPlanWorkspacePass(const PlanWorkspaceOptions& options) {
  return std::make_unique<PlanWorkspacePass>(options);
}

}  // namespace tessera::lowering
