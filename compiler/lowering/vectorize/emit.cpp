// Parallel loops are outermost, then come the vectors (or squares). Reductions are innermost, so
// that what they sum up stays in registers.
#include "compiler/lowering/vectorize/emit.h"
#include "compiler/lowering/streamed_result.h"
#include "compiler/lowering/vectorize/nest.h"

using namespace mlir;

namespace tessera::lowering {

void NestEmitter::openParallel(size_t next) {
  if (next == parallel_.size()) return emitInner();
  const unsigned number = parallel_[next];
  if (known(number) == 1) return openParallel(next + 1);
  emitLoop(b_, extents_[number], [&](Index at) {
    const auto outside = hoisted_;
    at_[number] = {.base = at, .offset = 0};
    hoist(number);
    openParallel(next + 1);
    hoisted_ = outside;
    at_[number] = {};
  });
}

void NestEmitter::emitInner() {
  switch (plan_.form) {
    case VectorForm::kElements:
      return plan_.sumsInMemory ? emitSums() : emitBlocks();
    case VectorForm::kPartials:
      return emitPartials();
    case VectorForm::kTransposed:
      return emitSquares();
  }
}

void NestEmitter::listLoops() {
  for (unsigned loop = 0; loop < kinds_.size(); ++loop) {
    const bool isCross = plan_.form == VectorForm::kTransposed && loop == plan_.crossLoop;
    const bool isBlock = plan_.block > 1 && loop == plan_.blockLoop;
    if (loop == plan_.loop || isCross || isBlock) continue;
    (isReduction(loop) ? reductions_ : parallel_).push_back(loop);
  }
}

SmallVector<Operation*> NestEmitter::run() {
  readExtents();
  SmallVector<Operation*> superfluous = takeInitialValues();
  listLoops();
  hoist(std::nullopt);
  openParallel(0);
  op_->erase();
  return superfluous;
}

// A copy of `op` in either branch, which writes past the caches in the first one, where its vectors
// lie so.
static void emitEither(linalg::LinalgOp op, int64_t lanes,
                       llvm::function_ref<void(linalg::LinalgOp, bool isStreamed)> emit) {
  IndexBuilder b(op.getLoc(), op);
  const StreamedResult result = streamedResult(b, accessesOf(op).back().buffer, lanes);
  const auto emitCopy = [&](bool isStreamed) {
    auto copy = cast<linalg::LinalgOp>(b.clone(*op.getOperation()));
    if (isStreamed) copy.getDpsInitsMutable()[0].assign(result.buffer);
    emit(copy, isStreamed);
  };
  emitIf(
      b, result.startsOnVector, [&] { emitCopy(/*isStreamed=*/true); },
      [&] { emitCopy(/*isStreamed=*/false); });
  op->erase();
}

void emitBeside(linalg::LinalgOp row, const VectorPlan& ofRow, linalg::LinalgOp sums,
                const VectorPlan& ofSums) {
  // Vectors of neighbouring results lie side by side along the loop that is summed up.
  const bool areSideBySide = ofSums.form == VectorForm::kElements;
  const auto inTurn = [&](VectorPlan plan) {
    plan.block = areSideBySide ? NestEmitter::kVectorsInTurn : 1;
    plan.blockLoop = areSideBySide ? plan.loop - 1 : plan.loop;
    return plan;
  };
  const auto emit = [&](linalg::LinalgOp written, linalg::LinalgOp read, bool isStreamed) {
    NestEmitter next(read, inTurn(ofSums), /*isStreamed=*/false);
    NestEmitter(written, inTurn(ofRow), isStreamed).runBeside(next);
  };
  if (!ofRow.isStreamed) return emit(row, sums, /*isStreamed=*/false);
  emitEither(row, ofRow.lanes, [&](linalg::LinalgOp written, bool isStreamed) {
    OpBuilder b(written->getContext());
    b.setInsertionPointAfter(written);
    emit(written, cast<linalg::LinalgOp>(b.clone(*sums.getOperation())), isStreamed);
  });
  sums.erase();
}

SmallVector<Operation*> emitVectorLoops(linalg::LinalgOp op, const VectorPlan& plan) {
  if (!plan.isStreamed) return NestEmitter(op, plan, /*isStreamed=*/false).run();
  // What is written past the caches is written in order: results that are computed side by side are
  // single vectors, and each of them begins a part of its own. Squares are written line by line.
  VectorPlan inOrder = plan;
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  const bool areParts = extents[plan.loop] == plan.lanes && extents[plan.blockLoop] == plan.block &&
                        llvm::all_of(ArrayRef(extents).take_front(plan.blockLoop),
                                     [](int64_t extent) { return extent == 1; });
  if (!areParts && plan.form != VectorForm::kTransposed) {
    inOrder.block = 1;
    inOrder.blockLoop = plan.loop;
  }
  emitEither(op, plan.lanes, [&](linalg::LinalgOp copy, bool isStreamed) {
    NestEmitter(copy, inOrder, isStreamed).run();
  });
  return {};
}

}  // namespace tessera::lowering
