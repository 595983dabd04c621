// Windows over each channel by itself, on blocked channels: depthwise convolutions, pools, and
// convolutions of small groups, whose input vectors are shuffled so that each lane has a channel of
// its result's group: one after the other. The vector is the channel block. A tile is a run of
// output pixels of one row; each input vector is loaded once per kernel row and used for every
// kernel column that needs it. Kernel planes and rows outside the image are skipped by clamped loop
// bounds; pixels near the left and right edge get tiles of their own, whose kernel columns outside
// the image vanish at compile time.
#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/pool.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/contraction/window_rows.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// What a kind of windows reads of the input for one block of results.
struct WindowSources {
  int64_t count = 1;       ///< Vectors for each position, one after the other.
  int64_t mostBlocks = 1;  ///< That the lanes of one of them come from.
  bool areShuffled = false;
};

class WindowEmitter {
 public:
  /// A convolution where there is no pool.
  WindowEmitter(const IndexBuilder& b, const ConvShape& shape, const Pool* pool,
                const WindowSources& sources, int64_t lanes, const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        pool_(pool),
        sources_(sources),
        lanes_(lanes),
        vector_(VectorType::get({lanes}, b_.getF32Type())),
        epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  // One output row of one channel block.
  void emitRow(Value image, Value block, Value depth, Value row) {
    image_ = image;
    block_ = b_.term(block);
    planes_ = tapsAt(b_,
                     {.in = shape_.inDepth,
                      .out = shape_.outDepth(),
                      .kernel = shape_.kernelDepth,
                      .stride = shape_.strideDepth,
                      .dilation = shape_.dilationDepth,
                      .padBegin = shape_.padFront},
                     depth);
    rows_ = windowRows(b_, shape_, b_.term(row));
    const Index outPlane =
        (b_.term(image) * blocksOf(shape_.outChannels) + block) * shape_.outDepth() + depth;
    outRow_ = (outPlane * shape_.outHeight() + row) * (shape_.outWidth() * lanes_);
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
    const float start = pool_ && pool_->isMaximum ? -std::numeric_limits<float>::infinity() : 0.0F;
    const Value initial = b_.create<arith::ConstantOp>(DenseElementsAttr::get(vector_, start));
    const SmallVector<Value> accumulators(count, initial);
    const Index firstColumn = (column * shape_.strideWidth - shape_.padLeft) * lanes_;
    const SmallVector<Value> sums =
        emitSources(accumulators, [&](Index weightsAt, ValueRange before) {
          return emitPlanes(before, [&](Index k, ValueRange ofPlane) {
            const Index plane = b_.term(planes_.first) + k * planes_.step;
            return emitLoop(b_, rows_.low, rows_.high, 1, ofPlane, [&](Index r, ValueRange ofRow) {
              const Index row = b_.term(rows_.first) + r * shape_.dilationHeight;
              const Index at = (plane * shape_.inHeight + row) * rowSize() + firstColumn;
              const Index kernelRow = (k * shape_.kernelHeight + r) * (shape_.kernelWidth * lanes_);
              return emitKernelRow(at, weightsAt + kernelRow, count, edgeColumn, ofRow);
            });
          });
        });
    // Last, as in emitTile.
    Value biasLanes;
    if (bias) biasLanes = b_.create<vector::LoadOp>(vector_, bias, Value(block_ * lanes_));
    for (int64_t x = 0; x < count; ++x) {
      Value result = sums[x];
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

  using Body = llvm::function_ref<SmallVector<Value>(Index at, ValueRange state)>;

  // The body for each vector of inputs; `at` is where its weights begin.
  SmallVector<Value> emitSources(ValueRange state, Body body) {
    const int64_t weightsSize = shape_.kernelSize() * lanes_;
    if (!sources_.areShuffled) {
      source_ = {planeOf(block_)};
      return body(block_ * weightsSize, state);
    }
    return emitLoop(
        b_, b_.index(0), b_.index(sources_.count), 1, state, [&](Index number, ValueRange before) {
          const Index first = firstShuffledBlock(b_, shape_, block_, number, lanes_);
          const Index begin = (block_ * sources_.count + number) * (weightsSize + lanes_);
          source_.clear();
          for (int64_t i = 0; i < sources_.mostBlocks; ++i)
            source_.push_back(planeOf(smaller(first + i, blocksOf(shape_.inChannels) - 1)));
          lanesFrom_ = b_.create<vector::BitCastOp>(
              VectorType::get({lanes_}, b_.getI32Type()),
              b_.create<vector::LoadOp>(vector_, weights, Value(begin)));
          return body(begin + lanes_, before);
        });
  }

  // The body for each plane of the kernel that lies inside.
  SmallVector<Value> emitPlanes(ValueRange state, Body body) {
    if (planes_.count == 1 && !planes_.begin) return body(b_.term(0), state);
    const Value begin = planes_.begin ? planes_.begin : b_.index(0);
    const Value end = planes_.begin ? planes_.end : b_.index(planes_.count);
    return emitLoop(b_, begin, end, 1, state, body);
  }

  SmallVector<Value> emitKernelRow(Index at, Index weightAt, int64_t count,
                                   std::optional<int64_t> edgeColumn, ValueRange before) {
    SmallVector<Value> accumulators = llvm::to_vector(before);
    SmallVector<Value> kernel;
    for (int64_t k = 0; weights && k < shape_.kernelWidth; ++k) {
      kernel.push_back(b_.create<vector::LoadOp>(vector_, weights, Value(weightAt + k * lanes_)));
    }
    llvm::DenseMap<int64_t, Value> loaded;  // by input column relative to the first
    for (int64_t x = 0; x < count; ++x) {
      for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
        const int64_t relative = x * shape_.strideWidth + k * shape_.dilationWidth;
        if (edgeColumn && !isInside(*edgeColumn, relative)) continue;
        Value& value = loaded[relative];
        if (!value) value = loadInput(at + relative * lanes_);
        accumulators[x] = weights
                              ? Value(b_.create<vector::FMAOp>(value, kernel[k], accumulators[x]))
                              : combine(b_, *pool_, accumulators[x], value);
      }
    }
    return accumulators;
  }

  // The input for each lane of the result at a place of its plane.
  Value loadInput(Index at) {
    const auto vectors = llvm::map_to_vector(source_, [&](Index plane) -> Value {
      return b_.create<vector::LoadOp>(vector_, input, Value(plane + at));
    });
    return sources_.areShuffled ? shuffleLanes(b_, b_.getLoc(), vectors, lanesFrom_) : vectors[0];
  }

  int64_t blocksOf(int64_t channels) const { return (channels + lanes_ - 1) / lanes_; }
  int64_t rowSize() const { return shape_.inWidth * lanes_; }
  // Where a block of input channels begins.
  Index planeOf(Index block) {
    return (b_.term(image_) * blocksOf(shape_.inChannels) + block) *
           (shape_.inDepth * shape_.inHeight * rowSize());
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
    return b_.create<vector::BroadcastOp>(vector_, b_.create<arith::DivFOp>(one, count));
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  const Pool* pool_;
  WindowSources sources_;
  int64_t lanes_;
  VectorType vector_;
  const Epilogue& epilogue_;
  Value image_;
  Index block_, outRow_;
  TapRange planes_;
  WindowRows rows_;
  SmallVector<Index> source_;  ///< Where the blocks begin that a vector of inputs comes from.
  Value lanesFrom_;            ///< Which of their lanes it has, in shuffleLanes' order.
};

}  // namespace

static void emitWindows(OpBuilder& at, Location loc, const ConvShape& shape, const Pool* pool,
                        const WindowSources& sources, const ConvOperands& operands,
                        const CpuTarget& cpu, const Epilogue& epilogue) {
  const int64_t lanes = cpu.vectorLanes;
  const auto flat = [&](Value buffer) { return buffer ? flattenMemRef(at, loc, buffer) : Value(); };
  const Value input = flat(operands.input), weights = flat(operands.weights),
              bias = flat(operands.bias), output = flat(operands.output);
  const OpFoldResult images = batchSize(at, loc, shape, operands.input);
  IndexBuilder b(loc, at);
  scf::ForallOp forall =
      openForall(b, {images, b.getIndexAttr((shape.outChannels + lanes - 1) / lanes),
                     b.getIndexAttr(shape.outDepth()), b.getIndexAttr(shape.outHeight())});
  WindowEmitter emitter(b, shape, pool, sources, lanes, epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.bias = bias;
  emitter.output = output;
  const auto numbers = forall.getInductionVars();
  emitter.emitRow(numbers[0], numbers[1], numbers[2], numbers[3]);
}

void emitDepthwiseConv(OpBuilder& b, Location loc, const ConvShape& shape,
                       const ConvOperands& operands, const CpuTarget& cpu,
                       const Epilogue& epilogue) {
  emitWindows(b, loc, shape, nullptr, {}, operands, cpu, epilogue);
}

void emitShuffledConv(OpBuilder& b, Location loc, const ConvShape& shape,
                      const ConvOperands& operands, const CpuTarget& cpu,
                      const Epilogue& epilogue) {
  const WindowSources sources = {.count = shape.inChannels / shape.groups,
                                 .mostBlocks = mostShuffledBlocks(shape, cpu.vectorLanes),
                                 .areShuffled = true};
  emitWindows(b, loc, shape, nullptr, sources, operands, cpu, epilogue);
}

void emitPool(OpBuilder& b, Location loc, const ConvShape& shape, const Pool& pool, Value input,
              Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  const ConvOperands operands{.input = input, .weights = {}, .bias = {}, .output = output};
  emitWindows(b, loc, shape, &pool, {}, operands, cpu, epilogue);
}

}  // namespace tessera::lowering
