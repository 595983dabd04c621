// Depthwise convolution on blocked channels: the vector is the channel block. A tile is a run of
// output pixels of one row; each input vector is loaded once per kernel row and used for every
// kernel column that needs it. Kernel rows outside the image are skipped by clamped loop bounds;
// pixels near the left and right edge get tiles of their own, whose kernel columns outside the
// image vanish at compile time.
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/tile.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class DepthwiseEmitter {
 public:
  DepthwiseEmitter(OpBuilder& b, Location loc, const ConvShape& shape, int64_t lanes,
                   const Epilogue& epilogue)
      : b_(b),
        loc_(loc),
        shape_(shape),
        lanes_(lanes),
        blocks_((shape.inChannels + lanes - 1) / lanes),
        epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  // One output row of one channel block.
  void emitRow(Value image, Value block, Value row) {
    image_ = image, block_ = block;
    plane_ = sum(times(image, blocks_), block);
    firstRow_ =
        b_.create<arith::SubIOp>(loc_, times(row, shape_.strideHeight), constant(shape_.padTop));
    outRow_ = sum(times(plane_, shape_.outHeight() * shape_.outWidth() * lanes_),
                  times(row, shape_.outWidth() * lanes_));
    int64_t width = shape_.outWidth();
    int64_t tile = std::min<int64_t>(width, tilePixels());
    // Output pixels [begin, end) whose kernel columns all lie inside.
    int64_t reach = (shape_.kernelWidth - 1) * shape_.dilationWidth;
    int64_t begin = std::min(width, (shape_.padLeft + shape_.strideWidth - 1) / shape_.strideWidth);
    int64_t lastInside = shape_.inWidth - 1 - reach + shape_.padLeft;
    int64_t end = lastInside < 0 ? 0 : std::min(width, lastInside / shape_.strideWidth + 1);
    if (begin >= end) begin = end = width;
    emitEdge(0, begin, tile);
    int64_t numTiles = (end - begin) / tile;
    if (numTiles == 1) {
      emitPixels(constant(begin), tile, std::nullopt);
    } else if (numTiles > 1) {
      auto loop = b_.create<scf::ForOp>(loc_, constant(begin), constant(begin + numTiles * tile),
                                        constant(tile));
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      emitPixels(loop.getInductionVar(), tile, std::nullopt);
    }
    begin += numTiles * tile;
    if (begin < end) emitPixels(constant(begin), end - begin, std::nullopt);
    emitEdge(end, width, tile);
  }

 private:
  Value constant(int64_t value) { return b_.create<arith::ConstantIndexOp>(loc_, value); }
  Value times(Value value, int64_t factor) {
    return b_.create<arith::MulIOp>(loc_, value, constant(factor));
  }
  Value sum(Value x, Value y) { return b_.create<arith::AddIOp>(loc_, x, y); }

  int64_t tilePixels() const { return lanes_ >= 16 ? 8 : 4; }

  void emitEdge(int64_t begin, int64_t end, int64_t tile) {
    for (int64_t x = begin; x < end; x += tile) emitPixels(constant(x), std::min(tile, end - x), x);
  }

  // `count` pixels from `column` on; `edgeColumn` is its value where some kernel columns may lie
  // outside the image.
  void emitPixels(Value column, int64_t count, std::optional<int64_t> edgeColumn) {
    auto vector = VectorType::get({lanes_}, b_.getF32Type());
    const Value initial = b_.create<arith::ConstantOp>(loc_, DenseElementsAttr::get(vector, 0.0f));
    SmallVector<Value> accumulators(count, initial);
    Value zero = constant(0);
    Value firstColumn =
        b_.create<arith::SubIOp>(loc_, times(column, shape_.strideWidth), constant(shape_.padLeft));
    // Kernel rows [low, high) with 0 <= firstRow + k * dilation < inHeight.
    Value dilation = constant(shape_.dilationHeight);
    Value above =
        b_.create<arith::MaxSIOp>(loc_, b_.create<arith::SubIOp>(loc_, zero, firstRow_), zero);
    Value below = b_.create<arith::MaxSIOp>(
        loc_, b_.create<arith::SubIOp>(loc_, constant(shape_.inHeight), firstRow_), zero);
    Value low = b_.create<arith::CeilDivUIOp>(loc_, above, dilation);
    Value high = b_.create<arith::MinSIOp>(
        loc_, b_.create<arith::CeilDivUIOp>(loc_, below, dilation), constant(shape_.kernelHeight));
    auto loop = b_.create<scf::ForOp>(loc_, low, high, constant(1), accumulators);
    {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      Value k = loop.getInductionVar();
      Value inputRow = sum(firstRow_, b_.create<arith::MulIOp>(loc_, k, dilation));
      Value at = sum(times(plane_, shape_.inHeight * shape_.inWidth * lanes_),
                     times(inputRow, shape_.inWidth * lanes_));
      at = sum(at, times(firstColumn, lanes_));
      Value weightAt = sum(times(block_, shape_.kernelHeight * shape_.kernelWidth * lanes_),
                           times(k, shape_.kernelWidth * lanes_));
      SmallVector<Value> carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
      emitKernelRow(at, weightAt, count, edgeColumn, carried);
      b_.create<scf::YieldOp>(loc_, carried);
    }
    // Last, as in emitTile.
    Value biasLanes;
    if (bias) biasLanes = b_.create<vector::LoadOp>(loc_, vector, bias, times(block_, lanes_));
    for (int64_t x = 0; x < count; ++x) {
      Value result = loop.getResult(x);
      if (bias) result = b_.create<arith::AddFOp>(loc_, result, biasLanes);
      Value offset = sum(outRow_, times(sum(column, constant(x)), lanes_));
      if (epilogue_) {
        result = epilogue_({.b = b_,
                            .loc = loc_,
                            .accumulator = result,
                            .outputOffset = offset,
                            .channelOffset = times(block_, lanes_),
                            .batch = image_,
                            .row = nullptr,
                            .lanes = lanes_,
                            .validLanes = lanes_});
      }
      storeLanes(b_, loc_, result, output, offset, lanes_);
    }
  }

  void emitKernelRow(Value at, Value weightAt, int64_t count, std::optional<int64_t> edgeColumn,
                     SmallVector<Value>& accumulators) {
    auto vector = VectorType::get({lanes_}, b_.getF32Type());
    SmallVector<Value> kernel;
    for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
      kernel.push_back(
          b_.create<vector::LoadOp>(loc_, vector, weights, sum(weightAt, constant(k * lanes_))));
    }
    llvm::DenseMap<int64_t, Value> loaded;  // by input column relative to the first
    for (int64_t x = 0; x < count; ++x) {
      for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
        int64_t relative = x * shape_.strideWidth + k * shape_.dilationWidth;
        if (edgeColumn) {
          int64_t absolute = *edgeColumn * shape_.strideWidth - shape_.padLeft + relative;
          if (absolute < 0 || absolute >= shape_.inWidth) continue;
        }
        Value& value = loaded[relative];
        if (!value)
          value =
              b_.create<vector::LoadOp>(loc_, vector, input, sum(at, constant(relative * lanes_)));
        accumulators[x] = b_.create<vector::FMAOp>(loc_, value, kernel[k], accumulators[x]);
      }
    }
  }

  OpBuilder& b_;
  Location loc_;
  const ConvShape& shape_;
  int64_t lanes_, blocks_;
  const Epilogue& epilogue_;
  Value image_, block_, plane_, firstRow_, outRow_;
};

}  // namespace

void emitDepthwiseConv(OpBuilder& b, Location loc, const ConvShape& shape,
                       const ConvOperands& operands, const CpuTarget& cpu,
                       const Epilogue& epilogue) {
  int64_t lanes = cpu.vectorLanes;
  DepthwiseEmitter emitter(b, loc, shape, lanes, epilogue);
  emitter.input = flattenMemRef(b, loc, operands.input);
  emitter.weights = flattenMemRef(b, loc, operands.weights);
  emitter.bias = operands.bias ? flattenMemRef(b, loc, operands.bias) : Value();
  emitter.output = flattenMemRef(b, loc, operands.output);
  auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  SmallVector<OpFoldResult> space = {batchSize(b, loc, shape, operands.input),
                                     index((shape.inChannels + lanes - 1) / lanes),
                                     index(shape.outHeight())};
  SmallVector<OpFoldResult> zeros(3, index(0)), ones(3, index(1));
  auto forall = b.create<scf::ForallOp>(loc, zeros, space, ones, ValueRange(), std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forall.getTerminator());
  auto at = forall.getInductionVars();
  emitter.emitRow(at[0], at[1], at[2]);
}

}  // namespace tessera::lowering
