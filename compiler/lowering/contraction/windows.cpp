// Windows over each channel by itself, on blocked channels: depthwise convolutions, pools, and
// convolutions of groups that are no whole blocks, whose input vectors are put together so that
// each lane has a channel of its result's group: one after the other. The vector is the channel
// block. A tile is a run of output pixels of one row; each input vector is made once per kernel row
// and used for every kernel column that needs it. Kernel planes and rows outside the image are
// skipped by clamped loop bounds; tiles at the left and right edge have code of their own, in which
// kernel columns outside the image vanish at compile time.
#include <utility>

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

// Pixels of a tile, at most: as many multiply-adds as keep two pipelines of four cycles busy leave
// room in 16 registers for a row of weights.
static constexpr int64_t kTilePixels = 8;

namespace {

/// Where the lanes of a vector of inputs come from.
enum class LaneSource : uint8_t {
  kBlock,    ///< The block of the same number.
  kShuffle,  ///< A few blocks: each lane another one's.
  kSpread,   ///< Two elements: the lanes of a block of results are of two groups at most.
};

/// What a kind of windows reads of the input for one block of results.
struct WindowSources {
  LaneSource kind = LaneSource::kBlock;
  int64_t count = 1;       ///< Vectors for each position, one after the other.
  int64_t mostBlocks = 1;  ///< That are shuffled.
};

class WindowEmitter {
 public:
  /// A convolution where there is no pool; tiles of up to `tilePixels`.
  WindowEmitter(const IndexBuilder& b, const ConvShape& shape, const Pool* pool,
                const WindowSources& sources, int64_t lanes, int64_t tilePixels,
                const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        pool_(pool),
        sources_(sources),
        lanes_(lanes),
        tilePixels_(tilePixels),
        vector_(VectorType::get({lanes}, b_.getF32Type())),
        epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  // One output row of one channel block.
  void emitRow(Value image, Value block, Value depth, Value row) {
    image_ = image;
    block_ = b_.term(block);
    const auto [depths, heights, widths] = spatialAxesOf(shape_);
    planes_ = tapsAt(b_, depths, depth);
    rows_ = windowRows(b_, heights, b_.term(row));
    if (pool_ && !pool_->isMaximum) numElements_ = numElementsAt(b_.term(depth));
    const Index outPlane =
        (b_.term(image) * blocksOf(shape_.outChannels) + block) * shape_.outDepth() + depth;
    outRow_ = (outPlane * shape_.outHeight() + row) * (shape_.outWidth() * lanes_);
    if (sources_.kind == LaneSource::kSpread) return emitSpreadTiles();
    if (canWriteOut()) return emitWrittenOut(row);
    emitTiles();
  }

 private:
  // Whether the rows of a window are few, and of one plane.
  bool canWriteOut() const {
    constexpr int64_t kMostRows = 3;
    return pool_ && shape_.kernelHeight <= kMostRows && spatialAxesOf(shape_)[0].isTrivial();
  }

  // With code of its own where rows lie outside the image, but for maxima, to which the row at the
  // edge stands for those.
  void emitWrittenOut(Value row) {
    const ConvAxis heights = spatialAxesOf(shape_)[1];
    isWrittenOut_ = true;
    if (standsForOutside(heights, *pool_)) return emitTiles();
    const auto emitInside = [&] {
      const Index atBorder = std::exchange(numElements_, b_.term(shape_.kernelHeight));
      emitTiles();
      numElements_ = atBorder;
    };
    const auto emitAtBorder = [&] {
      isWrittenOut_ = false;
      emitTiles();
    };
    emitIf(b_, areWindowsInside(b_, heights, b_.term(row), 1), emitInside, emitAtBorder);
  }

  // With code of its own where all lanes are of one group.
  void emitSpreadTiles() {
    const int64_t out = shape_.outChannels / shape_.groups;
    const Index firstOfNext = (floorDiv(block_ * lanes_, out) + 1) * out;
    numSpread_ = 1;
    if (out % lanes_ == 0) return emitTiles();
    const auto emitOfTwo = [&] {
      numSpread_ = 2;
      emitTiles();
    };
    emitIf(b_, b_.lessOrEqual((block_ + 1) * lanes_, firstOfNext), [&] { emitTiles(); }, emitOfTwo);
  }

  // The row in tiles that are as equal as can be: those at its ends have code of their own.
  void emitTiles() {
    const EvenSplit split = splitEvenly(shape_.outWidth(), tilePixels_);
    int64_t x = 0;
    for (int64_t tile = 0; tile < split.count();) {
      const int64_t size = tile < split.numLarge ? split.large : split.large - 1,
                    end = tile < split.numLarge ? split.numLarge : split.count();
      int64_t numInside = 0;
      while (tile + numInside < end && areInside(x + numInside * size, size)) ++numInside;
      if (numInside > 1) {
        emitLoop(b_, b_.index(x), b_.index(x + numInside * size), size,
                 [&](Index column) { emitPixels(column, size, std::nullopt); });
      } else {
        emitPixels(b_.term(x), size, numInside == 1 ? std::nullopt : std::optional(x));
      }
      tile += std::max<int64_t>(numInside, 1);
      x += std::max<int64_t>(numInside, 1) * size;
    }
  }

  // Whether the windows of `count` pixels from `column` on have all of their columns.
  bool areInside(int64_t column, int64_t count) const {
    return isInside(column, 0) && isInside(column, spatialAxesOf(shape_)[2].reach(count) - 1);
  }

  // `count` pixels from `column` on; `edgeColumn` is its value where some kernel columns may lie
  // outside the image.
  void emitPixels(Index column, int64_t count, std::optional<int64_t> edgeColumn) {
    const Index firstColumn = (column * shape_.strideWidth - shape_.padLeft) * lanes_;
    const SmallVector<Value> sums = isWrittenOut_
                                        ? combineWindows(firstColumn, count, edgeColumn)
                                        : accumulateWindows(firstColumn, count, edgeColumn);
    // Last, as in emitTile.
    Value biasLanes;
    if (bias) biasLanes = b_.create<vector::LoadOp>(vector_, bias, Value(block_ * lanes_));
    for (int64_t x = 0; x < count; ++x) {
      Value result = sums[x];
      if (pool_ && !pool_->isMaximum)
        result = b_.create<arith::MulFOp>(result, shareOf(x, edgeColumn));
      if (mayBePadding()) result = clearPadding(result);
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

  // Row after row of the kernel.
  SmallVector<Value> accumulateWindows(Index firstColumn, int64_t count,
                                       std::optional<int64_t> edgeColumn) {
    const Value initial = startOf(b_, pool_ ? *pool_ : Pool{.isMaximum = false}, lanes_);
    const SmallVector<int64_t> columns = columnsFirst(count, edgeColumn);
    const SmallVector<Value> accumulators(columns.empty() ? count : columns.size(), initial);
    SmallVector<Value> sums = emitSources(accumulators, [&](Index weightsAt, ValueRange before) {
      return emitPlanes(before, [&](Index k, ValueRange ofPlane) {
        const Index plane = b_.term(planes_.first) + k * planes_.step;
        return emitLoop(b_, rows_.low, rows_.high, 1, ofPlane, [&](Index r, ValueRange ofRow) {
          const Index row = b_.term(rows_.first) + r * shape_.dilationHeight;
          const Index at = (plane * shape_.inHeight + row) * rowSize() + firstColumn;
          const Index kernelRow = (k * shape_.kernelHeight + r) * (shape_.kernelWidth * lanes_);
          if (!columns.empty()) return emitColumns(at, columns, ofRow);
          return emitKernelRow(at, weightsAt + kernelRow, count, edgeColumn, ofRow);
        });
      });
    });
    return columns.empty() ? sums : joinColumns(columns, sums, count, initial);
  }

  // Each column of a tile's input, of all rows at once, then those of each window.
  SmallVector<Value> combineWindows(Index firstColumn, int64_t count,
                                    std::optional<int64_t> edgeColumn) {
    source_ = {planeOf(block_)};
    SmallVector<Index> rows;
    for (int64_t k = 0; k < shape_.kernelHeight; ++k) {
      Index row = b_.term(rows_.first) + k * shape_.dilationHeight;
      if (pool_->isMaximum) row = smaller(larger(row, 0), shape_.inHeight - 1);
      rows.push_back(row * rowSize() + firstColumn);
    }
    const SmallVector<int64_t> columns = distinct(tapColumns(count, edgeColumn));
    const auto combined = llvm::map_to_vector(columns, [&](int64_t column) {
      return combineAll(b_, *pool_, llvm::map_to_vector(rows, [&](Index row) {
                          return loadInput(row + column * lanes_);
                        }));
    });
    return joinColumns(columns, combined, count, startOf(b_, *pool_, lanes_));
  }

  // Whether lanes behind the last channel have inputs of other channels, of which infinities times
  // weights of 0 are NaN.
  bool mayBePadding() const {
    const bool areOfOthers = sources_.kind == LaneSource::kShuffle || numSpread_ > 1;
    return areOfOthers && shape_.outChannels % lanes_ != 0;
  }
  Value clearPadding(Value sum) {
    const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(vector_));
    const Index left = b_.term(shape_.outChannels) - block_ * lanes_;
    return b_.select(lanesBelow(b_, b_.getLoc(), lanes_, left), sum, zero);
  }

  using Body = llvm::function_ref<SmallVector<Value>(Index at, ValueRange state)>;

  // The body for each vector of inputs; `at` is where its weights begin.
  SmallVector<Value> emitSources(ValueRange state, Body body) {
    const int64_t weightsSize = shape_.kernelSize() * lanes_;
    if (sources_.kind == LaneSource::kBlock) {
      source_ = {planeOf(block_)};
      return body(block_ * weightsSize, state);
    }
    return emitLoop(
        b_, b_.index(0), b_.index(sources_.count), 1, state, [&](Index number, ValueRange before) {
          const Index begin = (block_ * sources_.count + number) * (weightsSize + lanes_);
          if (sources_.kind == LaneSource::kShuffle)
            setShuffle(number, begin);
          else
            setSpread(number);
          return body(begin + lanes_, before);
        });
  }

  // Number `number` of the inputs of each lane's group; which lanes they are lies at `begin`.
  void setShuffle(Index number, Index begin) {
    const Index first = firstShuffledBlock(b_, shape_, block_, number, lanes_);
    source_.clear();
    for (int64_t i = 0; i < sources_.mostBlocks; ++i)
      source_.push_back(planeOf(smaller(first + i, blocksOf(shape_.inChannels) - 1)));
    lanesFrom_ =
        b_.create<vector::BitCastOp>(VectorType::get({lanes_}, b_.getI32Type()),
                                     b_.create<vector::LoadOp>(vector_, weights, Value(begin)));
  }

  // The same of groups of which a block of results has one or two.
  void setSpread(Index number) {
    const int64_t out = shape_.outChannels / shape_.groups;
    const Index group = floorDiv(block_ * lanes_, out);
    source_.clear();
    for (int64_t i = 0; i < numSpread_; ++i) {
      const Index channel = smaller(group + i, shape_.groups - 1) * sources_.count + number;
      source_.push_back(planeOf(floorDiv(channel, lanes_)) + channel % lanes_);
    }
    isFirstGroup_ = lanesBelow(b_, b_.getLoc(), lanes_, (group + 1) * out - block_ * lanes_);
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

  // The column, relative to the first one, of each tap of a tile's windows that lies inside.
  SmallVector<int64_t> tapColumns(int64_t count, std::optional<int64_t> edgeColumn) const {
    SmallVector<int64_t> columns;
    for (int64_t x = 0; x < count; ++x) {
      for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
        const int64_t relative = x * shape_.strideWidth + k * shape_.dilationWidth;
        if (!edgeColumn || isInside(*edgeColumn, relative)) columns.push_back(relative);
      }
    }
    return columns;
  }

  static SmallVector<int64_t> distinct(SmallVector<int64_t> columns) {
    llvm::sort(columns);
    columns.erase(llvm::unique(columns), columns.end());
    return columns;
  }

  // The columns of a pool's input under a tile, where fewer operations are left when each is
  // combined by itself and the windows then combine columns; else none.
  SmallVector<int64_t> columnsFirst(int64_t count, std::optional<int64_t> edgeColumn) const {
    if (!pool_) return {};
    const SmallVector<int64_t> taps = tapColumns(count, edgeColumn);
    const auto each = static_cast<int64_t>(taps.size());
    SmallVector<int64_t> columns = distinct(taps);
    const auto all = static_cast<int64_t>(columns.size());
    const int64_t rows = shape_.kernelDepth * shape_.kernelHeight,
                  mostInRegisters = lanes_ >= 16 ? 24 : 12;
    const bool pays = all * rows + each < each * rows && all <= mostInRegisters;
    return pays ? columns : SmallVector<int64_t>();
  }

  SmallVector<Value> emitColumns(Index at, ArrayRef<int64_t> columns, ValueRange before) {
    SmallVector<Value> combined;
    for (auto [column, value] : llvm::zip_equal(columns, before))
      combined.push_back(combine(b_, *pool_, value, loadInput(at + column * lanes_)));
    return combined;
  }

  // Windows of `count` pixels from what their columns are combined to.
  SmallVector<Value> joinColumns(ArrayRef<int64_t> columns, ValueRange values, int64_t count,
                                 Value initial) {
    SmallVector<Value> windows;
    for (int64_t x = 0; x < count; ++x) {
      SmallVector<Value> taps;
      for (int64_t k = 0; k < shape_.kernelWidth; ++k) {
        const auto* column = llvm::find(columns, x * shape_.strideWidth + k * shape_.dilationWidth);
        if (column != columns.end()) taps.push_back(values[column - columns.begin()]);
      }
      windows.push_back(taps.empty() ? initial : combineAll(b_, *pool_, taps));
    }
    return windows;
  }

  // The input for each lane of the result at a place of its plane.
  Value loadInput(Index at) {
    const auto vectors = llvm::map_to_vector(source_, [&](Index place) -> Value {
      if (sources_.kind != LaneSource::kSpread)
        return b_.create<vector::LoadOp>(vector_, input, Value(place + at));
      const Value element = b_.create<memref::LoadOp>(input, Value(place + at));
      return b_.create<vector::BroadcastOp>(vector_, element);
    });
    if (sources_.kind == LaneSource::kShuffle)
      return shuffleLanes(b_, b_.getLoc(), vectors, lanesFrom_);
    return vectors.size() == 1 ? vectors[0] : b_.select(isFirstGroup_, vectors[0], vectors[1]);
  }

  int64_t blocksOf(int64_t channels) const { return llvm::divideCeilSigned(channels, lanes_); }
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

  // Elements that the mean is over in each column of the windows of this row.
  Index numElementsAt(Index depth) {
    const auto [depths, heights, widths] = spatialAxesOf(shape_);
    const Index rows = rows_.count(b_, heights, pool_->countsPadding, pool_->padBottom);
    if (depths.isTrivial()) return rows;
    const WindowRows planes = windowRows(b_, depths, depth);
    return rows * planes.count(b_, depths, pool_->countsPadding, pool_->padBack);
  }

  // One by the number of elements in the window of pixel `x` of a tile.
  Value shareOf(int64_t x, std::optional<int64_t> edgeColumn) {
    const int64_t columns =
        edgeColumn ? countColumns(shape_, *pool_, *edgeColumn + x) : shape_.kernelWidth;
    const Value number = numElements_ * columns;
    const Value integer = b_.create<arith::IndexCastOp>(b_.getI32Type(), number);
    const Value count = b_.create<arith::SIToFPOp>(b_.getF32Type(), integer);
    const Value one = b_.create<arith::ConstantOp>(b_.getF32FloatAttr(1));
    return b_.create<vector::BroadcastOp>(vector_, b_.create<arith::DivFOp>(one, count));
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  const Pool* pool_;
  WindowSources sources_;
  int64_t lanes_, tilePixels_;
  VectorType vector_;
  const Epilogue& epilogue_;
  Value image_;
  Index block_, outRow_, numElements_;
  TapRange planes_;
  WindowRows rows_;
  bool isWrittenOut_ = false;  ///< Of a pool: all rows of a window are combined at once.
  SmallVector<Index> source_;  ///< Where the blocks or elements lie that lanes come from.
  Value lanesFrom_;            ///< Which lanes of blocks, in shuffleLanes' order.
  int64_t numSpread_ = 1;      ///< Groups that the lanes are of.
  Value isFirstGroup_;         ///< Which lanes are of the first of two groups.
};

}  // namespace

static void emitWindows(OpBuilder& at, Location loc, const ConvShape& shape, const Pool* pool,
                        const WindowSources& sources, const ConvOperands& operands,
                        const CpuTarget& cpu, const Epilogue& epilogue,
                        const ContractionTuning& tuning) {
  const int64_t lanes = cpu.vectorLanes;
  const auto flat = [&](Value buffer) { return buffer ? flattenMemRef(at, loc, buffer) : Value(); };
  const Value input = flat(operands.input), weights = flat(operands.weights),
              bias = flat(operands.bias), output = flat(operands.output);
  const OpFoldResult images = batchSize(at, loc, shape, operands.input);
  IndexBuilder b(loc, at);
  scf::ForallOp forall =
      openForall(b, {images, b.getIndexAttr(llvm::divideCeilSigned(shape.outChannels, lanes)),
                     b.getIndexAttr(shape.outDepth()), b.getIndexAttr(shape.outHeight())});
  WindowEmitter emitter(b, shape, pool, sources, lanes, tuning.rows > 0 ? tuning.rows : kTilePixels,
                        epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.bias = bias;
  emitter.output = output;
  const auto numbers = forall.getInductionVars();
  emitter.emitRow(numbers[0], numbers[1], numbers[2], numbers[3]);
}

void emitDepthwiseConv(OpBuilder& b, Location loc, const ConvShape& shape,
                       const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                       const ContractionTuning& tuning) {
  emitWindows(b, loc, shape, nullptr, {}, operands, cpu, epilogue, tuning);
}

void emitShuffledConv(OpBuilder& b, Location loc, const ConvShape& shape,
                      const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                      const ContractionTuning& tuning) {
  const int64_t lanes = cpu.vectorLanes;
  const bool isShuffle = shape.outChannels / shape.groups < lanes;
  const WindowSources sources = {.kind = isShuffle ? LaneSource::kShuffle : LaneSource::kSpread,
                                 .count = shape.inChannels / shape.groups,
                                 .mostBlocks = mostShuffledBlocks(shape, lanes)};
  emitWindows(b, loc, shape, nullptr, sources, operands, cpu, epilogue, tuning);
}

void emitPool(OpBuilder& b, Location loc, const ConvShape& shape, const Pool& pool, Value input,
              Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  const ConvOperands operands{.input = input, .weights = {}, .bias = {}, .output = output};
  emitWindows(b, loc, shape, &pool, {}, operands, cpu, epilogue, {});
}

}  // namespace tessera::lowering
