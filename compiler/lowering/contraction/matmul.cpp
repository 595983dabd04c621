// Rows of A are tile rows, blocks of c columns of B are panels. When B (of one batch entry) fits in
// the second-level cache, a tile's rows of A stay in the first level while all panels go by; else
// the panels are outermost and stay while the rows go by.
#include "compiler/lowering/contraction/matmul.h"

#include "compiler/lowering/contraction/tile.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class MatmulEmitter {
 public:
  MatmulEmitter(OpBuilder& b, Location loc, const MatmulShape& shape, const CpuTarget& cpu,
                const Epilogue& epilogue, const ContractionTuning& tuning)
      : b_(b),
        loc_(loc),
        shape_(shape),
        lanes_(cpu.vectorLanes),
        cpu_(cpu),
        epilogue_(epilogue),
        tuning_(tuning) {}

  void run(const MatmulOperands& operands);

 private:
  Value constant(int64_t value) { return b_.create<arith::ConstantIndexOp>(loc_, value); }
  Value times(Value x, Value y) { return b_.createOrFold<arith::MulIOp>(loc_, x, y); }
  Value times(Value x, int64_t y) { return y == 1 ? x : times(x, constant(y)); }
  Value sum(Value x, Value y) { return b_.createOrFold<arith::AddIOp>(loc_, x, y); }
  bool isDynamicM() const { return ShapedType::isDynamic(shape_.m); }

  void readSizes(const MatmulOperands& operands);
  void foldBatchIntoRows();
  void choosePanels();
  Value packB(Value b);
  Value batchOffset(ArrayRef<int64_t> batch, ValueRange at, Value matrixSize);
  scf::ForallOp openForall(ArrayRef<OpFoldResult> space);
  void emitPackedPanel(Value source, Value from, Value target, Value to, int64_t width);
  void emitRowCases(ValueRange batchAt, Value rowTile, Value panelTile);
  void emitPanelCases(ValueRange batchAt, Value row, int64_t rows, Value panelTile);
  void emitOne(ValueRange batchAt, Value row, int64_t rows, Value panelTile, int64_t panels,
               int64_t lastPanelLanes);

  OpBuilder& b_;
  Location loc_;
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
  TileShape tile_;
  EvenSplit rowSplit_;  // static m
  int64_t blocks_ = 0, panelTiles_ = 0, lastPanels_ = 0, tailLanes_ = 0;
};

}  // namespace

void MatmulEmitter::readSizes(const MatmulOperands& operands) {
  size_t rank = shape_.aBatch.size();
  auto dim = [&](Value memref, int64_t i) {
    return b_.createOrFold<memref::DimOp>(loc_, memref, i);
  };
  for (size_t i = 0; i < rank; ++i) {
    // A packed B has no batch dimensions in its memory.
    const int64_t a = shape_.aBatch[i], b = shape_.bBatch[i];
    const bool isKnown = a == 1 && !ShapedType::isDynamic(b);
    batchSizes_.push_back(isKnown ? constant(b) : dim(a != 1 ? operands.a : operands.b, i));
  }
  m_ = isDynamicM() ? dim(operands.a, rank + (shape_.transA ? 1 : 0)) : constant(shape_.m);
}

// With one B for all, the batch of row-major A is just more rows.
void MatmulEmitter::foldBatchIntoRows() {
  bool sharesB = llvm::all_of(shape_.bBatch, [](int64_t size) { return size == 1; });
  if (!sharesB || shape_.transA) return;
  for (auto [size, value] : llvm::zip_equal(shape_.aBatch, batchSizes_)) {
    m_ = times(m_, value);
    bool isDynamic = isDynamicM() || ShapedType::isDynamic(size);
    shape_.m = isDynamic ? ShapedType::kDynamic : shape_.m * size;
  }
  shape_.aBatch.clear();
  shape_.bBatch.clear();
  batchSizes_.clear();
}

void MatmulEmitter::choosePanels() {
  blocks_ = (shape_.n + lanes_ - 1) / lanes_;
  tailLanes_ = shape_.n - (blocks_ - 1) * lanes_;
  tile_ = chooseTile(cpu_, isDynamicM() ? 0 : shape_.m, shape_.transA ? 4 : shape_.k * 4, blocks_,
                     tuning_);
  if (!isDynamicM()) rowSplit_ = splitEvenly(std::max<int64_t>(shape_.m, 1), tile_.rows);
  panelTiles_ = (blocks_ + tile_.panels - 1) / tile_.panels;
  lastPanels_ = blocks_ - (panelTiles_ - 1) * tile_.panels;
  // Packing reads and writes all of B; with few rows that is most of the work.
  bool fewRows = !isDynamicM() && shape_.m <= 2 * tile_.rows;
  isBDirect_ = !shape_.isBPacked && !shape_.transB && tailLanes_ == lanes_ && fewRows;
}

scf::ForallOp MatmulEmitter::openForall(ArrayRef<OpFoldResult> space) {
  SmallVector<OpFoldResult> zeros(space.size(), b_.getIndexAttr(0)),
      ones(space.size(), b_.getIndexAttr(1));
  auto forall = b_.create<scf::ForallOp>(loc_, zeros, space, ones, ValueRange(), std::nullopt);
  b_.setInsertionPoint(forall.getTerminator());
  return forall;
}

// target[to + k * lanes + lane] = B[k, first column + lane], lanes beyond `width` 0.
void MatmulEmitter::emitPackedPanel(Value source, Value from, Value target, Value to,
                                    int64_t width) {
  auto loop = b_.create<scf::ForOp>(loc_, constant(0), constant(shape_.k), constant(1));
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  Value row = sum(to, times(k, lanes_));
  if (!shape_.transB) {
    Value values = loadLanes(b_, loc_, source, sum(from, times(k, shape_.n)), lanes_, width);
    storeLanes(b_, loc_, values, target, row, lanes_);
    return;
  }
  Value zero = b_.create<arith::ConstantOp>(loc_, b_.getF32FloatAttr(0));
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    Value value = zero;
    if (lane < width)
      value = b_.create<memref::LoadOp>(loc_, source, sum(sum(from, constant(lane * shape_.k)), k));
    b_.create<memref::StoreOp>(loc_, value, target, sum(row, constant(lane)));
  }
}

// B as [bBatch..., n/c, k, c], made in parallel.
Value MatmulEmitter::packB(Value b) {
  Value source = flattenMemRef(b_, loc_, b);
  SmallVector<int64_t> dims(shape_.bBatch.begin(), shape_.bBatch.end());
  SmallVector<Value> dynamicSizes;
  SmallVector<OpFoldResult> space;
  Value matrices = constant(1);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (ShapedType::isDynamic(dims[i])) dynamicSizes.push_back(batchSizes_[i]);
    matrices = times(matrices, ShapedType::isDynamic(dims[i]) ? batchSizes_[i] : constant(dims[i]));
  }
  dims.append({blocks_ * shape_.k * lanes_});
  packed_ = b_.create<memref::AllocOp>(loc_, MemRefType::get(dims, b_.getF32Type()), dynamicSizes,
                                       b_.getI64IntegerAttr(64));
  Value target = flattenMemRef(b_, loc_, packed_);
  OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall =
      openForall({OpFoldResult(matrices), OpFoldResult(b_.getIndexAttr(blocks_))});
  Value matrix = forall.getInductionVars()[0], block = forall.getInductionVars()[1];
  Value from = sum(times(matrix, shape_.k * shape_.n),
                   times(block, lanes_ * (shape_.transB ? shape_.k : 1)));
  Value to = times(sum(times(matrix, blocks_), block), shape_.k * lanes_);
  if (tailLanes_ == lanes_) {
    emitPackedPanel(source, from, target, to, lanes_);
    return target;
  }
  Value isLast =
      b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::eq, block, constant(blocks_ - 1));
  auto choice = b_.create<scf::IfOp>(loc_, isLast, /*withElseRegion=*/true);
  b_.setInsertionPointToStart(choice.thenBlock());
  emitPackedPanel(source, from, target, to, tailLanes_);
  b_.setInsertionPointToStart(choice.elseBlock());
  emitPackedPanel(source, from, target, to, lanes_);
  return target;
}

// Offset of the batch entry `at` of an operand with dimensions `batch`, of which 1s are broadcast.
Value MatmulEmitter::batchOffset(ArrayRef<int64_t> batch, ValueRange at, Value matrixSize) {
  Value offset = constant(0);
  Value stride = matrixSize;
  for (size_t i = batch.size(); i-- > 0;) {
    if (batch[i] == 1) continue;
    offset = sum(offset, times(at[i], stride));
    stride = times(stride, batchSizes_[i]);
  }
  return offset;
}

void MatmulEmitter::emitOne(ValueRange batchAt, Value row, int64_t rows, Value panelTile,
                            int64_t panels, int64_t lastPanelLanes) {
  BrgemmTile tile{.a = a_, .b = weights_, .panels = panels, .lanes = lanes_};
  // With transA a row is a column of memory; its static strides need a static m.
  int64_t rowStride = shape_.transA ? 1 : shape_.k;
  int64_t aStep = shape_.transA ? shape_.m : 1;
  int64_t bStep = isBDirect_ ? shape_.n : lanes_;
  tile.panelStride = isBDirect_ ? lanes_ : shape_.k * lanes_;
  tile.loops = {{shape_.k, aStep, bStep}};
  int64_t accumulators = rows * panels;
  tile.unroll = tuning_.unroll > 0 ? tuning_.unroll : accumulators <= 8 ? 8 : 4;
  tile.partialSums = std::clamp<int64_t>(8 / accumulators, 1, 4);

  Value firstBlock = times(panelTile, tile_.panels);
  tile.aOffset =
      sum(batchOffset(shape_.aBatch, batchAt, times(m_, shape_.k)), times(row, rowStride));
  int64_t bMatrix = isBDirect_ ? shape_.k * shape_.n : blocks_ * shape_.k * lanes_;
  tile.bOffset = sum(batchOffset(shape_.bBatch, batchAt, constant(bMatrix)),
                     times(firstBlock, tile.panelStride));
  Value batch = constant(0);
  for (auto [position, size] : llvm::zip_equal(batchAt, batchSizes_))
    batch = sum(times(batch, size), position);
  OutputTile out{.output = output_,
                 .panelStride = lanes_,
                 .bias = bias_,
                 .lastPanelLanes = lastPanelLanes,
                 .batch = batch};
  out.row = sum(times(batch, m_), row);
  out.channelOffset = times(firstBlock, lanes_);
  out.offset = sum(times(out.row, shape_.n), out.channelOffset);
  for (int64_t i = 0; i < rows; ++i) {
    tile.rowOffsets.push_back(i * rowStride);
    out.rowOffsets.push_back(i * shape_.n);
  }
  emitTile(b_, loc_, tile, out, epilogue_);
}

void MatmulEmitter::emitPanelCases(ValueRange batchAt, Value row, int64_t rows, Value panelTile) {
  if (lastPanels_ == tile_.panels && tailLanes_ == lanes_)
    return emitOne(batchAt, row, rows, panelTile, tile_.panels, lanes_);
  if (panelTiles_ == 1) return emitOne(batchAt, row, rows, panelTile, lastPanels_, tailLanes_);
  Value isLast = b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::eq, panelTile,
                                          constant(panelTiles_ - 1));
  auto choice = b_.create<scf::IfOp>(loc_, isLast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(choice.thenBlock());
  emitOne(batchAt, row, rows, panelTile, lastPanels_, tailLanes_);
  b_.setInsertionPointToStart(choice.elseBlock());
  emitOne(batchAt, row, rows, panelTile, tile_.panels, lanes_);
}

void MatmulEmitter::emitRowCases(ValueRange batchAt, Value rowTile, Value panelTile) {
  if (!isDynamicM()) {
    emitSplitCases(b_, loc_, rowSplit_, rowTile,
                   [&](Value row, int64_t rows) { emitPanelCases(batchAt, row, rows, panelTile); });
    return;
  }
  // A whole tile, or the rest in tiles of 16, 8, 4, 2 and 1 rows as its binary digits say.
  Value row = times(rowTile, tile_.rows);
  Value left = b_.create<arith::SubIOp>(loc_, m_, row);
  Value isWhole =
      b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::sge, left, constant(tile_.rows));
  auto choice = b_.create<scf::IfOp>(loc_, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(choice.thenBlock());
  emitPanelCases(batchAt, row, tile_.rows, panelTile);
  b_.setInsertionPointToStart(choice.elseBlock());
  for (int64_t rows = 16; rows >= 1; rows /= 2) {
    if (rows >= tile_.rows) continue;
    Value digit = b_.create<arith::AndIOp>(loc_, left, constant(rows));
    Value has = b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::ne, digit, constant(0));
    auto part = b_.create<scf::IfOp>(loc_, has, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(b_);
      b_.setInsertionPointToStart(part.thenBlock());
      emitPanelCases(batchAt, row, rows, panelTile);
    }
    row = sum(row, digit);
  }
}

void MatmulEmitter::run(const MatmulOperands& operands) {
  if (shape_.m == 0 || shape_.n == 0) return;
  readSizes(operands);
  foldBatchIntoRows();
  choosePanels();
  a_ = flattenMemRef(b_, loc_, operands.a);
  output_ = flattenMemRef(b_, loc_, operands.output);
  bias_ = operands.bias ? flattenMemRef(b_, loc_, operands.bias) : Value();
  weights_ =
      shape_.isBPacked || isBDirect_ ? flattenMemRef(b_, loc_, operands.b) : packB(operands.b);

  SmallVector<OpFoldResult> space(batchSizes_.begin(), batchSizes_.end());
  size_t rank = space.size();
  OpFoldResult rowTiles = b_.getIndexAttr(rowSplit_.count());
  if (isDynamicM())
    rowTiles = b_.create<arith::CeilDivUIOp>(loc_, m_, constant(tile_.rows)).getResult();
  bool weightsStay = shape_.k * blocks_ * lanes_ * 4 <= cpu_.cachedWeightBytes;
  space.push_back(weightsStay ? rowTiles : OpFoldResult(b_.getIndexAttr(panelTiles_)));
  space.push_back(weightsStay ? OpFoldResult(b_.getIndexAttr(panelTiles_)) : rowTiles);
  OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(space);
  SmallVector<Value> at = llvm::to_vector_of<Value>(forall.getInductionVars());
  emitRowCases(ArrayRef(at).take_front(rank), at[rank + (weightsStay ? 0 : 1)],
               at[rank + (weightsStay ? 1 : 0)]);
  if (!packed_) return;
  b_.setInsertionPointAfter(forall);
  b_.create<memref::DeallocOp>(loc_, packed_);
}

void emitMatmul(OpBuilder& b, Location loc, const MatmulShape& shape,
                const MatmulOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                const ContractionTuning& tuning) {
  MatmulEmitter(b, loc, shape, cpu, epilogue, tuning).run(operands);
}

}  // namespace tessera::lowering
