// The reduction space of one output pixel and channel block is (input channel block, kernel planes,
// rows and columns, channel); a tile is a run of output pixels of one row times a few channel
// blocks. Kernel planes and rows outside of the image are left out by the bounds of their loops,
// known at run time; tiles at the left and right border have code of their own, in which pixels do
// not take part in the columns that they lack. Where too many tiles are such (small images under
// wide windows), a bordered copy of the input makes all of them alike. A convolution without window
// treats the image as one long row.
#include "compiler/lowering/contraction/conv.h"

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/tile.h"

using namespace mlir;

namespace tessera::lowering {

// Channels that are padding cost code of their own for the last block where they are more than this
// share of all.
static constexpr double kMostPadding = 0.05;
// Tiles with code of their own, at most.
static constexpr int64_t kMostBorderTiles = 6;

namespace {

/// Everything static about one convolution.
struct ConvPlan {
  int64_t lanes;
  PaddedPlane plane;              // input as the tiles see it
  int64_t groups;                 // 1 for bands
  int64_t inBlocks, outBlocks;    // per group; of bands the most
  int64_t lastChannels;           // of the last block of inputs that are read; padding is zeros
  ArrayRef<ConvAxis> outer;       // in front of the axes; none without window
  std::array<ConvAxis, 3> axes;   // as tiled: {1, 1, pixels} without window
  std::vector<ConvPhase> phases;  // of the last axis
  std::vector<TileRun> tiles;
  int64_t panels, panelTiles, lastPanels;
  int64_t unroll;       // 0: default
  bool arePanelsInner;  // panels are the inner loop, over the rows of one tile

  int64_t numTiles() const { return tiles.back().last; }
  // Outputs along the first axis and all in front of it.
  int64_t outDepths() const { return productOf(outer, &ConvAxis::out) * axes[0].out; }
};

/// The values a tile needs. Depths are numbered through, of all dimensions in front of rows.
struct TilePosition {
  Value image, group, depth, row, tile, panelTile;
};

class ConvEmitter {
 public:
  ConvEmitter(const IndexBuilder& b, const ConvShape& shape, ConvKind kind, const ConvPlan& plan,
              const Epilogue& epilogue)
      : b_(b), shape_(shape), kind_(kind), plan_(plan), epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  void emitTask(const TilePosition& at) {
    setDepths(b_.term(at.depth));
    rowTaps_ = tapsAt(b_, plan_.axes[1], at.row);
    const auto ends = llvm::map_to_vector(plan_.tiles, [](const TileRun& run) { return run.last; });
    emitRunCases(b_, at.tile, ends, [&](size_t run) { emitPanelCases(at, plan_.tiles[run]); });
  }

 private:
  void emitPanelCases(const TilePosition& at, const TileRun& run) {
    if (plan_.lastPanels == plan_.panels) return emit(at, run, plan_.panels);
    const Value isLast = b_.equal(at.panelTile, plan_.panelTiles - 1);
    if (plan_.panelTiles == 1) return emit(at, run, plan_.lastPanels);
    auto choice = b_.create<scf::IfOp>(isLast, /*withElseRegion=*/true);
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(choice.thenBlock());
    emit(at, run, plan_.lastPanels);
    b_.setInsertionPointToStart(choice.elseBlock());
    emit(at, run, plan_.panels);
  }

  bool isPlainInput() const { return kind_ == ConvKind::kPlainInput; }
  bool isBanded() const { return kind_ == ConvKind::kBanded; }
  // Elements of packed weights of one tap.
  int64_t tapSize() const { return plan_.lanes * (isPlainInput() ? 1 : plan_.lanes); }
  int64_t kernelSize() const {
    return outerSize(&ConvAxis::kernel) * plan_.axes[0].kernel * plan_.axes[1].kernel *
           plan_.axes[2].kernel;
  }
  int64_t kernelRow() const { return plan_.axes[2].kernel * tapSize(); }
  int64_t kernelPlane() const { return plan_.axes[1].kernel * kernelRow(); }
  // Planes of an image and group that the reduction goes through.
  int64_t groupPlanes() const { return isPlainInput() ? shape_.inChannels : plan_.inBlocks; }
  int64_t imagePlanes() const {
    return isBanded() ? plan_.plane.numPlanes : plan_.groups * groupPlanes();
  }
  // Elements of packed weights of one output channel block.
  int64_t panelStride() const { return groupPlanes() * kernelSize() * tapSize(); }
  int64_t inputRow() const { return plan_.axes[2].in * plan_.plane.pixelStride; }
  int64_t inputPlane() const { return plan_.axes[1].in * inputRow(); }
  int64_t inputVolume() const { return plan_.axes[0].in * inputPlane(); }
  int64_t kernelVolume() const { return plan_.axes[0].kernel * kernelPlane(); }
  int64_t channelStride() const { return outerSize(&ConvAxis::in) * inputVolume(); }
  // The product over the dimensions in front of the axes from number `from` on.
  int64_t outerSize(int64_t ConvAxis::* member, size_t from = 0) const {
    return productOf(plan_.outer.drop_front(from), member);
  }

  // What each dimension in front of rows reads for output number `depth` of all of them.
  void setDepths(Index depth) {
    outerTaps_.resize(plan_.outer.size());
    for (size_t i = 0; i < plan_.outer.size(); ++i) {
      const int64_t inner = outerSize(&ConvAxis::out, i + 1) * plan_.axes[0].out;
      outerTaps_[i] = tapsAt(b_, plan_.outer[i], floorDiv(depth, inner));
      depth = depth % inner;
    }
    depthTaps_ = tapsAt(b_, plan_.axes[0], depth);
  }

  static ReductionLoop loopOf(const TapRange& taps, int64_t inputStride, int64_t kernelStride) {
    return {.extent = taps.count,
            .aStride = taps.step * inputStride,
            .bStride = taps.kernelStep * kernelStride,
            .begin = taps.begin,
            .end = taps.end};
  }

  // Over the first channels of `planes` blocks.
  void setReduction(BrgemmTile& tile, const TileRun& run, int64_t planes, int64_t channels) const {
    const ConvPhase& phase = plan_.phases[run.phase];
    tile.loops = {
        {.extent = planes, .aStride = channelStride(), .bStride = kernelSize() * tapSize()}};
    for (const auto& [i, taps] : llvm::enumerate(outerTaps_))
      tile.loops.push_back(loopOf(taps, outerSize(&ConvAxis::in, i + 1) * inputVolume(),
                                  outerSize(&ConvAxis::kernel, i + 1) * kernelVolume()));
    tile.loops.append({loopOf(depthTaps_, inputPlane(), kernelPlane()),
                       loopOf(rowTaps_, inputRow(), kernelRow()),
                       {.extent = phase.taps,
                        .aStride = phase.tapStep * plan_.plane.pixelStride,
                        .bStride = phase.kernelStep * tapSize(),
                        .runs = run.steps}});
    if (isPlainInput()) {
      tile.unroll = std::min<int64_t>(phase.taps, 8);
      return;
    }
    tile.loops.push_back({.extent = channels, .aStride = 1, .bStride = plan_.lanes});
    tile.unroll = plan_.unroll > 0 ? plan_.unroll : 4;
  }

  // All of `tile`, whose addresses are set: whole blocks of channels, then what the last one has.
  std::vector<BrgemmTile> reductionsOf(BrgemmTile tile, const TileRun& run) {
    const int64_t planes = groupPlanes(), last = plan_.lastChannels;
    if (isPlainInput() || last == plan_.lanes) {
      setReduction(tile, run, planes, plan_.lanes);
      return {tile};
    }
    std::vector<BrgemmTile> parts;
    if (planes > 1) {
      setReduction(parts.emplace_back(tile), run, planes - 1, plan_.lanes);
      tile.aOffset = b_.sum({tile.aOffset, b_.index((planes - 1) * channelStride())});
      tile.bOffset = b_.sum({tile.bOffset, b_.index((planes - 1) * kernelSize() * tapSize())});
    }
    setReduction(parts.emplace_back(tile), run, 1, last);
    return parts;
  }

  // The first tap of the kernel, in elements.
  Index kernelOffset(const ConvPhase& phase) {
    Index offset = b_.term(phase.kernelFirst * tapSize());
    if (rowTaps_.kernelFirst) offset = offset + b_.mul(rowTaps_.kernelFirst, kernelRow());
    if (depthTaps_.kernelFirst) offset = offset + b_.mul(depthTaps_.kernelFirst, kernelPlane());
    for (const auto& [i, taps] : llvm::enumerate(outerTaps_)) {
      const int64_t stride = outerSize(&ConvAxis::kernel, i + 1) * kernelVolume();
      if (taps.kernelFirst) offset = offset + b_.mul(taps.kernelFirst, stride);
    }
    return offset;
  }

  void emit(const TilePosition& at, const TileRun& run, int64_t panels) {
    const int64_t lanes = plan_.lanes;
    const ConvPhase& phase = plan_.phases[run.phase];
    const int64_t outRow = plan_.axes[2].out * lanes, outImage = plan_.axes[1].out * outRow,
                  outPlane = plan_.outDepths() * outImage;
    const Index panel = b_.term(at.panelTile) * plan_.panels;
    const Index outBlock = b_.term(at.group) * plan_.outBlocks + panel;
    // The tile's first element of its phase.
    Index first = b_.term(run.begin);
    if (run.last - run.first > 1) first = (b_.term(at.tile) - run.first) * run.size + first;

    BrgemmTile tile{
        .a = input, .b = weights, .panels = panels, .panelStride = panelStride(), .lanes = lanes};
    tile.hasMarks = isBanded();
    const Index column = first * phase.inStep + phase.inFirst;
    Index plane = b_.term(at.image) * imagePlanes() + b_.mul(at.group, groupPlanes());
    Value bandCount;
    if (isBanded()) {
      const Band band = bandOf(b_, shape_, outBlock, lanes);
      plane = plane + band.first;
      bandCount = band.count;
    }
    tile.aOffset = b_.sum({plane * channelStride(), b_.mul(depthTaps_.first, inputPlane()),
                           b_.mul(rowTaps_.first, inputRow()), column * plan_.plane.pixelStride});
    for (const auto& [i, taps] : llvm::enumerate(outerTaps_))
      tile.aOffset = b_.term(tile.aOffset) +
                     b_.mul(taps.first, outerSize(&ConvAxis::in, i + 1) * inputVolume());
    tile.bOffset = outBlock * panelStride() + kernelOffset(phase);
    OutputTile out{.output = output,
                   .panelStride = outPlane,
                   .bias = bias,
                   .lastPanelLanes = lanes,
                   .channels = shape_.groups > 1 ? 0 : shape_.outChannels,
                   .batch = at.image};
    const Index outColumn = first * phase.outStep + phase.outFirst;
    out.offset =
        b_.sum({b_.mul(at.image, plan_.groups * plan_.outBlocks * outPlane), outBlock * outPlane,
                b_.mul(at.depth, outImage), b_.mul(at.row, outRow), outColumn * lanes});
    out.channelOffset = outBlock * lanes;
    for (int64_t i = 0; i < run.size; ++i) {
      tile.rowOffsets.push_back(i * phase.inStep * plan_.plane.pixelStride);
      out.rowOffsets.push_back(i * phase.outStep * lanes);
    }
    std::vector<BrgemmTile> parts = reductionsOf(tile, run);
    if (isBanded()) {
      parts.front().loops.front().begin = b_.index(0);
      parts.front().loops.front().end = bandCount;
    }
    emitTile(b_, b_.getLoc(), parts, out, epilogue_);
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  ConvKind kind_;
  const ConvPlan& plan_;
  const Epilogue& epilogue_;
  TapRange depthTaps_, rowTaps_;
  SmallVector<TapRange> outerTaps_;
};

}  // namespace

// Whether vectors of inputs for the groups of all lanes take fewer cycles than bands, which
// multiply with zeros. A multiply-add takes one, and so does a shuffle of each block; an element
// that is spread, for a group or two, takes half of one. What was made serves neighbours in a row
// of the kernel.
static bool isForShuffles(const ConvShape& shape, int64_t lanes) {
  constexpr int64_t kMostBlocks = 3;
  const bool isSpread = shape.outChannels / shape.groups >= lanes;
  const int64_t blocks = isSpread ? 1 : mostShuffledBlocks(shape, lanes);
  if (shape.isTransposed || !shape.outer.empty() || lanes < 8 || blocks > kMostBlocks) return false;
  const int64_t sharing = std::max<int64_t>(shape.kernelWidth - shape.strideWidth, 0) + 1;
  const auto in = static_cast<double>(shape.inChannels / shape.groups);
  const double making =
      (isSpread ? 0.5 : static_cast<double>(blocks)) / static_cast<double>(sharing);
  return in * (1 + making) < 0.9 * meanBandBlocks(shape, lanes) * static_cast<double>(lanes);
}

std::optional<ConvKind> convKindFor(const ConvShape& shape, bool isPlainInput, int64_t lanes) {
  if (isPlainInput)
    return shape.groups == 1 && !shape.isTransposed ? std::optional(ConvKind::kPlainInput)
                                                    : std::nullopt;
  if (shape.groups == 1) return ConvKind::kBlocked;
  if (shape.groups == shape.inChannels && shape.groups == shape.outChannels &&
      !shape.isTransposed && shape.outer.empty())
    return ConvKind::kDepthwise;
  const bool wholeBlocks =
      shape.inChannels / shape.groups % lanes == 0 && shape.outChannels / shape.groups % lanes == 0;
  if (wholeBlocks) return ConvKind::kBlocked;
  return isForShuffles(shape, lanes) ? ConvKind::kShuffled : ConvKind::kBanded;
}

// Pixels and channel blocks of a tile.
static void chooseTiles(ConvPlan& plan, ConvKind kind, const CpuTarget& cpu,
                        const ContractionTuning& tuning) {
  double bestCycles = 0;
  int64_t pixels = 1;
  for (const TileShape candidate : candidateTiles(cpu, tuning)) {
    // Bands of two blocks differ.
    const int64_t most = kind == ConvKind::kBanded ? 1 : candidate.panels;
    const int64_t panels = std::min(most, plan.outBlocks);
    const int64_t panelTiles = (plan.outBlocks + panels - 1) / panels;
    double cycles = 0;
    for (const ConvPhase& phase : plan.phases) {
      const EvenSplit split = splitEvenly(phase.count, candidate.rows);
      for (auto [size, count] :
           {std::pair{split.large, split.numLarge}, {split.large - 1, split.numSmall}})
        cycles += static_cast<double>(count * panelTiles) *
                  cyclesPerStep({.rows = size, .panels = panels});
    }
    if (bestCycles != 0 && cycles >= bestCycles * 0.99) continue;
    bestCycles = cycles;
    pixels = candidate.rows;
    plan.panels = panels;
    plan.panelTiles = panelTiles;
  }
  plan.lastPanels = plan.outBlocks - (plan.panelTiles - 1) * plan.panels;
  plan.tiles = cutTiles(plan.phases, pixels);
}

// With a copy that has borders, nothing is read outside.
static void useBorderedCopy(ConvPlan& plan, const ConvShape& shape, ConvKind kind) {
  plan.plane = paddedPlane(shape, kind, plan.lanes);
  plan.axes = axesOf(shape);
  plan.axes[1].in = plan.plane.height;
  plan.axes[2].in = plan.plane.width;
  plan.axes[1].padBegin = plan.axes[2].padBegin = 0;
  plan.phases = phasesOf(plan.axes[2]);
}

// Of the inputs, that the reduction goes through.
static int64_t channelsOfLastBlock(const ConvShape& shape, ConvKind kind, int64_t lanes) {
  const int64_t channels = llvm::alignTo(shape.inChannels, lanes),
                padding = channels - shape.inChannels;
  const bool isMuch = static_cast<double>(padding) > kMostPadding * static_cast<double>(channels);
  return kind == ConvKind::kBlocked && shape.groups == 1 && isMuch ? lanes - padding : lanes;
}

static ConvPlan makePlan(const ConvShape& shape, ConvKind kind, const CpuTarget& cpu,
                         const ContractionTuning& tuning) {
  ConvPlan plan{};
  int64_t lanes = plan.lanes = cpu.vectorLanes;
  auto blocks = [&](int64_t channels) { return (channels + lanes - 1) / lanes; };
  const bool isBanded = kind == ConvKind::kBanded;
  plan.groups = isBanded ? 1 : shape.groups;
  plan.inBlocks = kind == ConvKind::kPlainInput ? 1 : blocks(shape.inChannels / plan.groups);
  if (isBanded) plan.inBlocks = mostBandBlocks(shape, lanes);
  plan.outBlocks = blocks(shape.outChannels / plan.groups);
  plan.lastChannels = channelsOfLastBlock(shape, kind, lanes);
  plan.plane = unpaddedPlane(shape, kind, lanes);
  plan.axes = tiledAxesOf(shape);
  if (!isWithoutWindow(shape)) plan.outer = shape.outer;
  plan.phases = phasesOf(plan.axes[2]);
  plan.unroll = tuning.unroll;
  chooseTiles(plan, kind, cpu, tuning);
  const auto numBorderTiles =
      llvm::count_if(plan.tiles, [](const TileRun& run) { return !run.steps.empty(); });
  const bool mayCopy = !shape.isTransposed && plan.outer.empty() && shape.inDepth == 1 &&
                       shape.kernelDepth == 1 && shape.outDepth() == 1 && shape.outWidth() > 1;
  if (numBorderTiles > kMostBorderTiles && mayCopy) {
    useBorderedCopy(plan, shape, kind);
    chooseTiles(plan, kind, cpu, tuning);
  }
  const int64_t channels = kind == ConvKind::kPlainInput ? shape.inChannels : plan.inBlocks * lanes;
  const int64_t weightBytes = plan.outBlocks * lanes * channels * shape.kernelSize() * 4;
  // Of few channels what is written is most of the traffic: one block of channels at a time.
  const bool mostlyWrites = kind == ConvKind::kPlainInput && tuning.outer == OuterLoop::kDefault;
  plan.arePanelsInner =
      !mostlyWrites && !arePanelsOuter(tuning, weightBytes, cpu.cachedWeightBytes);
  return plan;
}

void emitConv(OpBuilder& b, Location loc, const ConvShape& shape, ConvKind kind,
              const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
              const ContractionTuning& tuning) {
  if (kind == ConvKind::kDepthwise)
    return emitDepthwiseConv(b, loc, shape, operands, cpu, epilogue);
  if (kind == ConvKind::kShuffled) return emitShuffledConv(b, loc, shape, operands, cpu, epilogue);
  if (kind == ConvKind::kRowMajor) return emitRowMajorConv(b, loc, shape, operands, cpu, epilogue);
  const ConvPlan plan = makePlan(shape, kind, cpu, tuning);
  const Value padded = emitPaddedInput(b, loc, shape, plan.plane, operands.input);
  const Value input = flattenMemRef(b, loc, padded);
  const Value weights = flattenMemRef(b, loc, operands.weights);
  const Value bias = operands.bias ? flattenMemRef(b, loc, operands.bias) : Value();
  const Value output = flattenMemRef(b, loc, operands.output);

  // The tile's input stays in the first-level cache while the channel blocks go by; else the blocks
  // are outermost, and their weights stay.
  const OpFoldResult images = batchSize(b, loc, shape, operands.input);
  auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  SmallVector<OpFoldResult> space = {images, index(plan.groups), index(plan.outDepths()),
                                     index(plan.axes[1].out), index(plan.numTiles())};
  const size_t panelDim = plan.arePanelsInner ? 5 : 2, pixelDim = plan.arePanelsInner ? 2 : 3;
  space.insert(space.begin() + panelDim, index(plan.panelTiles));
  const SmallVector<OpFoldResult> zeros(space.size(), index(0)), ones(space.size(), index(1));
  auto forall = b.create<scf::ForallOp>(loc, zeros, space, ones, ValueRange(), std::nullopt);
  if (plan.plane.isCopy) b.create<memref::DeallocOp>(loc, padded);
  ConvEmitter emitter({loc, OpBuilder(forall.getTerminator())}, shape, kind, plan, epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.bias = bias;
  emitter.output = output;
  auto at = forall.getInductionVars();
  emitter.emitTask({.image = at[0],
                    .group = at[1],
                    .depth = at[pixelDim],
                    .row = at[pixelDim + 1],
                    .tile = at[pixelDim + 2],
                    .panelTile = at[panelDim]});
}

}  // namespace tessera::lowering
