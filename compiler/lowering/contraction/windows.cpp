// Depthwise convolution on blocked channels: the vector is the channel block. A tile is a run of
// output pixels of one row; each input vector is loaded once per kernel row and used for every
// kernel column that needs it. Kernel rows outside the image are skipped by clamped loop bounds;
// pixels near the left and right edge get tiles of their own, whose kernel columns outside the
// image vanish at compile time.
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/index_builder.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class DepthwiseEmitter {
 public:
  DepthwiseEmitter(const IndexBuilder& b, const ConvShape& shape, int64_t lanes,
                   const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        lanes_(lanes),
        blocks_((shape.inChannels + lanes - 1) / lanes),
        epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  // One output row of one channel block.
  void emitRow(Value image, Value block, Value row) {
    image_ = image;
    block_ = b_.term(block);
    plane_ = b_.term(image) * blocks_ + block;
    firstRow_ = b_.term(row) * shape_.strideHeight - shape_.padTop;
    outRow_ = plane_ * (shape_.outHeight() * shape_.outWidth() * lanes_) +
              b_.term(row) * (shape_.outWidth() * lanes_);
    const int64_t width = shape_.outWidth();
    const int64_t tile = std::min<int64_t>(width, tilePixels());
    // Output pixels [begin, end) whose kernel columns all lie inside.
    const int64_t reach = (shape_.kernelWidth - 1) * shape_.dilationWidth;
    int64_t begin = std::min(width, (shape_.padLeft + shape_.strideWidth - 1) / shape_.strideWidth);
    const int64_t lastInside = shape_.inWidth - 1 - reach + shape_.padLeft;
    int64_t end = lastInside < 0 ? 0 : std::min(width, lastInside / shape_.strideWidth + 1);
    if (begin >= end) begin = end = width;
    emitEdge(0, begin, tile);
    const int64_t numTiles = (end - begin) / tile;
    if (numTiles == 1) {
      emitPixels(b_.term(begin), tile, std::nullopt);
    } else if (numTiles > 1) {
      auto loop =
          b_.create<scf::ForOp>(b_.index(begin), b_.index(begin + numTiles * tile), b_.index(tile));
      const OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      emitPixels(b_.term(loop.getInductionVar()), tile, std::nullopt);
    }
    begin += numTiles * tile;
    if (begin < end) emitPixels(b_.term(begin), end - begin, std::nullopt);
    emitEdge(end, width, tile);
  }

 private:
  int64_t tilePixels() const { return lanes_ >= 16 ? 8 : 4; }

  void emitEdge(int64_t begin, int64_t end, int64_t tile) {
    for (int64_t x = begin; x < end; x += tile) emitPixels(b_.term(x), std::min(tile, end - x), x);
  }

  // `count` pixels from `column` on; `edgeColumn` is its value where some kernel columns may lie
  // outside the image.
  void emitPixels(Index column, int64_t count, std::optional<int64_t> edgeColumn) {
    auto vector = VectorType::get({lanes_}, b_.getF32Type());
    const Value initial = b_.create<arith::ConstantOp>(DenseElementsAttr::get(vector, 0.0f));
    const SmallVector<Value> accumulators(count, initial);
    const Index zero = b_.term(0);
    const Index firstColumn = column * shape_.strideWidth - shape_.padLeft;
    // Kernel rows [low, high) with 0 <= firstRow + k * dilation < inHeight.
    const Index dilation = b_.term(shape_.dilationHeight);
    const Index above = larger(zero - firstRow_, zero);
    const Index below = larger(b_.term(shape_.inHeight) - firstRow_, zero);
    const Index low = b_.ceilDivUnsigned(above, dilation);
    const Index high = smaller(b_.ceilDivUnsigned(below, dilation), shape_.kernelHeight);
    auto loop = b_.create<scf::ForOp>(Value(low), Value(high), b_.index(1), accumulators);
    {
      const OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      const Index k = b_.term(loop.getInductionVar());
      const Index inputRow = firstRow_ + k * dilation;
      Index at = plane_ * (shape_.inHeight * shape_.inWidth * lanes_) +
                 inputRow * (shape_.inWidth * lanes_);
      at = at + firstColumn * lanes_;
      const Index weightAt = block_ * (shape_.kernelHeight * shape_.kernelWidth * lanes_) +
                             k * (shape_.kernelWidth * lanes_);
      SmallVector<Value> carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
      emitKernelRow(at, weightAt, count, edgeColumn, carried);
      b_.create<scf::YieldOp>(carried);
    }
    // Last, as in emitTile.
    Value biasLanes;
    if (bias) biasLanes = b_.create<vector::LoadOp>(vector, bias, Value(block_ * lanes_));
    for (int64_t x = 0; x < count; ++x) {
      Value result = loop.getResult(x);
      if (bias) result = b_.create<arith::AddFOp>(result, biasLanes);
      const Index offset = outRow_ + (column + x) * lanes_;
      if (epilogue_) {
        result = epilogue_({.b = b_,
                            .loc = b_.getLoc(),
                            .accumulator = result,
                            .outputOffset = offset,
                            .channelOffset = block_ * lanes_,
                            .batch = image_,
                            .row = nullptr,
                            .lanes = lanes_,
                            .validLanes = lanes_});
      }
      storeLanes(b_, b_.getLoc(), result, output, offset, lanes_);
    }
  }

  void emitKernelRow(Index at, Index weightAt, int64_t count, std::optional<int64_t> edgeColumn,
                     SmallVector<Value>& accumulators) {
    auto vector = VectorType::get({lanes_}, b_.getF32Type());
    SmallVector<Value> kernel;
    for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
      kernel.push_back(b_.create<vector::LoadOp>(vector, weights, Value(weightAt + k * lanes_)));
    }
    llvm::DenseMap<int64_t, Value> loaded;  // by input column relative to the first
    for (int64_t x = 0; x < count; ++x) {
      for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
        const int64_t relative = x * shape_.strideWidth + k * shape_.dilationWidth;
        if (edgeColumn) {
          const int64_t absolute = *edgeColumn * shape_.strideWidth - shape_.padLeft + relative;
          if (absolute < 0 || absolute >= shape_.inWidth) continue;
        }
        Value& value = loaded[relative];
        if (!value) value = b_.create<vector::LoadOp>(vector, input, Value(at + relative * lanes_));
        accumulators[x] = b_.create<vector::FMAOp>(value, kernel[k], accumulators[x]);
      }
    }
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  int64_t lanes_, blocks_;
  const Epilogue& epilogue_;
  Value image_;
  Index block_, plane_, firstRow_, outRow_;
};

}  // namespace

void emitDepthwiseConv(OpBuilder& b, Location loc, const ConvShape& shape,
                       const ConvOperands& operands, const CpuTarget& cpu,
                       const Epilogue& epilogue) {
  const int64_t lanes = cpu.vectorLanes;
  const Value input = flattenMemRef(b, loc, operands.input);
  const Value weights = flattenMemRef(b, loc, operands.weights);
  const Value bias = operands.bias ? flattenMemRef(b, loc, operands.bias) : Value();
  const Value output = flattenMemRef(b, loc, operands.output);
  auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  const SmallVector<OpFoldResult> space = {batchSize(b, loc, shape, operands.input),
                                           index((shape.inChannels + lanes - 1) / lanes),
                                           index(shape.outHeight())};
  const SmallVector<OpFoldResult> zeros(3, index(0)), ones(3, index(1));
  auto forall = b.create<scf::ForallOp>(loc, zeros, space, ones, ValueRange(), std::nullopt);
  DepthwiseEmitter emitter({loc, OpBuilder(forall.getTerminator())}, shape, lanes, epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.bias = bias;
  emitter.output = output;
  auto at = forall.getInductionVars();
  emitter.emitRow(at[0], at[1], at[2]);
}

}  // namespace tessera::lowering
