// Windows over each channel by itself, on blocked channels: depthwise convolutions and pools. The
// vector is the channel block. A tile is a run of output pixels of one row; each input vector is
// loaded once per kernel row and used for every kernel column that needs it. Kernel rows outside
// the image are skipped by clamped loop bounds; pixels near the left and right edge get tiles of
// their own, whose kernel columns outside the image vanish at compile time.
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/pool.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/contraction/window_rows.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class WindowEmitter {
 public:
  /// A convolution where there is no pool.
  WindowEmitter(const IndexBuilder& b, const ConvShape& shape, const Pool* pool, int64_t lanes,
                const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        pool_(pool),
        lanes_(lanes),
        blocks_((shape.inChannels + lanes - 1) / lanes),
        epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  // One output row of one channel block.
  void emitRow(Value image, Value block, Value row) {
    image_ = image;
    block_ = b_.term(block);
    plane_ = b_.term(image) * blocks_ + block;
    rows_ = windowRows(b_, shape_, b_.term(row));
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
    const float start = pool_ && pool_->isMaximum ? -std::numeric_limits<float>::infinity() : 0.0F;
    const Value initial = b_.create<arith::ConstantOp>(DenseElementsAttr::get(vector, start));
    const SmallVector<Value> accumulators(count, initial);
    const Index firstColumn = column * shape_.strideWidth - shape_.padLeft;
    auto loop = b_.create<scf::ForOp>(rows_.low, rows_.high, b_.index(1), accumulators);
    {
      const OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(loop.getBody());
      const Index k = b_.term(loop.getInductionVar());
      const Index inputRow = b_.term(rows_.first) + k * shape_.dilationHeight;
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
      if (pool_ && !pool_->isMaximum)
        result = b_.create<arith::MulFOp>(result, shareOf(x, edgeColumn));
      if (bias) result = b_.create<arith::AddFOp>(result, biasLanes);
      const Index offset = outRow_ + (column + x) * lanes_;
      storeResult({.b = b_,
                   .loc = b_.getLoc(),
                   .accumulator = result,
                   .outputOffset = offset,
                   .channelOffset = block_ * lanes_,
                   .batch = image_,
                   .row = nullptr,
                   .lanes = lanes_,
                   .validLanes = lanes_},
                  epilogue_, output);
    }
  }

  void emitKernelRow(Index at, Index weightAt, int64_t count, std::optional<int64_t> edgeColumn,
                     SmallVector<Value>& accumulators) {
    auto vector = VectorType::get({lanes_}, b_.getF32Type());
    SmallVector<Value> kernel;
    for (int64_t k = 0; weights && k < shape_.kernelWidth; ++k) {
      kernel.push_back(b_.create<vector::LoadOp>(vector, weights, Value(weightAt + k * lanes_)));
    }
    llvm::DenseMap<int64_t, Value> loaded;  // by input column relative to the first
    for (int64_t x = 0; x < count; ++x) {
      for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
        const int64_t relative = x * shape_.strideWidth + k * shape_.dilationWidth;
        if (edgeColumn && !isInside(*edgeColumn, relative)) continue;
        Value& value = loaded[relative];
        if (!value) value = b_.create<vector::LoadOp>(vector, input, Value(at + relative * lanes_));
        accumulators[x] = weights
                              ? Value(b_.create<vector::FMAOp>(value, kernel[k], accumulators[x]))
                              : combine(b_, *pool_, accumulators[x], value);
      }
    }
  }

  // Whether the input column at `relative` from the first one of output column `column` is one.
  bool isInside(int64_t column, int64_t relative) const {
    const int64_t absolute = column * shape_.strideWidth - shape_.padLeft + relative;
    return 0 <= absolute && absolute < shape_.inWidth;
  }

  // One by the number of elements in the window of pixel `x` of a tile.
  Value shareOf(int64_t x, std::optional<int64_t> edgeColumn) {
    const int64_t columns =
        edgeColumn ? countColumns(shape_, *pool_, *edgeColumn + x) : shape_.kernelWidth;
    const Value number = b_.mul(rows_.count(b_, shape_, *pool_), columns);
    const Value integer = b_.create<arith::IndexCastOp>(b_.getI32Type(), number);
    const Value count = b_.create<arith::SIToFPOp>(b_.getF32Type(), integer);
    const Value one = b_.create<arith::ConstantOp>(b_.getF32FloatAttr(1));
    const auto vector = VectorType::get({lanes_}, b_.getF32Type());
    return b_.create<vector::BroadcastOp>(vector, b_.create<arith::DivFOp>(one, count));
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  const Pool* pool_;
  int64_t lanes_, blocks_;
  const Epilogue& epilogue_;
  Value image_;
  Index block_, plane_, outRow_;
  WindowRows rows_;
};

}  // namespace

static void emitWindows(OpBuilder& at, Location loc, const ConvShape& shape, const Pool* pool,
                        const ConvOperands& operands, const CpuTarget& cpu,
                        const Epilogue& epilogue) {
  const int64_t lanes = cpu.vectorLanes;
  const auto flat = [&](Value buffer) { return buffer ? flattenMemRef(at, loc, buffer) : Value(); };
  const Value input = flat(operands.input), weights = flat(operands.weights),
              bias = flat(operands.bias), output = flat(operands.output);
  const OpFoldResult images = batchSize(at, loc, shape, operands.input);
  IndexBuilder b(loc, at);
  scf::ForallOp forall =
      openForall(b, {images, b.getIndexAttr((shape.inChannels + lanes - 1) / lanes),
                     b.getIndexAttr(shape.outHeight())});
  WindowEmitter emitter(b, shape, pool, lanes, epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.bias = bias;
  emitter.output = output;
  const auto numbers = forall.getInductionVars();
  emitter.emitRow(numbers[0], numbers[1], numbers[2]);
}

void emitDepthwiseConv(OpBuilder& b, Location loc, const ConvShape& shape,
                       const ConvOperands& operands, const CpuTarget& cpu,
                       const Epilogue& epilogue) {
  emitWindows(b, loc, shape, nullptr, operands, cpu, epilogue);
}

void emitPool(OpBuilder& b, Location loc, const ConvShape& shape, const Pool& pool, Value input,
              Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  const ConvOperands operands{.input = input, .weights = {}, .bias = {}, .output = output};
  emitWindows(b, loc, shape, &pool, operands, cpu, epilogue);
}

}  // namespace tessera::lowering
