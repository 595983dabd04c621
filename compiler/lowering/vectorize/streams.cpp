// A store into a line that no cache holds reads the line first. Past the caches it does not: a copy
// from memory to memory takes two thirds of the time. What follows has to read memory then, which
// it would anyway where the result is larger than the last level of cache.
#include "compiler/lowering/vectorize/streams.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tessera::lowering {

// The last level that a core sees has 32 MiB at most, but for few processors.
static constexpr int64_t kLargestCacheBytes = int64_t{32} << 20;
// A vector of less than a line is one of several that make one, which only come in order where
// nothing else is written in between.
static constexpr int64_t kLineBytes = 64;

static int64_t elementBytes(MemRefType type) { return type.getElementTypeBitWidth() / 8; }

static int64_t vectorBytes(const Access& access, const VectorPlan& plan) {
  return plan.lanes * elementBytes(access.type());
}

// The buffer that a view shows a part of.
static Value wholeOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ReinterpretCastOp>(view.getOperation())) break;
    buffer = view.getViewSource();
  }
  return buffer;
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

static bool isBeyondCaches(MemRefType type) {
  return type.hasStaticShape() && type.getNumElements() * elementBytes(type) > kLargestCacheBytes;
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

// Folding a view into a store would make an ordinary store of it.
static StreamedResult streamedResult(IndexBuilder& b, Value result, int64_t lanes) {
  const auto type = cast<MemRefType>(result.getType());
  auto place = b.create<memref::ExtractStridedMetadataOp>(result);
  const Value base = b.create<memref::ExtractAlignedPointerAsIndexOp>(place.getBaseBuffer());
  const Value start = b.term(place.getOffset()) * elementBytes(type) + base;
  const Value buffer = b.create<memref::ReinterpretCastOp>(
      type, place.getBaseBuffer(), place.getConstifiedMixedOffset(),
      place.getConstifiedMixedSizes(), place.getConstifiedMixedStrides());
  return {.buffer = buffer, .startsOnVector = b.equal(b.rem(start, lanes * elementBytes(type)), 0)};
}

StreamedResult streamedResult(IndexBuilder& b, linalg::LinalgOp op, const VectorPlan& plan) {
  return streamedResult(b, accessesOf(op).back().buffer, plan.lanes);
}

void emitStreamed(const IndexBuilder& at, Value output, int64_t width, int64_t lanes,
                  llvm::function_ref<void(IndexBuilder, Value, bool)> emit) {
  const auto type = cast<MemRefType>(output.getType());
  if (!isBeyondCaches(type) || width % lanes != 0 || lanes * elementBytes(type) != kLineBytes)
    return emit(at, output, /*isStreamed=*/false);
  IndexBuilder b = at;
  const StreamedResult streamed = streamedResult(b, output, lanes);
  auto choice = b.create<scf::IfOp>(streamed.startsOnVector, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  emit(b, streamed.buffer, /*isStreamed=*/true);
  b.setInsertionPointToStart(choice.elseBlock());
  emit(b, output, /*isStreamed=*/false);
}

}  // namespace tessera::lowering
