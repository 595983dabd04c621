#include "compiler/lowering/loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera::lowering {

SmallVector<Value> emitLoop(
    IndexBuilder& b, Value from, Value to, int64_t step, ValueRange state,
    llvm::function_ref<SmallVector<Value>(Index at, ValueRange state)> body) {
  auto loop = b.create<scf::ForOp>(from, to, b.index(step), state);
  const OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  const SmallVector<Value> next = body(b.term(loop.getInductionVar()), loop.getRegionIterArgs());
  if (!state.empty()) b.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void emitLoop(IndexBuilder& b, Value from, Value to, int64_t step,
              llvm::function_ref<void(Index at)> body) {
  emitLoop(b, from, to, step, {}, [&](Index at, ValueRange) {
    body(at);
    return SmallVector<Value>();
  });
}

void emitLoop(IndexBuilder& b, Value count, llvm::function_ref<void(Index at)> body) {
  emitLoop(b, b.index(0), count, 1, body);
}

void emitLoop(IndexBuilder& b, int64_t count, llvm::function_ref<void(Index at)> body) {
  emitLoop(b, b.index(count), body);
}

}  // namespace tessera::lowering
