// Row-major B: a task has a block of columns, whose sums are in its memory, and adds the products
// with several rows of B to them at once: each row is read from its first column to its last.
// Transposed B: vectors of columns, each a sum of products along rows of both.
#include "compiler/lowering/contraction/open/few_rows.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// Columns [first, first + count) of one entry.
struct ColumnBlock {
  SmallVector<Value> at;
  Value first = {}, count = {};
};

class FewRowsEmitter {
 public:
  FewRowsEmitter(IndexBuilder& b, const OpenProduct& product, Value output, const CpuTarget& cpu,
                 const Epilogue& epilogue)
      : b_(b),
        p_(product),
        output_(output),
        lanes_(cpu.vectorLanes),
        vector_(VectorType::get({lanes_}, b.getF32Type())),
        epilogue_(epilogue) {}

  void run();

 private:
  // Columns of a task, and rows of B that are read side by side.
  static constexpr int64_t kMostColumns = 1024, kSteps = 8;
  static constexpr int64_t kWantedTasks = 4;

  Value load(Value memory, Value place, Value lanes);
  void forVectors(Value count, llvm::function_ref<void(Index column, Value lanes)> emit);
  void addSteps(const ColumnBlock& block, Index row, Index step, int64_t count);
  void emitStreams(const ColumnBlock& block);
  void emitAlongRows(const ColumnBlock& block);
  void store(const ColumnBlock& block, Index row, Index column, Value lanes, Value sum);

  IndexBuilder& b_;
  const OpenProduct& p_;
  Value output_;  // flat
  int64_t lanes_;
  VectorType vector_;
  const Epilogue& epilogue_;
  Value sums_;
};

}  // namespace

bool canBeFewRows(const OpenProduct& product) {
  return product.hasRowsOfB() || product.hasRowsOfA();
}

// The vector there, or so many lanes of it.
Value FewRowsEmitter::load(Value memory, Value place, Value lanes) {
  return loadLanes(b_, b_.getLoc(), memory, place, lanes_, lanes);
}

// Whole vectors of `count` columns, and what is left behind them.
void FewRowsEmitter::forVectors(Value count,
                                llvm::function_ref<void(Index column, Value lanes)> emit) {
  const Index whole = floorDiv(b_.term(count), lanes_) * lanes_;
  emitLoop(b_, b_.index(0), whole, lanes_, [&](Index column) { emit(column, {}); });
  emitLoop(b_, whole, count, lanes_, [&](Index column) { emit(column, b_.term(count) - column); });
}

void FewRowsEmitter::store(const ColumnBlock& block, Index row, Index column, Value lanes,
                           Value sum) {
  const Index batch = p_.entryNumber(b_, block.at), number = batch * p_.m + row,
              channel = b_.term(block.first) + column;
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = sum,
               .outputOffset = number * p_.n + channel,
               .channelOffset = channel,
               .batch = batch,
               .row = number,
               .lanes = lanes_,
               .validLanes = lanes_,
               .laneMask = lanes ? lanesBelow(b_, b_.getLoc(), lanes_, lanes) : Value()},
              epilogue_, output_);
}

// Two chains of multiply-adds, of which one begins with the sum.
void FewRowsEmitter::addSteps(const ColumnBlock& block, Index row, Index step, int64_t count) {
  SmallVector<Value> factors;
  SmallVector<Index> rowsOfB;
  for (int64_t i = 0; i < count; ++i) {
    const Index place = p_.a.placeOf(b_, block.at, row) + b_.mul(p_.a.columnStride, step + i);
    const Value element = b_.create<memref::LoadOp>(p_.a.memory, ValueRange{place});
    factors.push_back(b_.create<vector::BroadcastOp>(vector_, element));
    rowsOfB.push_back(p_.b.placeOf(b_, block.at, step + i) + block.first);
  }
  forVectors(block.count, [&](Index column, Value lanes) {
    const Value place = row * kMostColumns + column;
    Value chains[] = {b_.create<vector::LoadOp>(vector_, sums_, place),
                      b_.create<arith::ConstantOp>(b_.getZeroAttr(vector_))};
    for (int64_t i = 0; i < count; ++i) {
      Value& chain = chains[i % 2];
      chain = b_.create<vector::FMAOp>(factors[i], load(p_.b.memory, rowsOfB[i] + column, lanes),
                                       chain);
    }
    const Value sum =
        count == 1 ? chains[0] : b_.create<arith::AddFOp>(chains[0], chains[1]).getResult();
    b_.create<vector::StoreOp>(sum, sums_, place);
  });
}

void FewRowsEmitter::emitStreams(const ColumnBlock& block) {
  sums_ = allocateFloats(b_, kMostFewRows * kMostColumns);
  emitLoop(b_, p_.m, [&](Index row) {
    emitLoop(b_, b_.index(0), block.count, lanes_, [&](Index column) {
      b_.create<vector::StoreOp>(b_.create<arith::ConstantOp>(b_.getZeroAttr(vector_)), sums_,
                                 Value(row * kMostColumns + column));
    });
  });
  const Index whole = floorDiv(b_.term(p_.k), kSteps) * kSteps;
  const auto emitSteps = [&](Value from, Value to, int64_t count) {
    emitLoop(b_, from, to, count, [&](Index step) {
      emitLoop(b_, p_.m, [&](Index row) { addSteps(block, row, step, count); });
    });
  };
  emitSteps(b_.index(0), whole, kSteps);
  emitSteps(whole, p_.k, 1);
  emitLoop(b_, p_.m, [&](Index row) {
    forVectors(block.count, [&](Index column, Value lanes) {
      const Value place = row * kMostColumns + column;
      store(block, row, column, lanes, b_.create<vector::LoadOp>(vector_, sums_, place));
    });
  });
  b_.create<memref::DeallocOp>(sums_);
}

// The last column stands for those beyond.
void FewRowsEmitter::emitAlongRows(const ColumnBlock& block) {
  forVectors(block.count, [&](Index column, Value lanes) {
    SmallVector<Index> places;
    for (int64_t i = 0; i < lanes_; ++i) {
      const Index at = lanes ? smaller(b_.term(i), b_.term(lanes) - 1) : b_.term(i);
      places.push_back(p_.b.placeOf(b_, block.at, b_.index(0)) +
                       b_.mul(p_.b.columnStride, column + block.first + at));
    }
    emitLoop(b_, p_.m, [&](Index row) {
      const MatrixRow rowOfA = {
          .memory = p_.a.memory, .place = p_.a.placeOf(b_, block.at, row), .size = p_.k};
      store(block, row, column, lanes, sumAlongRows(b_, rowOfA, p_.b.memory, places, lanes_));
    });
  });
}

void FewRowsEmitter::run() {
  Index batch = b_.term(1);
  for (const Value size : p_.batch) batch = batch * size;
  const OpenBlocks blocks =
      cutOpen(b_.term(p_.n), kMostColumns, ceilDiv(b_.term(kWantedTasks), larger(batch, 1)), 64);
  SmallVector<OpFoldResult> space;
  for (const Value size : p_.batch) space.push_back(getAsOpFoldResult(size));
  // Without rows nothing is left to do, however large the batch.
  space.push_back(getAsOpFoldResult(smaller(blocks.count, b_.mul(blocks.count, p_.m))));
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  ColumnBlock block{.at = llvm::to_vector_of<Value>(forall.getInductionVars())};
  block.first = b_.mul(block.at.pop_back_val(), blocks.size);
  block.count = smaller(b_.term(p_.n) - block.first, blocks.size);
  if (p_.hasRowsOfB()) return emitStreams(block);
  emitAlongRows(block);
}

void emitFewRows(IndexBuilder& b, const OpenProduct& product, Value output, const CpuTarget& cpu,
                 const Epilogue& epilogue) {
  FewRowsEmitter(b, product, output, cpu, epilogue).run();
}

}  // namespace tessera::lowering
