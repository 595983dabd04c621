// The image is cut into squares of 4x4 results, each of which reads 6x6 elements. Squares and
// weights are transformed to 36 numbers each, the products over channels of which are 36 products
// of matrices, [squares x input channels] * [input channels x output channels]; results are
// transformed back. So many squares at a time as have their transformed elements in the caches: all
// threads transform them, then each multiplies a few of them by a few blocks of output channels,
// whose 36 products stay in its second-level cache until they are transformed back. A square has
// 2x2 windows of a pool that is behind it. Windows over several planes are sums of such products,
// one of each plane: all planes are transformed once, for all results that they are part of.
#include "compiler/lowering/contraction/winograd/winograd.h"

#include "compiler/lowering/contraction/address.h"
#include "compiler/lowering/contraction/brgemm.h"
#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/contraction/window_rows.h"
#include "compiler/lowering/contraction/winograd/plan.h"
#include "compiler/lowering/contraction/winograd/square.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// Where the results of a square are: a block of channels of a plane, and the first position.
struct SquarePlace {
  Value volume, plane, block;
  Index row, column;
};

/// What is worked on at a time: squares, from `first` on, of planes of the results.
struct Round {
  Value first = {}, count = {};
  Value firstPlane = {}, planes = {};
  Value firstInPlane = {}, inPlanes = {};  // Those that they are computed from.
};

/// Tiles of squares of a round, those of all planes one after the other, in one task.
struct TileGroup {
  Value first, count;
  Value panelTile;
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
  Value squares;                                    // index: in all images

  void emitInput(const Round& round, Value square, Value plane, Value inBlock);
  void emitTask(const Round& round, Value group, Value panelTile);

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
  Value borderSquare(const Index& plane, const Index& row, const Index& column, Value copy);
  void emitTiles(const Round& round, const TileGroup& group,
                 llvm::function_ref<void(Index, Index, Index)> body);
  void emitPanels(const Round& round, const TileGroup& group, int64_t panels);
  void emitProduct(const Round& round, const Index& tile, const Index& plane, const Index& block,
                   const Index& k, const PartialSums& sums, int64_t panels);
  void emitTileResults(const Round& round, const Index& tile, const Index& plane,
                       const Index& block, Value products, const Index& at, Value results,
                       int64_t panels);
  void emitResults(const Index& square, const Index& plane, const Index& block, Value products,
                   const Index& at, Value results, int64_t stride);
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
Value WinogradEmitter::borderSquare(const Index& plane, const Index& row, const Index& column,
                                    Value copy) {
  const Value zero = constant(0);
  emitLoop(b_, kElements, [&](Value y) {
    emitLoop(b_, kElements, [&](Value x) {
      const Index atRow = row + y, atColumn = column + x;
      const Condition isInside = Condition(b_, b_.isInside(atRow, b_.index(s_.inHeight))) &
                                 b_.isInside(atColumn, b_.index(s_.inWidth));
      const auto load = [&]() -> SmallVector<Value> {
        const Index at = (plane + atRow * s_.inWidth + atColumn) * p_.lanes;
        return {b_.create<vector::LoadOp>(vector_, input, Value(at))};
      };
      const auto element = emitIf(b_, isInside, TypeRange{vector_}, load,
                                  [&]() -> SmallVector<Value> { return {zero}; });
      const Index to = (b_.term(y) * kElements + x) * p_.lanes;
      b_.create<vector::StoreOp>(element[0], copy, Value(to));
    });
  });
  return addressOf(b_, copy, b_.index(0));
}

// Transforms one channel block of a square of a round, in one of its planes.
void WinogradEmitter::emitInput(const Round& round, Value square, Value plane, Value inBlock) {
  const Index number = b_.term(round.first) + square;
  const Index volume = floorDiv(number, p_.squareRows * p_.squareColumns);
  const Index inPlane = number % b_.index(p_.squareRows * p_.squareColumns);
  const Index row = floorDiv(inPlane, p_.squareColumns) * kResults - s_.padTop;
  const Index column = inPlane % b_.index(p_.squareColumns) * b_.index(kResults) - s_.padLeft;
  const Condition isInside = (b_.term(0) <= row) & (b_.term(0) <= column) &
                             (row + kElements <= s_.inHeight) & (column + kElements <= s_.inWidth);
  const Value copy = allocateFloats(b_, kProducts * p_.lanes);
  const Type pointer = LLVM::LLVMPointerType::get(b_.getContext());
  const auto planeInput = [&] {
    return p_.planeOf(volume, b_.term(round.firstInPlane) + plane, p_.depth.in, p_.inBlocks,
                      b_.term(inBlock), s_.inHeight * s_.inWidth);
  };
  // The address of the first row, and the distance to the next one.
  const auto inImage = [&]() -> SmallVector<Value> {
    const Index at = (planeInput() + row * s_.inWidth + column) * p_.lanes;
    return {addressOf(b_, input, at), b_.index(s_.inWidth * p_.lanes)};
  };
  const auto inCopy = [&]() -> SmallVector<Value> {
    return {borderSquare(planeInput(), row, column, copy), b_.index(kElements * p_.lanes)};
  };
  const auto place = emitIf(b_, isInside, TypeRange{pointer, b_.getIndexType()}, inImage, inCopy);
  Square elements;
  Value rowAddress = place[0];
  for (int64_t y = 0; y < kElements; ++y) {
    for (int64_t x = 0; x < kElements; ++x)
      elements.push_back(loadAt(b_, vector_, advance(b_, rowAddress, x * p_.lanes)));
    rowAddress = advance(b_, rowAddress, place[1]);
  }
  const Square products = transformSquare(elements, kElements,
                                          [&](ArrayRef<Value> d) { return elementsToProducts(d); });
  const Index to = b_.term(plane) * p_.planeStride() + b_.mul(square, p_.inChannels()) +
                   b_.mul(inBlock, p_.lanes);
  for (auto [k, value] : llvm::enumerate(products)) {
    const Index at = to + static_cast<int64_t>(k) * p_.transformedStride();
    b_.create<vector::StoreOp>(value, transformed, Value(at));
  }
  b_.create<memref::DeallocOp>(copy);
}

// The sum at row y and column x of a square, and where its result belongs.
EpilogueContext WinogradEmitter::sumAt(const SquarePlace& place, const Index& y, const Index& x,
                                       Value results) {
  const Index volume = b_.term(place.volume), block = b_.term(place.block);
  const Index plane = p_.planeOf(volume, b_.term(place.plane), p_.depth.out, p_.outBlocks, block,
                                 s_.outHeight() * s_.outWidth());
  Value sum = b_.create<vector::LoadOp>(vector_, results, Value((y * kResults + x) * p_.lanes));
  const Index channel = block * p_.lanes;
  if (bias) sum = plus(sum, b_.create<vector::LoadOp>(vector_, bias, Value(channel)));
  return {.b = b_,
          .loc = b_.getLoc(),
          .accumulator = sum,
          .outputOffset = (plane + (place.row + y) * s_.outWidth() + place.column + x) * p_.lanes,
          .channelOffset = channel,
          .batch = p_.imageOf(volume),
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
    const Index plane = p_.planeOf(b_.term(place.volume), b_.term(place.plane), p_.depth.out,
                                   p_.outBlocks, b_.term(place.block), outHeight * outWidth);
    const Index at = (plane + (row + y) * outWidth + column + x) * p_.lanes;
    b_.create<vector::StoreOp>(pooled, output, Value(at));
  });
}

// Transforms back one square of one block of channels; its products begin at `at` and lie `stride`
// apart.
void WinogradEmitter::emitResults(const Index& square, const Index& plane, const Index& block,
                                  Value products, const Index& at, Value results, int64_t stride) {
  Square square36;
  for (int64_t k = 0; k < kProducts; ++k)
    square36.push_back(b_.create<vector::LoadOp>(vector_, products, Value(at + k * stride)));
  const Square values =
      transformSquare(square36, kElements, [&](ArrayRef<Value> m) { return productsToResults(m); });
  for (auto [i, value] : llvm::enumerate(values))
    b_.create<vector::StoreOp>(value, results, b_.index(static_cast<int64_t>(i) * p_.lanes));
  const Index perPlane = b_.term(p_.squareRows * p_.squareColumns);
  const Index inPlane = square % Value(perPlane);
  const SquarePlace place = {.volume = floorDiv(square, p_.squareRows * p_.squareColumns),
                             .plane = plane,
                             .block = block,
                             .row = floorDiv(inPlane, p_.squareColumns) * kResults,
                             .column = inPlane % b_.index(p_.squareColumns) * b_.index(kResults)};
  if (pool_)
    storePooled(place, results);
  else
    storeResults(place, results);
}

// Product number k of a tile of squares of one plane, of all taps of the depth that lie inside.
void WinogradEmitter::emitProduct(const Round& round, const Index& tile, const Index& plane,
                                  const Index& block, const Index& k, const PartialSums& sums,
                                  int64_t panels) {
  const int64_t rows = p_.tileRows, lanes = p_.lanes, channels = p_.inChannels();
  const TapRange taps = tapsAt(b_, p_.depth, b_.term(round.firstPlane) + plane);
  const ReductionLoop ofTaps{.extent = taps.count,
                             .aStride = taps.step * p_.planeStride(),
                             .bStride = channels * lanes,
                             .begin = taps.begin,
                             .end = taps.end},
      ofChannels{.extent = s_.inChannels, .aStride = 1, .bStride = lanes};
  BrgemmTile product{.a = transformed,
                     .b = weights,
                     .panels = panels,
                     .panelStride = p_.panelStride(),
                     .lanes = lanes};
  for (int64_t row = 0; row < rows; ++row) product.rowOffsets.push_back(row * channels);
  const Index inPlane = b_.term(taps.first) - round.firstInPlane;
  const Index aOffset =
      k * p_.transformedStride() + inPlane * p_.planeStride() + tile * rows * channels;
  const Index bOffset = block * p_.panelStride() + k * p_.weightsStride();
  if (!p_.addsTaps) {
    product.aOffset = aOffset;
    product.bOffset = bOffset;
    product.loops = {ofTaps, ofChannels};
    return emitPartialTile(b_, b_.getLoc(), product, sums);
  }
  const Value begin = taps.begin ? taps.begin : b_.index(0),
              end = taps.end ? taps.end : b_.index(taps.count);
  product.loops = {ofChannels};
  emitLoop(b_, begin, end, 1, [&](const Index& tap) {
    product.aOffset = aOffset + tap * ofTaps.aStride;
    product.bOffset = bOffset + tap * ofTaps.bStride;
    emitPartialTile(b_, b_.getLoc(), product, sums, b_.equal(tap, begin));
  });
}

// Transforms back the squares of a tile in one plane, whose products begin at `at`.
void WinogradEmitter::emitTileResults(const Round& round, const Index& tile, const Index& plane,
                                      const Index& block, Value products, const Index& at,
                                      Value results, int64_t panels) {
  const Index firstSquare = b_.term(round.first) + tile * p_.tileRows;
  const Index count = smaller(b_.term(squares) - firstSquare, p_.tileRows);
  const int64_t stride = cast<MemRefType>(products.getType()).getNumElements() / kProducts;
  emitLoop(b_, count, [&](const Index& row) {
    emitLoop(b_, panels, [&](const Index& panel) {
      const Index from = at + (row * panels + panel) * p_.lanes;
      emitResults(firstSquare + row, b_.term(round.firstPlane) + plane, block + panel, products,
                  from, results, stride);
    });
  });
}

// body(tile of the squares, plane, number of the tile in the group).
void WinogradEmitter::emitTiles(const Round& round, const TileGroup& group,
                                llvm::function_ref<void(Index, Index, Index)> body) {
  const auto emitTile = [&](const Index& number) {
    const Index tile = b_.term(group.first) + number;
    if (p_.planes == 1) return body(tile, b_.term(0), number);
    body(floorDiv(tile, round.planes), tile % round.planes, number);
  };
  if (p_.tilesTogether == 1) return emitTile(b_.term(0));
  emitLoop(b_, group.count, emitTile);
}

void WinogradEmitter::emitPanels(const Round& round, const TileGroup& group, int64_t panels) {
  const int64_t tileSize = p_.tileRows * panels * p_.lanes;
  const int64_t stride = p_.tilesTogether * tileSize + (p_.tilesTogether > 1 ? kGap : 0);
  const Value products = allocateFloats(b_, kProducts * stride),
              results = allocateFloats(b_, kResults * kResults * p_.lanes);
  const Index block = b_.term(group.panelTile) * p_.panels;
  emitLoop(b_, kProducts, [&](const Index& k) {
    emitTiles(round, group, [&](const Index& tile, const Index& plane, const Index& number) {
      const Index at = k * stride + number * tileSize;
      emitProduct(round, tile, plane, block, k, {.memref = products, .offset = at}, panels);
    });
  });
  emitTiles(round, group, [&](const Index& tile, const Index& plane, const Index& number) {
    emitTileResults(round, tile, plane, block, products, number * tileSize, results, panels);
  });
  b_.create<memref::DeallocOp>(products);
  b_.create<memref::DeallocOp>(results);
}

void WinogradEmitter::emitTask(const Round& round, Value group, Value panelTile) {
  const Index first = b_.term(group) * p_.tilesTogether;
  const Index count = ceilDiv(b_.term(round.count), p_.tileRows) * round.planes;
  const TileGroup tiles{
      .first = first, .count = smaller(count - first, p_.tilesTogether), .panelTile = panelTile};
  if (p_.lastPanels == p_.panels) return emitPanels(round, tiles, p_.panels);
  emitIf(
      b_, b_.equal(panelTile, p_.panelTiles - 1), [&] { emitPanels(round, tiles, p_.lastPanels); },
      [&] { emitPanels(round, tiles, p_.panels); });
}

static Round roundAt(IndexBuilder& b, const WinogradPlan& plan, Value squares, Value first,
                     Value firstPlane) {
  Round round{.first = first, .firstPlane = firstPlane};
  round.count = smaller(b.term(squares) - first, plan.atATime);
  const ConvAxis& depth = plan.depth;
  const Index planes = smaller(b.term(depth.out) - firstPlane, plan.planes);
  const Index begin = b.term(firstPlane) * depth.stride - depth.padBegin,
              end = begin + (planes - 1) * depth.stride + depth.reach();
  const Index firstInPlane = larger(begin, 0);
  round.planes = planes;
  round.firstInPlane = firstInPlane;
  round.inPlanes = larger(smaller(end, depth.in) - firstInPlane, 0);
  return round;
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
      MemRefType::get({kProducts * plan.transformedStride()}, b.getF32Type()),
      b.getI64IntegerAttr(64));
  const Value images =
      getValueOrCreateConstantIndexOp(b, loc, batchSize(b, loc, shape, operands.input));
  const Value squares = b.mul(images, plan.volumes * plan.squareRows * plan.squareColumns);
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
  auto planes = b.create<scf::ForOp>(b.index(0), b.index(plan.depth.out), b.index(plan.planes));
  b.setInsertionPointToStart(planes.getBody());
  const Round round = roundAt(b, plan, squares, rounds.getInductionVar(), planes.getInductionVar());
  {
    const OpBuilder::InsertionGuard guard(b);
    const auto numbers = openForall(b, {OpFoldResult(round.count), OpFoldResult(round.inPlanes),
                                        b.getIndexAttr(plan.inBlocks)})
                             .getInductionVars();
    emitterAt(b).emitInput(round, numbers[0], numbers[1], numbers[2]);
  }
  const Index tiles = ceilDiv(b.term(round.count), plan.tileRows) * round.planes;
  const Value groups = ceilDiv(tiles, plan.tilesTogether);
  // As in emitConv: where the weights do not stay, each block's are read once.
  SmallVector<OpFoldResult> space = {OpFoldResult(groups), b.getIndexAttr(plan.panelTiles)};
  if (!plan.arePanelsInner) std::swap(space[0], space[1]);
  const auto numbers = openForall(b, space).getInductionVars();
  emitterAt(b).emitTask(round, numbers[plan.arePanelsInner ? 0 : 1],
                        numbers[plan.arePanelsInner ? 1 : 0]);
}

}  // namespace tessera::lowering
