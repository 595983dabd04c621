// Vectors lie along the rows of images: for each tap and input channel a few of them are loaded, at
// any address, and multiplied by one weight for each result channel. In terms of the micro-kernel,
// rows of A are the result channels' weights, panels of B are vectors of positions. Tiles at the
// ends of a row have code of their own, in which lanes outside of the image are 0. A transposed
// convolution with steps of s along rows is s of them, one for each remainder of an output's column
// by s, of the same inputs: rows of A for each channel, whose results are interleaved.
#include "compiler/lowering/contraction/row_major_conv.h"

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"

using namespace mlir;

namespace tessera::lowering {

// All taps of a row are written out.
static constexpr int64_t kMostTaps = 16;
// Tiles at the ends of a row have code of their own, as many as the window reaches over.
static constexpr int64_t kMostReach = 64;

// Each takes registers of its own.
static constexpr int64_t kMostPhases = 8;

namespace {

/// Tiles [first, last) of a row that are alike: each is `panels` vectors of positions.
struct PositionTiles {
  int64_t first = 0, last = 0, panels = 1;
  SmallVector<LaneRange> lanes = {};  ///< As in ReductionLoop.
};

/// The taps along a row: element i of phase p of the result has kernel element first + p + t * step
/// and input inFirst + i + t * inStep, t of [0, count), where both are there.
struct RowTaps {
  int64_t phases = 1;  ///< Neighbours in the result.
  int64_t count = 1, first = 0, step = 1;
  int64_t inFirst = 0, inStep = 1;

  explicit RowTaps(const ConvAxis& axis);
};

/// Everything static about one convolution.
struct RowMajorPlan {
  int64_t lanes = 1;
  std::array<ConvAxis, 3> axes = {};
  RowTaps taps;
  EvenSplit channels = {};  ///< Of a group.
  int64_t panels = 1;
  std::vector<PositionTiles> tiles = {};

  int64_t numTiles() const { return tiles.back().last; }
};

/// The values a tile needs.
struct TilePosition {
  Value image, group, depth, row, channelTile, tile;
};

class RowMajorEmitter {
 public:
  RowMajorEmitter(const IndexBuilder& b, const ConvShape& shape, const RowMajorPlan& plan,
                  const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        plan_(plan),
        epilogue_(epilogue),
        weights_(weightOrderOf(shape, shape.kernelSize())) {}

  Value input, weights, output;  // flat

  void emitTask(const TilePosition& at) {
    depthTaps_ = tapsAt(b_, plan_.axes[0], at.depth);
    rowTaps_ = tapsAt(b_, plan_.axes[1], at.row);
    const auto ends =
        llvm::map_to_vector(plan_.tiles, [](const PositionTiles& tiles) { return tiles.last; });
    emitRunCases(b_, at.tile, ends, [&](size_t run) { emitChannelCases(at, plan_.tiles[run]); });
  }

 private:
  void emitChannelCases(const TilePosition& at, const PositionTiles& tiles) {
    emitSplitCases(b_, plan_.channels, at.channelTile,
                   [&](Value first, int64_t count) { emit(at, tiles, first, count); });
  }

  int64_t phases() const { return plan_.taps.phases; }
  int64_t inputRow() const { return plan_.axes[2].in; }
  int64_t inputImage() const { return plan_.axes[1].in * inputRow(); }
  int64_t inputPlane() const { return plan_.axes[0].in * inputImage(); }
  int64_t outputRow() const { return plan_.axes[2].out; }
  int64_t outputPlane() const { return plan_.axes[0].out * plan_.axes[1].out * outputRow(); }

  static ReductionLoop loopOf(const TapRange& taps, int64_t weightStride, int64_t inputStride) {
    return {.extent = taps.count,
            .aStride = taps.kernelStep * weightStride,
            .bStride = taps.step * inputStride,
            .begin = taps.begin,
            .end = taps.end};
  }

  void emit(const TilePosition& at, const PositionTiles& tiles, Value firstChannel,
            int64_t channels) {
    const RowTaps& taps = plan_.taps;
    const int64_t kernelRow = plan_.axes[2].kernel, kernelPlane = plan_.axes[1].kernel * kernelRow;
    const auto hasTap = [&](int64_t phase, int64_t tap) {
      const int64_t element = taps.first + phase + tap * taps.step;
      return 0 <= element && element < plan_.axes[2].kernel;
    };
    BrgemmTile tile{.a = weights,
                    .b = input,
                    .panels = tiles.panels,
                    .panelStride = plan_.lanes,
                    .lanes = plan_.lanes};
    tile.loops = {{.extent = weights_.inPerGroup,
                   .aStride = weights_.inChannelStride(),
                   .bStride = inputPlane()},
                  loopOf(depthTaps_, kernelPlane, inputImage()),
                  loopOf(rowTaps_, kernelRow, inputRow()),
                  {.extent = taps.count,
                   .aStride = taps.step,
                   .bStride = taps.inStep,
                   .runs = stepsOfPhases(channels, phases(), taps.count, hasTap),
                   .lanes = tiles.lanes}};
    tile.unroll = std::max<int64_t>(taps.count, 4);
    tile.partialSums = std::clamp<int64_t>(8 / (channels * phases() * tiles.panels), 1, 4);
    const Index channelOfGroup = b_.term(firstChannel),
                channel = b_.term(at.group) * weights_.outPerGroup + channelOfGroup;
    const Index position = b_.term(at.tile) * (plan_.panels * plan_.lanes);
    tile.aOffset =
        b_.sum({b_.mul(at.group, weights_.groupStride()),
                channelOfGroup * weights_.outChannelStride(), firstTap(kernelPlane, kernelRow)});
    tile.bOffset =
        b_.sum({(b_.term(at.image) * shape_.inChannels + b_.mul(at.group, weights_.inPerGroup)) *
                    inputPlane(),
                b_.mul(depthTaps_.first, inputImage()), b_.mul(rowTaps_.first, inputRow()),
                position + taps.inFirst});

    const int64_t width = std::min(tiles.panels * phases() * plan_.lanes, resultsLeft(tiles)),
                  panels = llvm::divideCeil(width, plan_.lanes);
    OutputTile out{.output = output,
                   .panelStride = plan_.lanes,
                   .lastPanelLanes = width - (panels - 1) * plan_.lanes,
                   .batch = at.image,
                   .interleaved = phases(),
                   .panels = panels};
    out.row = b_.term(at.image) * shape_.outChannels + channel;
    out.channelOffset =
        (b_.term(at.depth) * plan_.axes[1].out + at.row) * outputRow() + position * phases();
    out.offset = b_.term(out.row) * outputPlane() + out.channelOffset;
    for (int64_t i = 0; i < channels; ++i) {
      for (int64_t phase = 0; phase < phases(); ++phase)
        tile.rowOffsets.push_back(i * weights_.outChannelStride() + taps.first + phase);
      out.rowOffsets.push_back(i * outputPlane());
    }
    emitTile(b_, b_.getLoc(), tile, out, epilogue_);
  }

  // The first taps along columns and depth, in elements of the weights.
  Index firstTap(int64_t kernelPlane, int64_t kernelRow) {
    Index offset = b_.term(0);
    if (rowTaps_.kernelFirst) offset = offset + b_.mul(rowTaps_.kernelFirst, kernelRow);
    if (depthTaps_.kernelFirst) offset = offset + b_.mul(depthTaps_.kernelFirst, kernelPlane);
    return offset;
  }

  // Elements of a row from the last of these tiles on.
  int64_t resultsLeft(const PositionTiles& tiles) const {
    return outputRow() - (tiles.last - 1) * plan_.panels * plan_.lanes * phases();
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  const RowMajorPlan& plan_;
  const Epilogue& epilogue_;
  const WeightOrder weights_;
  TapRange depthTaps_, rowTaps_;
};

}  // namespace

RowTaps::RowTaps(const ConvAxis& axis) {
  if (!axis.isTransposed) {
    count = axis.kernel;
    inFirst = -axis.padBegin;
    inStep = axis.dilation;
    return;
  }
  const InterleavedTaps taps = interleavedTaps(axis.kernel, axis.stride, axis.padBegin);
  phases = step = axis.stride;
  inFirst = taps.inFirst;
  inStep = -axis.dilation;
  first = taps.first;
  count = taps.count;
}

// What the taps of a tile's vectors read; empty where that is all.
static SmallVector<LaneRange> lanesOf(const ConvAxis& axis, int64_t begin, int64_t panels,
                                      int64_t lanes) {
  const RowTaps taps(axis);
  SmallVector<LaneRange> read;
  bool areWhole = true;
  for (int64_t tap = 0; tap < taps.count; ++tap) {
    for (int64_t panel = 0; panel < panels; ++panel) {
      const int64_t first = begin + panel * lanes + taps.inFirst + tap * taps.inStep;
      read.push_back({.begin = std::clamp<int64_t>(-first, 0, lanes),
                      .end = std::clamp<int64_t>(axis.in - first, 0, lanes)});
      areWhole &= read.back().begin == 0 && read.back().end == lanes;
    }
  }
  return areWhole ? SmallVector<LaneRange>{} : read;
}

// Vectors of each phase of a row.
static int64_t vectorsOf(const ConvAxis& axis, int64_t lanes) {
  return llvm::divideCeil(axis.out, RowTaps(axis).phases * lanes);
}

static std::vector<PositionTiles> cutRow(const ConvAxis& axis, int64_t panels, int64_t lanes) {
  const int64_t vectors = vectorsOf(axis, lanes), count = llvm::divideCeil(vectors, panels),
                vectorSize = lanes * RowTaps(axis).phases;
  std::vector<PositionTiles> tiles;
  for (int64_t tile = 0; tile < count; ++tile) {
    PositionTiles next = {
        .first = tile, .last = tile + 1, .panels = std::min(panels, vectors - tile * panels)};
    next.lanes = lanesOf(axis, tile * panels * lanes, next.panels, lanes);
    const bool endsInside = (tile * panels + next.panels) * vectorSize <= axis.out;
    const bool isAlike = !tiles.empty() && endsInside && next.lanes.empty() &&
                         tiles.back().lanes.empty() && tiles.back().panels == next.panels;
    if (isAlike)
      tiles.back().last = tile + 1;
    else
      tiles.push_back(std::move(next));
  }
  return tiles;
}

// Channels and vectors of a tile: as many accumulators as leave room for a vector of each panel and
// one weight. A load that crosses lines takes as long as one and a half multiply-adds.
static TileShape chooseRowTile(const CpuTarget& cpu, int64_t channels, int64_t phases,
                               int64_t vectors, const ContractionTuning& tuning) {
  if (tuning.rows > 0)
    return {.rows = tuning.rows, .panels = splitEvenly(vectors, tuning.panels).large};
  TileShape best;
  double bestCycles = 0;
  for (int64_t rows = 1; rows <= channels && (rows == 1 || rows * phases <= 12); ++rows) {
    const int64_t most = std::max<int64_t>((cpu.numVectorRegisters - 2) / (rows * phases + 1), 1);
    const EvenSplit split = splitEvenly(vectors, most), channelSplit = splitEvenly(channels, rows);
    const auto accumulators = static_cast<double>(channelSplit.large * phases);
    const double step = std::max(accumulators * static_cast<double>(split.large),
                                 1.5 * static_cast<double>(split.large) + 0.5 * accumulators);
    // Short chains of multiply-adds wait for each other.
    const double cycles =
        std::max(step, 4.0) * static_cast<double>(channelSplit.count() * split.count());
    if (bestCycles != 0 && cycles >= bestCycles) continue;
    bestCycles = cycles;
    best = {.rows = channelSplit.large, .panels = split.large};
  }
  return best;
}

static RowMajorPlan makePlan(const ConvShape& shape, const CpuTarget& cpu,
                             const ContractionTuning& tuning) {
  const std::array<ConvAxis, 3> axes = tiledAxesOf(shape);
  RowMajorPlan plan{.lanes = cpu.vectorLanes, .axes = axes, .taps = RowTaps(axes[2])};
  const int64_t channels = shape.outChannels / shape.groups;
  const TileShape tile =
      chooseRowTile(cpu, channels, plan.taps.phases, vectorsOf(axes[2], plan.lanes), tuning);
  plan.channels = splitEvenly(channels, tile.rows);
  plan.panels = tile.panels;
  plan.tiles = cutRow(axes[2], plan.panels, plan.lanes);
  return plan;
}

bool canBeRowMajor(const ConvShape& shape) {
  const ConvAxis columns = axesOf(shape)[2];
  const bool hasShortSteps =
      columns.stride == 1 ||
      (shape.isTransposed && columns.stride <= kMostPhases && columns.dilation == 1);
  return shape.outer.empty() && hasShortSteps && columns.kernel <= kMostTaps * columns.stride &&
         columns.reach() - 1 <= kMostReach * columns.stride;
}

// Multiply-adds of vectors that take as long as converting an image: each vector is read, shuffled
// and written, and starting the threads takes about a microsecond.
static double conversionCost(int64_t channels, int64_t positions, int64_t lanes) {
  return 4000 + 4 * static_cast<double>(channels * llvm::divideCeil(positions, lanes));
}

// Taps of a result.
static double meanTaps(const ConvShape& shape) {
  const int64_t strides = shape.strideDepth * shape.strideHeight * shape.strideWidth;
  return static_cast<double>(shape.kernelSize()) /
         static_cast<double>(shape.isTransposed ? strides : 1);
}

// Multiply-adds of vectors of positions; one load serves all channels and phases.
static double rowMajorCost(const ConvShape& shape, int64_t lanes) {
  const int64_t inChannels = shape.inChannels / shape.groups;
  const std::array<ConvAxis, 3> axes = tiledAxesOf(shape);
  const RowTaps taps(axes[2]);
  const int64_t vectors = axes[0].out * axes[1].out * vectorsOf(axes[2], lanes);
  const double channels = std::max(static_cast<double>(shape.outChannels * taps.phases), 1.5);
  return channels * static_cast<double>(vectors * inChannels) * meanTaps(shape);
}

// As long as it takes to bring a vector of weights into its order: measured where each element
// comes from another line; a third of that where lines are read again before they are lost.
static constexpr double kPackingCost = 40;

// Those of vectors of channels; Winograd's algorithm needs fewer.
static double blockedCost(const ConvShape& shape, const BlockedChoice& choice, int64_t lanes) {
  const int64_t positions = shape.outDepth() * shape.outHeight() * shape.outWidth();
  const int64_t inChannels = choice.kind == ConvKind::kPlainInput ? shape.inChannels
                             : choice.kind == ConvKind::kBanded
                                 ? mostBandBlocks(shape, lanes) * lanes
                                 : llvm::alignTo(shape.inChannels, lanes);
  const auto blocks = static_cast<double>(llvm::divideCeil(shape.outChannels, lanes) * inChannels);
  const double weights = blocks * static_cast<double>(shape.kernelSize());
  return static_cast<double>(positions) * blocks * meanTaps(shape) / (choice.isWinograd ? 2.2 : 1) +
         (choice.packsWeights ? kPackingCost * weights : 0);
}

bool isForRowMajor(const ConvShape& shape, const BlockedChoice& choice, bool comesBlocked,
                   int64_t lanes) {
  if (!canBeRowMajor(shape) || (shape.groups > 1 && choice.kind != ConvKind::kBanded)) return false;
  const int64_t inPositions = shape.inDepth * shape.inHeight * shape.inWidth;
  const double input = conversionCost(shape.inChannels, inPositions, lanes);
  const double result = conversionCost(
      shape.outChannels, shape.outDepth() * shape.outHeight() * shape.outWidth(), lanes);
  const double rowMajor = rowMajorCost(shape, lanes) + result + (comesBlocked ? input : 0);
  const bool isConverted = !comesBlocked && choice.kind != ConvKind::kPlainInput;
  const double blocked = blockedCost(shape, choice, lanes) + (isConverted ? input : 0);
  // Less than that is not worth leaving the blocks that neighbours have.
  return rowMajor < 0.5 * blocked;
}

void emitRowMajorConv(OpBuilder& b, Location loc, const ConvShape& shape,
                      const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                      const ContractionTuning& tuning) {
  const RowMajorPlan plan = makePlan(shape, cpu, tuning);
  const Value input = flattenMemRef(b, loc, operands.input),
              weights = flattenMemRef(b, loc, operands.weights),
              output = flattenMemRef(b, loc, operands.output);
  const OpFoldResult images = batchSize(b, loc, shape, operands.input);
  IndexBuilder at(loc, b);
  const auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  scf::ForallOp forall =
      openForall(at, {images, index(shape.groups), index(plan.axes[0].out), index(plan.axes[1].out),
                      index(plan.channels.count()), index(plan.numTiles())});
  RowMajorEmitter emitter(at, shape, plan, epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.output = output;
  const auto numbers = forall.getInductionVars();
  emitter.emitTask({.image = numbers[0],
                    .group = numbers[1],
                    .depth = numbers[2],
                    .row = numbers[3],
                    .channelTile = numbers[4],
                    .tile = numbers[5]});
}

}  // namespace tessera::lowering
