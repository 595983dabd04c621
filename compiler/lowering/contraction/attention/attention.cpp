// A block of rows of Q is a tile's rows. Its scores are kept in a scratch of the thread's own, with
// all keys where they fit: then the greatest score, the exponentials and their sum, and the product
// with V follow one after the other. More keys come in blocks, each with the greatest score so far,
// by which the sums before it are scaled down (Dao et al., "FlashAttention", NeurIPS 2022). The sum
// divides what is stored. K and V are packed into panels once for all blocks of rows. For very few
// rows they are not: scores are sums along rows of K, which are read once. Of an open number of
// rows those that are no whole tile are taken by fours and one by one; they are copied first, as
// their steps need not be known.
#include "compiler/lowering/contraction/attention/emitter.h"
#include "compiler/lowering/contraction/parallel.h"

using namespace mlir;

namespace tessera::lowering {

// Of the stack of a parallel loop's body: what scores may take.
static constexpr int64_t kScratchBytes = int64_t{56} * 1024;
// Keys of a block where they do not all fit, at most.
static constexpr int64_t kBlockKeys = 512;
// Rows of Q up to this many are multiplied with rows of K as they lie.
static constexpr int64_t kFewQueries = 4;
// Panels of V up to this many are read where they lie if its rows lie one behind the other.
static constexpr int64_t kFewPanels = 8;

void AttentionEmitter::chooseTiles() {
  const int64_t manyPanels = 64;
  if (!hasOpenKeys()) {
    keyPanels_ = llvm::divideCeilSigned(s_.keys, lanes_);
    keyTail_ = s_.keys - (keyPanels_ - 1) * lanes_;
  }
  const int64_t rowStride = getConstantIntValue(o_.q.rowStride).value_or(1);
  tile_ = chooseTile(cpu_, hasOpenQueries() ? 0 : s_.queries, rowStride * 4,
                     hasOpenKeys() ? manyPanels : keyPanels_, tuning_);
  readsKeys_ = !hasOpenQueries() && s_.queries <= kFewQueries &&
               getConstantIntValue(o_.k.columnStride) == 1 &&
               getConstantIntValue(o_.q.columnStride) == 1;
  if (!hasOpenQueries()) rowSplit_ = splitEvenly(s_.queries, tile_.rows);
  valuePanels_ = llvm::divideCeilSigned(s_.columns, lanes_);
  valueTail_ = s_.columns - (valuePanels_ - 1) * lanes_;
  const int64_t accumulators = cpu_.numVectorRegisters >= 32 ? 28 : 12;
  valueSplit_ = splitEvenly(valuePanels_, std::max<int64_t>(accumulators / tile_.rows, 1));

  const int64_t most = kScratchBytes / 4 / tile_.rows - lanes_;
  const int64_t ofTile = lanes_ * tile_.panels, all = keyPanels_ * lanes_;
  const bool isTuned = tuning_.reduce > 0;
  const int64_t block = isTuned ? std::max(tuning_.reduce, ofTile) : kBlockKeys;
  const bool areTogether = !hasOpenKeys() && all <= (isTuned ? std::min(most, block) : most);
  blockPanels_ = areTogether ? keyPanels_ : std::min(most, block) / ofTile * tile_.panels;
  rowSize_ = blockPanels_ * lanes_;
  // Rows a large power of two apart would be in the same lines of the first-level cache.
  if (rowSize_ * 4 % 1024 == 0) rowSize_ += lanes_;
}

// Where B is read for each step: in place if its panels are whole and packing does not pay.
MatrixPanels AttentionEmitter::panelsOf(const StridedMatrices& matrices, Value rows, Value columns,
                                        bool isWorthPacking) {
  const auto numColumns = getConstantIntValue(columns);
  const bool mayStay = numColumns && *numColumns % lanes_ == 0 &&
                       getConstantIntValue(matrices.columnStride) == 1 &&
                       getConstantIntValue(matrices.rowStride);
  if (mayStay && !isWorthPacking)
    return {.memory = matrices.memory,
            .offset = matrices.offset,
            .batchStrides = matrices.batchStrides,
            .panelStride = b_.index(lanes_),
            .rowStride = matrices.rowStride};
  return packPanels(b_, matrices,
                    {.batch = o_.batchSizes,
                     .rows = rows,
                     .columns = columns,
                     .areRowsOutside = !getConstantIntValue(rows),
                     .panelMultiple = tile_.panels},
                    lanes_);
}

void AttentionEmitter::emitOpenBlocks(llvm::function_ref<void(const KeyRange&)> emit) {
  const Index panels = b_.ceilDivUnsigned(o_.keys, b_.index(lanes_));
  const Index padded = b_.ceilDivUnsigned(panels, b_.index(tile_.panels)) * tile_.panels;
  const Index blocks = b_.ceilDivUnsigned(padded, b_.index(blockPanels_));
  emitLoop(b_, blocks, [&](Index block) {
    const Index first = block * blockPanels_;
    emit({.firstPanel = first,
          .panels = 0,
          .lastLanes = lanes_,
          .openPanels = smaller(padded - first, blockPanels_),
          .openKeys = smaller(b_.term(o_.keys) - first * lanes_, blockPanels_ * lanes_)});
  });
}

void AttentionEmitter::emitBlocksOfKeys(const RowRange& rows) {
  emitLoop(b_, rows.count, [&](Index row) {
    storeScalar(constant(-std::numeric_limits<double>::infinity()), greatest_, row);
    storeScalar(constant(0), sums_, row);
    emitLoop(b_, valuePanels_, [&](Index panel) {
      const Index place = row * (valuePanels_ * lanes_) + panel * lanes_;
      b_.create<vector::StoreOp>(spread(constant(0)), results_, Value(place));
    });
  });
  const auto emit = [&](const KeyRange& keys) {
    emitScores(rows, keys);
    emitSoftmax(rows, keys);
    emitValues(rows, keys);
  };
  if (hasOpenKeys()) {
    emitOpenBlocks(emit);
    return emitQuotients(rows);
  }
  // The last block has the rest of the keys.
  const int64_t whole = (keyPanels_ - 1) / blockPanels_;
  emitLoop(b_, whole, [&](Index block) {
    emit({.firstPanel = block * blockPanels_, .panels = blockPanels_, .lastLanes = lanes_});
  });
  emit({.firstPanel = b_.index(whole * blockPanels_),
        .panels = keyPanels_ - whole * blockPanels_,
        .lastLanes = keyTail_});
  emitQuotients(rows);
}

void AttentionEmitter::emitRows(const RowRange& rows) {
  if (queries_) copyQueries(rows);
  if (!isWhole()) return emitBlocksOfKeys(rows);
  const KeyRange keys = {.firstPanel = b_.index(0), .panels = keyPanels_, .lastLanes = keyTail_};
  emitScores(rows, keys);
  emitSoftmax(rows, keys);
  emitValues(rows, keys);
}

// A whole tile, or the rest of the rows: by fours, then one by one.
void AttentionEmitter::emitOpenRowCases(const RowRange& all, Value rowTile) {
  const Index first = b_.term(rowTile) * tile_.rows;
  const Index left = b_.term(o_.queries) - first;
  const auto emit = [&](Value row, int64_t count) {
    emitRows({.at = all.at, .batch = all.batch, .first = row, .count = count});
  };
  const auto emitRest = [&] {
    const Index fours = floorDiv(left, b_.index(4));
    if (tile_.rows > 4) emitLoop(b_, fours, [&](Index four) { emit(first + four * 4, 4); });
    const Index rest = tile_.rows > 4 ? left % 4 : left, done = left - rest;
    emitLoop(b_, rest, [&](Index row) { emit(first + done + row, 1); });
  };
  emitIf(b_, left < tile_.rows, emitRest, [&] { emit(first, tile_.rows); });
}

void AttentionEmitter::emitRowCases(ValueRange at, Value rowTile) {
  Index batch = b_.term(0);
  for (auto [position, size] : llvm::zip_equal(at, o_.batchSizes)) batch = batch * size + position;
  scratch_ = allocateFloats(b_, tile_.rows * rowSize_);
  sums_ = allocateFloats(b_, tile_.rows);
  if (!isWhole()) {
    greatest_ = allocateFloats(b_, tile_.rows);
    shrink_ = allocateFloats(b_, tile_.rows);
    results_ = allocateFloats(b_, tile_.rows * valuePanels_ * lanes_);
  }
  if (hasOpenQueries()) {
    querySize_ = s_.depth % 256 == 0 ? s_.depth + lanes_ : s_.depth;
    queries_ = allocateFloats(b_, tile_.rows * querySize_);
    return emitOpenRowCases({.at = at, .batch = batch, .first = {}}, rowTile);
  }
  emitSplitCases(b_, rowSplit_, rowTile, [&](Value first, int64_t count) {
    emitRows({.at = at, .batch = batch, .first = first, .count = count});
  });
}

void AttentionEmitter::run() {
  chooseTiles();
  const bool isDense =
      getConstantIntValue(o_.v.rowStride) == s_.columns && valuePanels_ <= kFewPanels;
  if (!readsKeys_) k_ = panelsOf(o_.k.transposed(), b_.index(s_.depth), o_.keys, !hasFewRows());
  v_ = panelsOf(o_.v, o_.keys, b_.index(s_.columns), !hasFewRows() && !isDense);
  SmallVector<OpFoldResult> space;
  for (const Value size : o_.batchSizes) space.push_back(getAsOpFoldResult(size));
  space.push_back(hasOpenQueries()
                      ? getAsOpFoldResult(b_.ceilDivUnsigned(o_.queries, b_.index(tile_.rows)))
                      : b_.getIndexAttr(rowSplit_.count()));
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  const SmallVector<Value> at = llvm::to_vector_of<Value>(forall.getInductionVars());
  emitRowCases(ArrayRef(at).drop_back(), at.back());
  b_.setInsertionPointAfter(forall);
  for (const MatrixPanels& source : {k_, v_}) {
    if (source.allocation) b_.create<memref::DeallocOp>(source.allocation);
  }
}

void emitAttention(OpBuilder& b, Location loc, const AttentionShape& shape,
                   const AttentionOperands& operands, const CpuTarget& cpu, const Epilogue& scores,
                   const ContractionTuning& tuning) {
  AttentionEmitter(b, loc, shape, operands, cpu, scores, tuning).run();
}

}  // namespace tessera::lowering
