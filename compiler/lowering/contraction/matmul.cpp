// Rows of A are tile rows, blocks of c columns of B are panels. When B (of one batch entry) fits in
// the second-level cache, a tile's rows of A stay in the first level while all panels go by; else
// the panels are outermost and stay while the rows go by. A long reduction is cut: into blocks that
// all rows go by one after the other where panels are larger than the cache, and into parts that
// are computed apart and added at the end where one tile is all there is. For few rows B is read
// where it lies, by tiles or, transposed, in sums of products along its rows.
#include "compiler/lowering/contraction/matmul.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/strided_matrices.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// A tile of the result, by number.
struct TilePlace {
  SmallVector<Value> batch = {};
  Value row = {}, panel = {};
};

class MatmulEmitter {
 public:
  // NOLINTNEXTLINE(modernize-pass-by-value): moving a builder copies it.
  MatmulEmitter(const IndexBuilder& b, const MatmulShape& shape, const CpuTarget& cpu,
                const Epilogue& epilogue, const ContractionTuning& tuning)
      : b_(b),
        shape_(shape),
        lanes_(cpu.vectorLanes),
        cpu_(cpu),
        epilogue_(epilogue),
        tuning_(tuning) {}

  void run(const MatmulOperands& operands);

 private:
  bool isDynamicM() const { return ShapedType::isDynamic(shape_.m); }

  void readSizes(const MatmulOperands& operands);
  void foldBatchIntoRows();
  void choosePanels();
  int64_t wantedSplit() const;
  int64_t wantedBlocks() const;
  void chooseParts();
  Value packB(Value b);
  Index batchNumber(const TilePlace& place);
  Index batchOffset(ArrayRef<int64_t> batch, ValueRange at, Value matrixSize);
  void emitWhole();
  void emitAlongRows();
  void emitColumnsAlongRows(const TilePlace& place, int64_t columns);
  void emitInBlocks();
  void emitSplit();
  /// What is done with a tile whose reduction may still be narrowed.
  using TileUse = llvm::function_ref<void(BrgemmTile&, const OutputTile&)>;
  void emitRowCases(const TilePlace& place, TileUse use);
  void emitPanelCases(const TilePlace& place, Value row, int64_t rows, TileUse use);
  void emitOne(const TilePlace& place, Value row, int64_t rows, int64_t panels,
               int64_t lastPanelLanes, TileUse use);
  int64_t sumsOfTile() const { return tile_.rows * tile_.panels * lanes_; }

  IndexBuilder b_;
  MatmulShape shape_;
  int64_t lanes_;
  const CpuTarget& cpu_;
  const Epilogue& epilogue_;
  ContractionTuning tuning_;

  Value a_, weights_, bias_, output_;  // flat
  Value packed_;                       // B as packB made it, null when it did not
  SmallVector<Value> batchSizes_;      // of the output
  Value m_;                            // as index value
  bool isBDirect_ = false;             // B is read where it lies, row-major
  bool readsRows_ = false;             // and so are the rows of a transposed B
  TileShape tile_;
  EvenSplit rowSplit_;  // static m
  int64_t blocks_ = 0, panelTiles_ = 0, lastPanels_ = 0, tailLanes_ = 0;
  bool isSplit_ = false;  ///< Whether the parts are computed apart.
  ReductionParts parts_;
};

}  // namespace

void MatmulEmitter::readSizes(const MatmulOperands& operands) {
  const auto rank = static_cast<int64_t>(shape_.aBatch.size());
  auto dim = [&](Value memref, int64_t i) { return b_.createOrFold<memref::DimOp>(memref, i); };
  for (int64_t i = 0; i < rank; ++i) {
    // A packed B has other dimensions in its memory; those of its batch are static.
    const int64_t a = shape_.aBatch[i], b = shape_.bBatch[i];
    const bool isKnown = a == 1 && !ShapedType::isDynamic(b);
    batchSizes_.push_back(isKnown ? b_.index(b) : dim(a != 1 ? operands.a : operands.b, i));
  }
  m_ = isDynamicM() ? dim(operands.a, rank + (shape_.transA ? 1 : 0)) : b_.index(shape_.m);
}

// With one B for all, the batch of row-major A is just more rows.
void MatmulEmitter::foldBatchIntoRows() {
  const bool sharesB = llvm::all_of(shape_.bBatch, [](int64_t size) { return size == 1; });
  if (!sharesB || shape_.transA) return;
  for (auto [size, value] : llvm::zip_equal(shape_.aBatch, batchSizes_)) {
    m_ = b_.mul(m_, value);
    const bool isDynamic = isDynamicM() || ShapedType::isDynamic(size);
    shape_.m = isDynamic ? ShapedType::kDynamic : shape_.m * size;
  }
  shape_.aBatch.clear();
  shape_.bBatch.clear();
  batchSizes_.clear();
}

void MatmulEmitter::choosePanels() {
  blocks_ = llvm::divideCeilSigned(shape_.n, lanes_);
  tailLanes_ = shape_.n - (blocks_ - 1) * lanes_;
  tile_ = chooseTile(cpu_, isDynamicM() ? 0 : shape_.m, shape_.transA ? 4 : shape_.k * 4, blocks_,
                     tuning_);
  if (!isDynamicM()) rowSplit_ = splitEvenly(std::max<int64_t>(shape_.m, 1), tile_.rows);
  panelTiles_ = llvm::divideCeilSigned(blocks_, tile_.panels);
  lastPanels_ = blocks_ - (panelTiles_ - 1) * tile_.panels;
  // Packing reads and writes all of B; with few rows that is most of the work.
  const bool fewRows = !isDynamicM() && shape_.m <= 2 * tile_.rows;
  isBDirect_ = !shape_.isBPacked && !shape_.transB && fewRows;
  // Sums along rows read all of B once for each row of A.
  constexpr int64_t kFewestRows = 4;
  readsRows_ =
      !shape_.isBPacked && shape_.transB && !shape_.transA && fewRows && shape_.m <= kFewestRows;
}

// Where one tile is all there is, the reduction is split into parts that are worth waking a thread
// for. Two tiles and more are left to `tune`: adding the parts costs what two threads gain.
int64_t MatmulEmitter::wantedSplit() const {
  constexpr int64_t kParts = 8, kLeastMultiplyAdds = 32 * 1024;
  if (tuning_.split > 0) return tuning_.split;
  const bool isOneEntry =
      llvm::all_of(batchSizes_, [](Value size) { return getConstantIntValue(size) == 1; });
  if (tuning_.reduce > 0 || !isOneEntry || rowSplit_.count() * panelTiles_ > 1) return 1;
  return std::min(kParts, shape_.k * sumsOfTile() / kLeastMultiplyAdds);
}

// Panels that are more than the second-level cache keeps are read anew for each tile of rows, but
// for blocks of them, of half of what it keeps.
int64_t MatmulEmitter::wantedBlocks() const {
  const int64_t stepBytes = tile_.panels * lanes_ * 4;
  if (tuning_.reduce > 0) return llvm::divideCeilSigned(shape_.k, tuning_.reduce);
  if (rowSplit_.count() == 1 || shape_.k * stepBytes <= cpu_.cachedWeightBytes) return 1;
  if (!arePanelsOuter(tuning_, shape_.k * blocks_ * lanes_ * 4, cpu_.cachedWeightBytes)) return 1;
  return llvm::divideCeilSigned(2 * shape_.k * stepBytes, cpu_.cachedWeightBytes);
}

void MatmulEmitter::chooseParts() {
  if (isDynamicM() || shape_.k == 0) return;
  const int64_t split = wantedSplit();
  isSplit_ = split > 1;
  const int64_t count = isSplit_ ? split : wantedBlocks();
  // Whole iterations of the inner loop.
  constexpr int64_t kSteps = 16;
  parts_.size = llvm::divideCeilSigned(shape_.k, count);
  parts_.size = std::min<int64_t>(llvm::alignTo(parts_.size, kSteps), shape_.k);
  parts_.count = llvm::divideCeilSigned(shape_.k, parts_.size);
  parts_.last = shape_.k - (parts_.count - 1) * parts_.size;
}

// B as [bBatch..., n/c, k, c], made in parallel.
Value MatmulEmitter::packB(Value b) {
  StridedMatrices matrices{.memory = flattenMemRef(b_, b_.getLoc(), b),
                           .offset = b_.index(0),
                           .rowStride = b_.index(shape_.transB ? 1 : shape_.n),
                           .columnStride = b_.index(shape_.transB ? shape_.k : 1)};
  PackedSizes sizes{.batch = {}, .rows = b_.index(shape_.k), .columns = b_.index(shape_.n)};
  Value stride = b_.index(shape_.k * shape_.n);
  for (size_t i = shape_.bBatch.size(); i-- > 0;) {
    const bool isShared = shape_.bBatch[i] == 1;
    matrices.batchStrides.insert(matrices.batchStrides.begin(), isShared ? b_.index(0) : stride);
    sizes.batch.insert(sizes.batch.begin(), isShared ? b_.index(1) : batchSizes_[i]);
    stride = b_.mul(stride, sizes.batch.front());
  }
  packed_ = packPanels(b_, matrices, sizes, lanes_).allocation;
  return packed_;
}

// The number of the batch entry, of those of the output.
Index MatmulEmitter::batchNumber(const TilePlace& place) {
  Index batch = b_.term(0);
  for (auto [position, size] : llvm::zip_equal(place.batch, batchSizes_))
    batch = batch * size + position;
  return batch;
}

// Offset of the batch entry `at` of an operand with dimensions `batch`, of which 1s are broadcast.
Index MatmulEmitter::batchOffset(ArrayRef<int64_t> batch, ValueRange at, Value matrixSize) {
  Index offset = b_.term(0);
  Value stride = matrixSize;
  for (size_t i = batch.size(); i-- > 0;) {
    if (batch[i] == 1) continue;
    offset = offset + b_.term(at[i]) * stride;
    stride = b_.mul(stride, batchSizes_[i]);
  }
  return offset;
}

void MatmulEmitter::emitOne(const TilePlace& place, Value row, int64_t rows, int64_t panels,
                            int64_t lastPanelLanes, TileUse use) {
  BrgemmTile tile{.a = a_,
                  .b = weights_,
                  .panels = panels,
                  .lanes = lanes_,
                  .lastPanelLanes = isBDirect_ ? lastPanelLanes : 0};
  // With transA a row is a column of memory; its static strides need a static m.
  const int64_t rowStride = shape_.transA ? 1 : shape_.k;
  int64_t aStep = shape_.transA ? shape_.m : 1;
  int64_t bStep = isBDirect_ ? shape_.n : lanes_;
  tile.panelStride = isBDirect_ ? lanes_ : shape_.k * lanes_;
  tile.loops = {{.extent = shape_.k, .aStride = aStep, .bStride = bStep}};
  const int64_t accumulators = rows * panels;
  tile.unroll = tuning_.unroll > 0 ? tuning_.unroll : accumulators <= 8 ? 8 : 4;
  tile.partialSums = std::clamp<int64_t>(8 / accumulators, 1, 4);

  const Index firstBlock = b_.term(place.panel) * tile_.panels;
  tile.aOffset =
      batchOffset(shape_.aBatch, place.batch, b_.mul(m_, shape_.k)) + b_.term(row) * rowStride;
  const int64_t bMatrix = isBDirect_ ? shape_.k * shape_.n : blocks_ * shape_.k * lanes_;
  tile.bOffset =
      batchOffset(shape_.bBatch, place.batch, b_.index(bMatrix)) + firstBlock * tile.panelStride;
  const Index batch = batchNumber(place);
  OutputTile out{.output = output_,
                 .panelStride = lanes_,
                 .bias = bias_,
                 .lastPanelLanes = lastPanelLanes,
                 .batch = batch};
  out.row = batch * m_ + row;
  out.channelOffset = firstBlock * lanes_;
  out.offset = b_.term(out.row) * shape_.n + out.channelOffset;
  for (int64_t i = 0; i < rows; ++i) {
    tile.rowOffsets.push_back(i * rowStride);
    out.rowOffsets.push_back(i * shape_.n);
  }
  use(tile, out);
}

void MatmulEmitter::emitPanelCases(const TilePlace& place, Value row, int64_t rows, TileUse use) {
  if (lastPanels_ == tile_.panels && tailLanes_ == lanes_)
    return emitOne(place, row, rows, tile_.panels, lanes_, use);
  if (panelTiles_ == 1) return emitOne(place, row, rows, lastPanels_, tailLanes_, use);
  emitIf(
      b_, b_.equal(place.panel, panelTiles_ - 1),
      [&] { emitOne(place, row, rows, lastPanels_, tailLanes_, use); },
      [&] { emitOne(place, row, rows, tile_.panels, lanes_, use); });
}

void MatmulEmitter::emitRowCases(const TilePlace& place, TileUse use) {
  if (!isDynamicM()) {
    emitSplitCases(b_, rowSplit_, place.row,
                   [&](Value row, int64_t rows) { emitPanelCases(place, row, rows, use); });
    return;
  }
  // A whole tile, or the rest in tiles of 16, 8, 4, 2 and 1 rows as its binary digits say.
  Index row = b_.term(place.row) * tile_.rows;
  const Value left = b_.sub(m_, row);
  const Value isWhole =
      b_.create<arith::CmpIOp>(arith::CmpIPredicate::sge, left, b_.index(tile_.rows));
  const auto emitRest = [&] {
    for (int64_t rows = 16; rows >= 1; rows /= 2) {
      if (rows >= tile_.rows) continue;
      const Value digit = b_.create<arith::AndIOp>(left, b_.index(rows));
      const Value has = b_.create<arith::CmpIOp>(arith::CmpIPredicate::ne, digit, b_.index(0));
      emitIf(b_, has, [&] { emitPanelCases(place, row, rows, use); });
      row = row + digit;
    }
  };
  emitIf(b_, isWhole, [&] { emitPanelCases(place, row, tile_.rows, use); }, emitRest);
}

void MatmulEmitter::emitWhole() {
  OpFoldResult rowTiles = b_.getIndexAttr(rowSplit_.count());
  if (isDynamicM()) rowTiles = b_.create<arith::CeilDivUIOp>(m_, b_.index(tile_.rows)).getResult();
  const OpFoldResult panelTiles = b_.getIndexAttr(panelTiles_);
  const bool arePanelsInner =
      !arePanelsOuter(tuning_, shape_.k * blocks_ * lanes_ * 4, cpu_.cachedWeightBytes);
  SmallVector<OpFoldResult> space(batchSizes_.begin(), batchSizes_.end());
  space.push_back(arePanelsInner ? rowTiles : panelTiles);
  space.push_back(arePanelsInner ? panelTiles : rowTiles);
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  SmallVector<Value> at = llvm::to_vector_of<Value>(forall.getInductionVars());
  const Value last = at.pop_back_val(), outer = at.pop_back_val();
  emitRowCases(
      {.batch = at, .row = arePanelsInner ? outer : last, .panel = arePanelsInner ? last : outer},
      [&](BrgemmTile& tile, const OutputTile& out) {
        emitTile(b_, b_.getLoc(), tile, out, epilogue_);
      });
}

// Of a transposed B: results in as many columns of the panel, of which each is a row of B.
void MatmulEmitter::emitColumnsAlongRows(const TilePlace& place, int64_t columns) {
  const Index batch = batchNumber(place);
  const Index column = b_.term(place.panel) * lanes_;
  const Index firstA = batchOffset(shape_.aBatch, place.batch, b_.index(shape_.m * shape_.k));
  const Index firstB = batchOffset(shape_.bBatch, place.batch, b_.index(shape_.n * shape_.k));
  SmallVector<Index> rowsOfB;
  for (int64_t i = 0; i < columns; ++i) rowsOfB.push_back(firstB + (column + i) * shape_.k);
  for (int64_t row = 0; row < shape_.m; ++row) {
    const MatrixRow rowOfA = {
        .memory = a_, .place = firstA + row * shape_.k, .size = b_.index(shape_.k)};
    Value sum = sumAlongRows(b_, rowOfA, weights_, rowsOfB, lanes_);
    if (bias_)
      sum =
          b_.create<arith::AddFOp>(sum, loadLanes(b_, b_.getLoc(), bias_, column, lanes_, columns));
    const Index number = batch * shape_.m + row;
    storeResult({.b = b_,
                 .loc = b_.getLoc(),
                 .accumulator = sum,
                 .outputOffset = number * shape_.n + column,
                 .channelOffset = column,
                 .batch = batch,
                 .row = number,
                 .lanes = lanes_,
                 .validLanes = columns},
                epilogue_, output_);
  }
}

void MatmulEmitter::emitAlongRows() {
  SmallVector<OpFoldResult> space(batchSizes_.begin(), batchSizes_.end());
  space.push_back(b_.getIndexAttr(blocks_));
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  TilePlace place{.batch = llvm::to_vector_of<Value>(forall.getInductionVars())};
  place.panel = place.batch.pop_back_val();
  const int64_t ends[] = {shape_.n / lanes_, blocks_};
  if (tailLanes_ == lanes_ || blocks_ == 1) return emitColumnsAlongRows(place, tailLanes_);
  emitRunCases(b_, place.panel, ends,
               [&](size_t run) { emitColumnsAlongRows(place, run == 0 ? lanes_ : tailLanes_); });
}

// A block of the panels stays in the second-level cache while rows go by.
void MatmulEmitter::emitInBlocks() {
  const int64_t rowTiles = rowSplit_.count();
  const int64_t together = tilesTogether(sumsOfTile(), rowTiles);
  SmallVector<OpFoldResult> space(batchSizes_.begin(), batchSizes_.end());
  space.push_back(b_.getIndexAttr(panelTiles_));
  space.push_back(b_.getIndexAttr(llvm::divideCeilSigned(rowTiles, together)));
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  TilePlace place{.batch = llvm::to_vector_of<Value>(forall.getInductionVars())};
  const Index group = b_.term(place.batch.pop_back_val());
  place.panel = place.batch.pop_back_val();
  const Index first = group * together;
  const Value end = b_.smaller(first + together, b_.index(rowTiles));
  const Value sums = allocateFloats(b_, together * sumsOfTile());
  const auto forRows = [&](TileUse use, PartialSums& at) {
    auto rows = b_.create<scf::ForOp>(first, end, b_.index(1));
    const OpBuilder::InsertionGuard inner(b_);
    b_.setInsertionPointToStart(rows.getBody());
    place.row = rows.getInductionVar();
    at.offset = (b_.term(place.row) - first) * sumsOfTile();
    emitRowCases(place, use);
  };
  PartialSums at{.memref = sums};
  auto blocks = b_.create<scf::ForOp>(b_.index(0), b_.index(parts_.count), b_.index(1));
  {
    const OpBuilder::InsertionGuard inner(b_);
    b_.setInsertionPointToStart(blocks.getBody());
    const Value part = blocks.getInductionVar();
    const Value isFirst = b_.equal(part, 0);
    forRows(
        [&](BrgemmTile& tile, const OutputTile&) { emitPart(b_, tile, parts_, part, at, isFirst); },
        at);
  }
  forRows([&](BrgemmTile& tile,
              const OutputTile& out) { emitSummedTile(b_, b_.getLoc(), tile, out, epilogue_, at); },
          at);
  b_.create<memref::DeallocOp>(sums);
}

// Parts are summed one after the other whoever computed them: the result depends on no thread.
void MatmulEmitter::emitSplit() {
  const int64_t rowTiles = rowSplit_.count(), stride = sumsOfTile();
  Value tiles = b_.index(rowTiles * panelTiles_);
  for (const Value size : batchSizes_) tiles = b_.mul(tiles, size);
  const Value sums = b_.create<memref::AllocOp>(
      MemRefType::get({ShapedType::kDynamic}, b_.getF32Type()),
      ValueRange{b_.mul(tiles, parts_.count * stride)}, b_.getI64IntegerAttr(64));
  const auto placeOf = [&](const TilePlace& place) {
    return ((batchNumber(place) * rowTiles + place.row) * panelTiles_ + place.panel) *
           (parts_.count * stride);
  };
  SmallVector<OpFoldResult> space(batchSizes_.begin(), batchSizes_.end());
  for (const int64_t size : {rowTiles, panelTiles_, parts_.count})
    space.push_back(b_.getIndexAttr(size));
  {
    const OpBuilder::InsertionGuard guard(b_);
    scf::ForallOp forall = openForall(b_, space);
    TilePlace place{.batch = llvm::to_vector_of<Value>(forall.getInductionVars())};
    const Value part = place.batch.pop_back_val();
    place.panel = place.batch.pop_back_val();
    place.row = place.batch.pop_back_val();
    const PartialSums at{.memref = sums, .offset = placeOf(place) + b_.term(part) * stride};
    emitRowCases(
        place, [&](BrgemmTile& tile, const OutputTile&) { emitPart(b_, tile, parts_, part, at); });
  }
  space.pop_back();
  {
    // Few tiles and few sums: not worth waking anybody.
    const OpBuilder::InsertionGuard guard(b_);
    TilePlace place;
    for (const OpFoldResult size : space) {
      const Value end = getValueOrCreateConstantIndexOp(b_, b_.getLoc(), size);
      auto loop = b_.create<scf::ForOp>(b_.index(0), end, b_.index(1));
      b_.setInsertionPointToStart(loop.getBody());
      place.batch.push_back(loop.getInductionVar());
    }
    place.panel = place.batch.pop_back_val();
    place.row = place.batch.pop_back_val();
    const PartialSums at{.memref = sums, .offset = placeOf(place)};
    emitRowCases(place, [&](BrgemmTile& tile, const OutputTile& out) {
      emitSummedTile(b_, b_.getLoc(), tile, out, epilogue_, at, parts_.count, stride);
    });
  }
  b_.create<memref::DeallocOp>(sums);
}

void MatmulEmitter::run(const MatmulOperands& operands) {
  if (shape_.m == 0 || shape_.n == 0) return;
  readSizes(operands);
  foldBatchIntoRows();
  choosePanels();
  a_ = flattenMemRef(b_, b_.getLoc(), operands.a);
  output_ = flattenMemRef(b_, b_.getLoc(), operands.output);
  bias_ = operands.bias ? flattenMemRef(b_, b_.getLoc(), operands.bias) : Value();
  const bool isWhereItLies = shape_.isBPacked || isBDirect_ || readsRows_;
  weights_ = isWhereItLies ? flattenMemRef(b_, b_.getLoc(), operands.b) : packB(operands.b);
  if (readsRows_) return emitAlongRows();
  chooseParts();
  if (parts_.count == 1)
    emitWhole();
  else if (isSplit_)
    emitSplit();
  else
    emitInBlocks();
  if (packed_) b_.create<memref::DeallocOp>(packed_);
}

void emitMatmul(OpBuilder& b, Location loc, const MatmulShape& shape,
                const MatmulOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                const ContractionTuning& tuning) {
  MatmulEmitter({loc, b}, shape, cpu, epilogue, tuning).run(operands);
}

}  // namespace tessera::lowering
