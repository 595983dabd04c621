// Softmax reads its rows once for their maxima, without arithmetic that memory could be read
// beside, and writes shares in the same way; between both are exponentials, during which it would
// stand still.
#include "compiler/lowering/vectorize/prefetches.h"

#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tessera::lowering {

// Memory of the caller from this size on is taken for one that is not in near caches.
static constexpr int64_t kFarBytes = int64_t{256} << 10;

// The part of the caller's memory that a parallel loop has, if there is much of it.
static memref::SubViewOp farPart(Value buffer) {
  auto part = buffer.getDefiningOp<memref::SubViewOp>();
  if (!part || !part->getParentOfType<scf::ForallOp>()) return {};
  const Value whole = part.getSource();
  const auto type = cast<MemRefType>(whole.getType());
  const bool isNear =
      type.hasStaticShape() && type.getNumElements() * elementBytes(type) < kFarBytes;
  return isCallers(whole) && !isNear ? part : memref::SubViewOp();
}

static bool reads(Operation& op, Value buffer) {
  auto nest = dyn_cast<linalg::LinalgOp>(op);
  return nest && llvm::is_contained(nest.getDpsInputs(), buffer);
}

// The part of the next iteration, of an operand of `op` that something before it reads.
static Value nextPart(linalg::LinalgOp op, Value buffer) {
  auto loop = dyn_cast<scf::ForallOp>(op->getParentOp());
  memref::SubViewOp part = farPart(buffer);
  if (!loop || !part || loop.getRank() != 1 || part.getOffsets().size() != 1 ||
      part.getOffsets()[0] != loop.getInductionVar(0))
    return {};
  const bool isReadBefore = llvm::any_of(*op->getBlock(), [&](Operation& other) {
    return other.isBeforeInBlock(op) && reads(other, buffer);
  });
  if (!isReadBefore) return {};
  IndexBuilder b(op.getLoc(), op);
  const Value step = getValueOrCreateConstantIndexOp(b, op.getLoc(), loop.getMixedStep()[0]);
  Operation* next = b.clone(*part.getOperation());
  b.setInsertionPoint(next);
  next->replaceUsesOfWith(loop.getInductionVar(0), b.add(loop.getInductionVar(0), step));
  return next->getResult(0);
}

static bool isKnownBefore(Value value, Operation* op) {
  Operation* definition = value.getDefiningOp();
  return !definition || definition->getBlock() != op->getBlock() || definition->isBeforeInBlock(op);
}

// Where what is made of `buffer`, which `op` writes, is written element by element.
static Value placeOfResults(linalg::LinalgOp op, Value buffer,
                            function_ref<bool(linalg::LinalgOp)> isStreamed) {
  for (Operation* after = op->getNextNode(); after; after = after->getNextNode()) {
    auto nest = dyn_cast<linalg::LinalgOp>(after);
    if (!nest || nest.getNumReductionLoops() > 0 || nest.getNumDpsInits() != 1 || isStreamed(nest))
      continue;
    OpOperand* init = nest.getDpsInitOperand(0);
    memref::SubViewOp part = farPart(init->get());
    for (OpOperand* input : nest.getDpsInputOperands()) {
      if (input->get() != buffer || !part ||
          part.getType().getShape() != cast<MemRefType>(buffer.getType()).getShape() ||
          nest.getMatchingIndexingMap(input) != nest.getMatchingIndexingMap(init) ||
          !llvm::all_of(part->getOperands(), [&](Value of) { return isKnownBefore(of, op); }))
        continue;
      OpBuilder b(op);
      return b.clone(*part.getOperation())->getResult(0);
    }
  }
  return {};
}

static bool computesMuch(linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(), [](Operation& inner) {
    return isa<math::MathDialect>(inner.getDialect()) && !isa<math::AbsFOp, math::FmaOp>(inner);
  });
}

void addPrefetches(ArrayRef<linalg::LinalgOp> ops,
                   MutableArrayRef<std::optional<VectorPlan>> plans) {
  const auto isStreamed = [&](linalg::LinalgOp op) {
    const auto* found = llvm::find(ops, op);
    const auto& plan = plans[static_cast<size_t>(found - ops.begin())];
    return plan && plan->isStreamed;
  };
  for (auto [given, plan] : llvm::zip_equal(ops, plans)) {
    linalg::LinalgOp op = given;
    if (!plan || plan->form != VectorForm::kElements || plan->isStreamed ||
        op.getNumReductionLoops() > 0 || op.getNumDpsInits() != 1 || !computesMuch(op))
      continue;
    for (auto [number, access] : llvm::enumerate(accessesOf(op))) {
      if (access.isScalar() || access.step(plan->loop) != Step::kNext) continue;
      const bool isResult = number == op->getNumOperands() - 1;
      const Value place =
          isResult ? placeOfResults(op, access.buffer, isStreamed) : nextPart(op, access.buffer);
      if (place)
        plan->prefetches.push_back(
            {.place = {.buffer = place, .map = access.map}, .isWrite = isResult});
    }
  }
}

}  // namespace tessera::lowering
