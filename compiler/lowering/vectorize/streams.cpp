#include "compiler/lowering/vectorize/streams.h"

#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tessera::lowering {

static int64_t vectorBytes(const Access& access, const VectorPlan& plan) {
  return plan.lanes * elementBytes(access.type());
}

// Whether `op` alone touches the buffer or a view of it, and only writes it.
static bool isOnlyWrittenBy(Value buffer, linalg::LinalgOp op) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand& use) {
    Operation* user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isOnlyWrittenBy(view->getResult(0), op);
    if (isa<memref::DimOp>(user)) return true;
    return user == op.getOperation() && op.isDpsInit(&use);
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

bool writesPastCaches(linalg::LinalgOp op, const VectorPlan& plan) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      plan.form == VectorForm::kPartials || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  const Access result = accessesOf(op).back();
  const int64_t bytes = vectorBytes(result, plan);
  if (bytes > kLineBytes || bytes < kLineBytes / 2) return false;
  if (plan.form == VectorForm::kTransposed && bytes != kLineBytes) return false;
  if (!result.map.isProjectedPermutation() || !isVectorGrid(result.type(), plan.lanes))
    return false;
  const Value whole = wholeOf(result.buffer);
  return whole.getDefiningOp<memref::ReinterpretCastOp>() &&
         isBeyondCaches(cast<MemRefType>(whole.getType())) && isOnlyWrittenBy(whole, op);
}

}  // namespace tessera::lowering
