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

void emitIf(IndexBuilder& b, Value condition, llvm::function_ref<void()> then) {
  auto choice = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
  const OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  then();
}

void emitIf(IndexBuilder& b, Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise) {
  auto choice = b.create<scf::IfOp>(condition, /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  then();
  b.setInsertionPointToStart(choice.elseBlock());
  otherwise();
}

SmallVector<Value> emitIf(IndexBuilder& b, Value condition, TypeRange types,
                          llvm::function_ref<SmallVector<Value>()> then,
                          llvm::function_ref<SmallVector<Value>()> otherwise) {
  auto choice = b.create<scf::IfOp>(types, condition, /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  b.create<scf::YieldOp>(then());
  b.setInsertionPointToStart(choice.elseBlock());
  b.create<scf::YieldOp>(otherwise());
  return llvm::to_vector_of<Value>(choice.getResults());
}

}  // namespace tessera::lowering
