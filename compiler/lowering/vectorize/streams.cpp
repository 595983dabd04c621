#include "compiler/lowering/vectorize/streams.h"

#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tessera::lowering {

static int64_t vectorBytes(const Access& access, const VectorPlan& plan) {
  return plan.lanes * elementBytes(access.type());
}

// Whether loop nests alone touch the buffer or a view of it, and only write it. What is filled is
// written again, while it is in a cache.
static bool isOnlyWritten(Value buffer) {
  return llvm::all_of(buffer.getUses(), [](OpOperand& use) {
    Operation* user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) return isOnlyWritten(view->getResult(0));
    if (isa<memref::DimOp>(user)) return true;
    auto nest = dyn_cast<linalg::LinalgOp>(user);
    return nest && !isa<linalg::FillOp>(user) && nest.isDpsInit(&use) &&
           !nest.payloadUsesValueFromOperand(&use);
  });
}

// Whether each vector of the result begins at a multiple of its size if the first one does.
static bool isVectorGrid(MemRefType type, int64_t lanes) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(getStridesAndOffset(type, strides, offset)) || strides.back() != 1) return false;
  return llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
    return !ShapedType::isDynamic(stride) && stride % lanes == 0;
  });
}

// Whether what lies side by side in a view begins and ends with a line of the cache, or nearly all
// of it is whole lines. What another nest adds to a line later is a write to memory of its own.
static bool areWholeLines(MemRefType type) {
  constexpr int64_t kMostly = 16;
  SmallVector<int64_t> strides;
  int64_t offset = 0, together = 1;
  if (failed(getStridesAndOffset(type, strides, offset))) return false;
  for (auto [stride, size] : llvm::reverse(llvm::zip_equal(strides, type.getShape()))) {
    if (ShapedType::isDynamic(size) || (stride != together && size != 1)) break;
    together *= size;
  }
  const int64_t bytes = together * elementBytes(type);
  return bytes % kLineBytes == 0 || bytes >= kMostly * kLineBytes;
}

// Whether each line of results is written at once, by one square or several side by side.
static bool writesLinesOfSquares(linalg::LinalgOp op, const VectorPlan& plan, int64_t bytes) {
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  const bool areSideBySide =
      extents[plan.crossLoop] == plan.lanes && !ShapedType::isDynamic(extents[plan.loop]);
  return bytes == kLineBytes || (areSideBySide && bytes * plan.block == kLineBytes);
}

bool writesPastCaches(linalg::LinalgOp op, const VectorPlan& plan) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      plan.form == VectorForm::kPartials || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  const Access result = accessesOf(op).back();
  const int64_t bytes = vectorBytes(result, plan);
  if (bytes > kLineBytes || bytes < kLineBytes / 2) return false;
  if (plan.form == VectorForm::kTransposed && !writesLinesOfSquares(op, plan, bytes)) return false;
  if (!result.map.isProjectedPermutation() || !isVectorGrid(result.type(), plan.lanes) ||
      !areWholeLines(result.type()))
    return false;
  const Value whole = wholeOf(result.buffer);
  return whole.getDefiningOp<memref::ReinterpretCastOp>() &&
         isBeyondCaches(cast<MemRefType>(whole.getType())) && isOnlyWritten(whole);
}

}  // namespace tessera::lowering
