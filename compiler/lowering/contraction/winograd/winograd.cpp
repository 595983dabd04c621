// The image is cut into squares of 4x4 results, each of which reads 6x6 elements. Squares and
// weights are transformed to 36 numbers each, the products over channels of which are 36 products
// of matrices, [squares x input channels] * [input channels x output channels]; results are
// transformed back. So many squares at a time as have their transformed elements in the caches: all
// threads transform them, then each multiplies a few of them by a few blocks of output channels,
// whose 36 products stay in its first caches until they are transformed back. A square has 2x2
// windows of a pool that is behind it.
#include "compiler/lowering/contraction/winograd/winograd.h"

#include "compiler/lowering/contraction/address.h"
#include "compiler/lowering/contraction/brgemm.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/contraction/window_rows.h"
#include "compiler/lowering/contraction/winograd/square.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

constexpr int64_t kPooled = 2;  // Results of a window, in each direction.
// Transformed elements of all squares that are worked on at a time.
constexpr int64_t kTransformedBytes = int64_t{1} << 20;
// Padding between the matrices of two products: else they would meet in a few lines of a cache.
constexpr int64_t kGap = 48;

/// Everything static about one convolution.
struct WinogradPlan {
  int64_t lanes, inBlocks, outBlocks;
  int64_t squareRows, squareColumns;
  int64_t squares = 0;  // in all images; in one, where their number is open
  int64_t depth = 1;    // slices of an image, each of which is one by itself

  // Where a block of channels of a slice begins; slices are counted over all images.
  Index planeOf(const Index& slice, int64_t blocks, const Index& block, int64_t size) const {
    if (depth == 1) return (slice * blocks + block) * size;
    return ((floorDiv(slice, depth) * blocks + block) * depth + slice % depth) * size;
  }
  int64_t tileRows = 1, panels = 1, panelTiles = 1, lastPanels = 1;
  int64_t atATime = 1;         // squares, a multiple of tileRows
  bool arePanelsInner = true;  // panels are the inner loop, over the squares of one tile

  int64_t inChannels() const { return inBlocks * lanes; }
  int64_t planeStride() const { return atATime * inChannels() + kGap; }
  int64_t panelStride() const { return kProducts * inChannels() * lanes; }
};

/// Where the results of a square are: a block of channels of a slice, and the first position.
struct SquarePlace {
  Value slice, block;
  Index row, column;
};

class WinogradEmitter {
 public:
  WinogradEmitter(const IndexBuilder& b, const ConvShape& shape, const WinogradPlan& plan,
                  const Epilogue& epilogue, const Pool* pool)
      : b_(b),
        s_(shape),
        p_(plan),
        epilogue_(epilogue),
        pool_(pool),
        vector_(VectorType::get({plan.lanes}, b_.getF32Type())) {}

  Value input, weights, bias, output, transformed;  // flat
  Value squares;                                    // index: in all slices

  void emitInput(Value first, Value square, Value inBlock);
  void emitProducts(Value first, Value tile, Value panelTile);

 private:
  Value constant(double value) {
    return b_.create<arith::ConstantOp>(DenseElementsAttr::get(vector_, static_cast<float>(value)));
  }
  Value plus(Value a, Value b) { return b_.create<arith::AddFOp>(a, b); }
  Value minus(Value a, Value b) { return b_.create<arith::SubFOp>(a, b); }
  Value times(Value a, double factor) { return b_.create<arith::MulFOp>(a, constant(factor)); }
  // a * factor + b
  Value fma(Value a, double factor, Value b) {
    return b_.create<vector::FMAOp>(a, constant(factor), b);
  }
  Square elementsToProducts(ArrayRef<Value> d);
  Square productsToResults(ArrayRef<Value> m);
  Value borderSquare(Value slice, Value inBlock, Index row, Index column, Value copy);
  void emitPanels(Value first, Value tile, Value panelTile, int64_t panels);
  void emitResults(Value square, Value panel, Value block, Value products, Value results,
                   int64_t panels);
  void storeResults(const SquarePlace& place, Value results);
  void storePooled(const SquarePlace& place, Value results);
  EpilogueContext sumAt(const SquarePlace& place, const Index& y, const Index& x, Value results);

  IndexBuilder b_;
  const ConvShape& s_;
  const WinogradPlan& p_;
  const Epilogue& epilogue_;
  const Pool* pool_;  // Null: results are stored as they are.
  VectorType vector_;
};

}  // namespace

// B' d, for one row or column of 6.
Square WinogradEmitter::elementsToProducts(ArrayRef<Value> d) {
  const Value evenA = fma(d[2], -kB2, d[4]), oddA = times(fma(d[1], -kB2, d[3]), kA),
              evenB = fma(d[2], -kA2, d[4]), oddB = times(fma(d[1], -kA2, d[3]), kB);
  return {fma(d[0], kA2 * kB2, fma(d[2], -(kA2 + kB2), d[4])),
          plus(evenA, oddA),
          minus(evenA, oddA),
          plus(evenB, oddB),
          minus(evenB, oddB),
          fma(d[1], kA2 * kB2, fma(d[3], -(kA2 + kB2), d[5]))};
}

// A' m, for one row or column of 6.
Square WinogradEmitter::productsToResults(ArrayRef<Value> m) {
  const Value sumA = plus(m[1], m[2]), sumB = plus(m[3], m[4]), differenceA = minus(m[1], m[2]),
              differenceB = minus(m[3], m[4]);
  return {plus(plus(m[0], sumA), sumB), fma(differenceB, kB, times(differenceA, kA)),
          fma(sumB, kB2, times(sumA, kA2)),
          plus(fma(differenceB, kB2 * kB, times(differenceA, kA2 * kA)), m[5])};
}

// The address of `copy`, of the elements of a square at the border with zeros outside of the image.
Value WinogradEmitter::borderSquare(Value slice, Value inBlock, Index row, Index column,
                                    Value copy) {
  const Value zero = constant(0);
  const Index plane =
      p_.planeOf(b_.term(slice), p_.inBlocks, b_.term(inBlock), s_.inHeight * s_.inWidth);
  emitLoop(b_, kElements, [&](Value y) {
    emitLoop(b_, kElements, [&](Value x) {
      const Index atRow = row + y, atColumn = column + x;
      const Condition isInside = Condition(b_, b_.isInside(atRow, b_.index(s_.inHeight))) &
                                 b_.isInside(atColumn, b_.index(s_.inWidth));
      auto choice = b_.create<scf::IfOp>(vector_, Value(isInside), /*withElseRegion=*/true);
      {
        const OpBuilder::InsertionGuard guard(b_);
        b_.setInsertionPointToStart(choice.thenBlock());
        const Index at = (plane + atRow * s_.inWidth + atColumn) * p_.lanes;
        b_.create<scf::YieldOp>(ValueRange{b_.create<vector::LoadOp>(vector_, input, Value(at))});
        b_.setInsertionPointToStart(choice.elseBlock());
        b_.create<scf::YieldOp>(ValueRange{zero});
      }
      const Index to = (b_.term(y) * kElements + x) * p_.lanes;
      b_.create<vector::StoreOp>(choice.getResult(0), copy, Value(to));
    });
  });
  return addressOf(b_, copy, b_.index(0));
}

// Transforms one channel block of square number `first` + `square`.
void WinogradEmitter::emitInput(Value first, Value square, Value inBlock) {
  const Index number = b_.term(first) + square;
  const Index slice = floorDiv(number, p_.squareRows * p_.squareColumns);
  const Index inSlice = number % b_.index(p_.squareRows * p_.squareColumns);
  const Index row = floorDiv(inSlice, p_.squareColumns) * kResults - s_.padTop;
  const Index column = inSlice % b_.index(p_.squareColumns) * b_.index(kResults) - s_.padLeft;
  const Condition isInside = (b_.term(0) <= row) & (b_.term(0) <= column) &
                             (row + kElements <= s_.inHeight) & (column + kElements <= s_.inWidth);
  const Value copy = allocateFloats(b_, kProducts * p_.lanes);
  const Type pointer = LLVM::LLVMPointerType::get(b_.getContext());
  auto choice = b_.create<scf::IfOp>(TypeRange{pointer, b_.getIndexType()}, Value(isInside),
                                     /*withElseRegion=*/true);
  {
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(choice.thenBlock());
    const Index plane = p_.planeOf(slice, p_.inBlocks, b_.term(inBlock), s_.inHeight * s_.inWidth);
    const Index at = (plane + row * s_.inWidth + column) * p_.lanes;
    b_.create<scf::YieldOp>(ValueRange{addressOf(b_, input, at), b_.index(s_.inWidth * p_.lanes)});
    b_.setInsertionPointToStart(choice.elseBlock());
    b_.create<scf::YieldOp>(ValueRange{borderSquare(slice, inBlock, row, column, copy),
                                       b_.index(kElements * p_.lanes)});
  }
  Square elements;
  Value rowAddress = choice.getResult(0);
  for (int64_t y = 0; y < kElements; ++y) {
    for (int64_t x = 0; x < kElements; ++x)
      elements.push_back(loadAt(b_, vector_, advance(b_, rowAddress, x * p_.lanes)));
    rowAddress = advance(b_, rowAddress, choice.getResult(1));
  }
  const Square products = transformSquare(elements, kElements,
                                          [&](ArrayRef<Value> d) { return elementsToProducts(d); });
  const Index to = b_.term(square) * p_.inChannels() + b_.mul(inBlock, p_.lanes);
  for (auto [k, value] : llvm::enumerate(products)) {
    const Index at = to + static_cast<int64_t>(k) * p_.planeStride();
    b_.create<vector::StoreOp>(value, transformed, Value(at));
  }
  b_.create<memref::DeallocOp>(copy);
}

// The sum at row y and column x of a square, and where its result belongs.
EpilogueContext WinogradEmitter::sumAt(const SquarePlace& place, const Index& y, const Index& x,
                                       Value results) {
  const Index slice = b_.term(place.slice);
  const Index plane =
      p_.planeOf(slice, p_.outBlocks, b_.term(place.block), s_.outHeight() * s_.outWidth());
  Value sum = b_.create<vector::LoadOp>(vector_, results, Value((y * kResults + x) * p_.lanes));
  const Index channel = b_.term(place.block) * p_.lanes;
  if (bias) sum = plus(sum, b_.create<vector::LoadOp>(vector_, bias, Value(channel)));
  return {.b = b_,
          .loc = b_.getLoc(),
          .accumulator = sum,
          .outputOffset = (plane + (place.row + y) * s_.outWidth() + place.column + x) * p_.lanes,
          .channelOffset = channel,
          .batch = p_.depth == 1 ? slice : floorDiv(slice, p_.depth),
          .row = nullptr,
          .lanes = p_.lanes,
          .validLanes = p_.lanes};
}

/// Emits body(y, x) for y of [0, height) and x of [0, width).
static void emitPositions(IndexBuilder& b, const Index& height, const Index& width,
                          llvm::function_ref<void(Index, Index)> body) {
  const OpBuilder::InsertionGuard guard(b);
  auto rows = b.create<scf::ForOp>(b.index(0), Value(height), b.index(1));
  b.setInsertionPointToStart(rows.getBody());
  auto columns = b.create<scf::ForOp>(b.index(0), Value(width), b.index(1));
  b.setInsertionPointToStart(columns.getBody());
  body(b.term(rows.getInductionVar()), b.term(columns.getInductionVar()));
}

void WinogradEmitter::storeResults(const SquarePlace& place, Value results) {
  const Index height = smaller(b_.term(s_.outHeight()) - place.row, kResults),
              width = smaller(b_.term(s_.outWidth()) - place.column, kResults);
  emitPositions(b_, height, width, [&](const Index& y, const Index& x) {
    storeResult(sumAt(place, y, x, results), epilogue_, output);
  });
}

// Windows that are not whole have no result.
void WinogradEmitter::storePooled(const SquarePlace& place, Value results) {
  const int64_t outHeight = s_.outHeight() / kPooled, outWidth = s_.outWidth() / kPooled;
  const Index row = floorDiv(place.row, kPooled), column = floorDiv(place.column, kPooled);
  const Index height = smaller(b_.term(outHeight) - row, kResults / kPooled),
              width = smaller(b_.term(outWidth) - column, kResults / kPooled);
  emitPositions(b_, height, width, [&](const Index& y, const Index& x) {
    Value pooled;
    for (int64_t inWindow = 0; inWindow < kPooled * kPooled; ++inWindow) {
      const EpilogueContext sum =
          sumAt(place, y * kPooled + inWindow / kPooled, x * kPooled + inWindow % kPooled, results);
      const Value result = epilogue_ ? epilogue_(sum) : sum.accumulator;
      pooled = pooled ? combine(b_, *pool_, pooled, result) : result;
    }
    if (!pool_->isMaximum) pooled = times(pooled, 1.0 / (kPooled * kPooled));
    const Index plane =
        p_.planeOf(b_.term(place.slice), p_.outBlocks, b_.term(place.block), outHeight * outWidth);
    const Index at = (plane + (row + y) * outWidth + column + x) * p_.lanes;
    b_.create<vector::StoreOp>(pooled, output, Value(at));
  });
}

// Transforms back one square of one block of channels; `products` has [36][rows][panels][lanes].
void WinogradEmitter::emitResults(Value square, Value panel, Value block, Value products,
                                  Value results, int64_t panels) {
  Square square36;
  for (int64_t k = 0; k < kProducts; ++k) {
    const Index at = b_.term(panel) + k * (p_.tileRows * panels);
    square36.push_back(b_.create<vector::LoadOp>(vector_, products, Value(at * p_.lanes)));
  }
  const Square values =
      transformSquare(square36, kElements, [&](ArrayRef<Value> m) { return productsToResults(m); });
  for (auto [i, value] : llvm::enumerate(values))
    b_.create<vector::StoreOp>(value, results, b_.index(static_cast<int64_t>(i) * p_.lanes));
  const Index perSlice = b_.term(p_.squareRows * p_.squareColumns);
  const Index slice = floorDiv(b_.term(square), p_.squareRows * p_.squareColumns);
  const Index inSlice = b_.term(square) % Value(perSlice);
  const SquarePlace place = {.slice = slice,
                             .block = block,
                             .row = floorDiv(inSlice, p_.squareColumns) * kResults,
                             .column = inSlice % b_.index(p_.squareColumns) * b_.index(kResults)};
  if (pool_)
    storePooled(place, results);
  else
    storeResults(place, results);
}

void WinogradEmitter::emitPanels(Value first, Value tile, Value panelTile, int64_t panels) {
  const int64_t rows = p_.tileRows, lanes = p_.lanes;
  const Value products = allocateFloats(b_, kProducts * rows * panels * lanes),
              results = allocateFloats(b_, kResults * kResults * lanes);
  const Index firstBlock = b_.term(panelTile) * p_.panels, firstRow = b_.term(tile) * rows;
  emitLoop(b_, kProducts, [&](Value k) {
    BrgemmTile product{.a = transformed,
                       .b = weights,
                       .panels = panels,
                       .panelStride = p_.panelStride(),
                       .lanes = lanes,
                       .loops = {{.extent = s_.inChannels, .aStride = 1, .bStride = lanes}}};
    product.aOffset = b_.term(k) * p_.planeStride() + firstRow * p_.inChannels();
    product.bOffset = firstBlock * p_.panelStride() + b_.term(k) * (p_.inChannels() * lanes);
    OutputTile out{.output = products, .panelStride = lanes, .lastPanelLanes = lanes};
    out.offset = b_.term(k) * (rows * panels * lanes);
    out.channelOffset = b_.index(0);
    for (int64_t row = 0; row < rows; ++row) {
      product.rowOffsets.push_back(row * p_.inChannels());
      out.rowOffsets.push_back(row * panels * lanes);
    }
    emitTile(b_, b_.getLoc(), product, out, nullptr);
  });
  const Index firstSquare = b_.term(first) + firstRow;
  const Index count = smaller(b_.term(squares) - firstSquare, rows);
  auto each = b_.create<scf::ForOp>(b_.index(0), Value(count), b_.index(1));
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(each.getBody());
  const Index row = b_.term(each.getInductionVar());
  emitLoop(b_, panels, [&](Value panel) {
    emitResults(firstSquare + row, row * panels + panel, firstBlock + panel, products, results,
                panels);
  });
  b_.setInsertionPointAfter(each);
  b_.create<memref::DeallocOp>(products);
  b_.create<memref::DeallocOp>(results);
}

void WinogradEmitter::emitProducts(Value first, Value tile, Value panelTile) {
  if (p_.lastPanels == p_.panels) return emitPanels(first, tile, panelTile, p_.panels);
  const Value isLast = b_.equal(panelTile, p_.panelTiles - 1);
  auto choice = b_.create<scf::IfOp>(isLast, /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(choice.thenBlock());
  emitPanels(first, tile, panelTile, p_.lastPanels);
  b_.setInsertionPointToStart(choice.elseBlock());
  emitPanels(first, tile, panelTile, p_.panels);
}

/// What a convolution is planned for.
static int64_t plannedSlices(const ConvShape& shape) {
  return (ShapedType::isDynamic(shape.batch) ? 1 : shape.batch) * shape.inDepth;
}

static WinogradPlan makeWinogradPlan(const ConvShape& shape, const CpuTarget& cpu,
                                     const ContractionTuning& tuning) {
  const int64_t lanes = cpu.vectorLanes;
  const auto ceilDiv = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  WinogradPlan plan{.lanes = lanes,
                    .inBlocks = ceilDiv(shape.inChannels, lanes),
                    .outBlocks = ceilDiv(shape.outChannels, lanes),
                    .squareRows = ceilDiv(shape.outHeight(), kResults),
                    .squareColumns = ceilDiv(shape.outWidth(), kResults)};
  plan.depth = shape.inDepth;
  plan.squares = plannedSlices(shape) * plan.squareRows * plan.squareColumns;
  TileShape tile = cpu.numVectorRegisters >= 32 ? TileShape{.rows = 12, .panels = 2}
                                                : TileShape{.rows = 6, .panels = 2};
  if (tuning.rows > 0) tile = {.rows = tuning.rows, .panels = tuning.panels};
  plan.panels = std::min(tile.panels, plan.outBlocks);
  plan.panelTiles = ceilDiv(plan.outBlocks, plan.panels);
  plan.lastPanels = plan.outBlocks - (plan.panelTiles - 1) * plan.panels;
  plan.tileRows = splitEvenly(plan.squares, tile.rows).large;
  const int64_t fits = kTransformedBytes / (kProducts * plan.inChannels() * 4);
  const int64_t tiles =
      std::clamp<int64_t>(fits / plan.tileRows, 1, ceilDiv(plan.squares, plan.tileRows));
  plan.atATime = tiles * plan.tileRows;
  plan.arePanelsInner =
      !arePanelsOuter(tuning, plan.outBlocks * plan.panelStride() * 4, cpu.cachedWeightBytes);
  return plan;
}

// Whether slices are images by themselves.
static bool keepsDepth(const ConvShape& s) {
  return s.kernelDepth == 1 && s.strideDepth == 1 && s.padFront == 0 && s.padBack == 0;
}

bool canBeWinograd(const ConvShape& s) {
  return s.groups == 1 && !s.isTransposed && s.outer.empty() && keepsDepth(s) &&
         s.kernelHeight == 3 && s.kernelWidth == 3 && s.strideHeight == 1 && s.strideWidth == 1 &&
         s.dilationHeight == 1 && s.dilationWidth == 1;
}

// Cycles for a position of the result: multiply-adds of an input channel and an output block, what
// transforming an input block adds, and writing, reading and transforming products of an output
// block. Counted; measured from 8 to 64 channels it is right within a third.
static double cyclesPerPosition(const ConvShape& shape, int64_t lanes, double multiplyAdds,
                                double toProducts, double toResults) {
  const auto blocks = [&](int64_t channels) {
    return static_cast<double>(llvm::divideCeil(channels, lanes));
  };
  const double in = blocks(shape.inChannels), out = blocks(shape.outChannels);
  return multiplyAdds * static_cast<double>(shape.inChannels) * out + toProducts * in +
         toResults * out;
}

bool isForWinograd(const ConvShape& s, int64_t lanes) {
  // Results of half a block and less are for row-major convolutions.
  if (!canBeWinograd(s) || s.outChannels <= lanes / 2) return false;
  // Few squares do not pay for reading four times the weights.
  const int64_t squares = plannedSlices(s) * ((s.outHeight() + kResults - 1) / kResults) *
                          ((s.outWidth() + kResults - 1) / kResults);
  const double waste = static_cast<double>(squares * kResults * kResults) /
                       static_cast<double>(plannedSlices(s) * s.outHeight() * s.outWidth());
  const double direct = cyclesPerPosition(s, lanes, 9, 0, 0);
  const double winograd = waste * cyclesPerPosition(s, lanes, 2.25, 14, 20);
  return squares >= 12 && waste < 1.6 && winograd < 0.85 * direct;
}

bool canPoolSquares(const ConvShape& pool) {
  const bool isWindow = pool.kernelHeight == kPooled && pool.kernelWidth == kPooled &&
                        pool.strideHeight == kPooled && pool.strideWidth == kPooled &&
                        pool.dilationHeight == 1 && pool.dilationWidth == 1;
  // Negative padding cuts off what no window reaches.
  return isWindow && keepsDepth(pool) && pool.padTop == 0 && pool.padLeft == 0 &&
         pool.padBottom <= 0 && pool.padRight <= 0;
}

void emitWinogradConv(OpBuilder& at, Location loc, const ConvShape& shape,
                      const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                      const ContractionTuning& tuning, const Pool* pool) {
  const WinogradPlan plan = makeWinogradPlan(shape, cpu, tuning);
  IndexBuilder b(loc, at);
  const Value input = flattenMemRef(b, loc, operands.input),
              weights = flattenMemRef(b, loc, operands.weights),
              bias = operands.bias ? flattenMemRef(b, loc, operands.bias) : Value(),
              output = flattenMemRef(b, loc, operands.output);
  const Value transformed = b.create<memref::AllocOp>(
      MemRefType::get({kProducts * plan.planeStride()}, b.getF32Type()), b.getI64IntegerAttr(64));
  const Value images =
      getValueOrCreateConstantIndexOp(b, loc, batchSize(b, loc, shape, operands.input));
  const Value squares = b.mul(images, plan.depth * plan.squareRows * plan.squareColumns);
  const auto emitterAt = [&](IndexBuilder& builder) {
    WinogradEmitter emitter(builder, shape, plan, epilogue, pool);
    emitter.input = input;
    emitter.weights = weights;
    emitter.bias = bias;
    emitter.output = output;
    emitter.transformed = transformed;
    emitter.squares = squares;
    return emitter;
  };
  const auto release = b.create<memref::DeallocOp>(transformed);
  b.setInsertionPoint(release);
  auto rounds = b.create<scf::ForOp>(b.index(0), squares, b.index(plan.atATime));
  b.setInsertionPointToStart(rounds.getBody());
  const Value first = rounds.getInductionVar();
  const Value count = smaller(b.term(squares) - first, plan.atATime);
  {
    const OpBuilder::InsertionGuard guard(b);
    scf::ForallOp forall = openForall(b, {OpFoldResult(count), b.getIndexAttr(plan.inBlocks)});
    emitterAt(b).emitInput(first, forall.getInductionVars()[0], forall.getInductionVars()[1]);
  }
  const Value tiles = ceilDiv(b.term(count), plan.tileRows);
  // As in emitConv: where the weights do not stay, each block's are read once.
  SmallVector<OpFoldResult> space = {OpFoldResult(tiles), b.getIndexAttr(plan.panelTiles)};
  if (!plan.arePanelsInner) std::swap(space[0], space[1]);
  const auto numbers = openForall(b, space).getInductionVars();
  emitterAt(b).emitProducts(first, numbers[plan.arePanelsInner ? 0 : 1],
                            numbers[plan.arePanelsInner ? 1 : 0]);
}

}  // namespace tessera::lowering
