// The reduction space of one output pixel and channel block is (input channel block, kernel planes,
// rows and columns, channel); a tile is a run of output pixels of one row times a few channel
// blocks. Kernel planes and rows outside of the image are left out by the bounds of their loops,
// known at run time; tiles at the left and right border have code of their own, in which pixels do
// not take part in the columns that they lack. Where too many tiles are such (small images under
// wide windows), a bordered copy of the input makes all of them alike. A convolution without window
// treats the image as one long row. Where a tile has many weights, a task takes them in blocks of
// input channels, each for all of its tiles, and keeps their sums.
#include "compiler/lowering/contraction/conv.h"

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/conv_tiling.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// The values a tile needs. Depths are numbered through, of all dimensions in front of rows.
struct TilePosition {
  Value image, group, depth, row, tile, panelTile;
};

class ConvEmitter {
 public:
  ConvEmitter(const IndexBuilder& b, const ConvShape& shape, ConvKind kind,
              const ConvTiling& tiling, const Epilogue& epilogue)
      : b_(b), shape_(shape), kind_(kind), tiling_(tiling), epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  void emitTask(const TilePosition& at) {
    emitTileCases(at, [&](ArrayRef<BrgemmTile> parts, const OutputTile& out) {
      emitTile(b_, b_.getLoc(), parts, out, epilogue_);
    });
  }

  // The tiles of a plane, row by row, `together` of them at a time, of which this is number `part`.
  void emitTaskInBlocks(TilePosition at, Value part, int64_t together) {
    PartialSums sums{.memref = allocateFloats(b_, together * tiling_.sumsOfTile())};
    const Index firstPlace = b_.term(part) * together;
    const Value end = b_.smaller(firstPlace + together, b_.index(tiling_.numPlaces()));
    const auto forPlaces = [&](TileUse use) {
      auto places = b_.create<scf::ForOp>(firstPlace, end, b_.index(1));
      const OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(places.getBody());
      const Index place = b_.term(places.getInductionVar());
      at.row = floorDiv(place, tiling_.numTiles());
      at.tile = place % tiling_.numTiles();
      sums.offset = (place - firstPlace) * tiling_.sumsOfTile();
      emitTileCases(at, use);
    };
    {
      auto blocks = b_.create<scf::ForOp>(b_.index(0), b_.index(tiling_.blocks.count), b_.index(1));
      const OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(blocks.getBody());
      const Value block = blocks.getInductionVar();
      const Value isFirst = b_.equal(block, 0);
      forPlaces([&](ArrayRef<BrgemmTile> parts, const OutputTile&) {
        assert(parts.size() == 1 && "a block of channels that is not filled");
        emitPart(b_, parts.front(), tiling_.blocks, block, sums, isFirst);
      });
    }
    forPlaces([&](ArrayRef<BrgemmTile> parts, const OutputTile& out) {
      emitSummedTile(b_, b_.getLoc(), parts.front(), out, epilogue_, sums);
    });
    b_.create<memref::DeallocOp>(sums.memref);
  }

 private:
  /// What is done with a tile.
  using TileUse = llvm::function_ref<void(ArrayRef<BrgemmTile> parts, const OutputTile& out)>;

  void emitTileCases(const TilePosition& at, TileUse use) {
    setDepths(b_.term(at.depth));
    rowTaps_ = tapsAt(b_, tiling_.axes[1], at.row);
    const auto ends =
        llvm::map_to_vector(tiling_.tiles, [](const TileRun& run) { return run.last; });
    emitRunCases(b_, at.tile, ends,
                 [&](size_t run) { emitPanelCases(at, tiling_.tiles[run], use); });
  }

  void emitPanelCases(const TilePosition& at, const TileRun& run, TileUse use) {
    if (tiling_.lastPanels == tiling_.panels) return emit(at, run, tiling_.panels, use);
    if (tiling_.panelTiles == 1) return emit(at, run, tiling_.lastPanels, use);
    emitIf(
        b_, b_.equal(at.panelTile, tiling_.panelTiles - 1),
        [&] { emit(at, run, tiling_.lastPanels, use); },
        [&] { emit(at, run, tiling_.panels, use); });
  }

  bool isPlainInput() const { return kind_ == ConvKind::kPlainInput; }
  bool isBanded() const { return kind_ == ConvKind::kBanded; }
  // Elements of packed weights of one tap.
  int64_t tapSize() const { return tiling_.lanes * (isPlainInput() ? 1 : tiling_.lanes); }
  int64_t kernelSize() const {
    return outerSize(&ConvAxis::kernel) * tiling_.axes[0].kernel * tiling_.axes[1].kernel *
           tiling_.axes[2].kernel;
  }
  int64_t kernelRow() const { return tiling_.axes[2].kernel * tapSize(); }
  int64_t kernelPlane() const { return tiling_.axes[1].kernel * kernelRow(); }
  // Planes of an image and group that the reduction goes through.
  int64_t groupPlanes() const { return isPlainInput() ? shape_.inChannels : tiling_.inBlocks; }
  int64_t imagePlanes() const {
    return isBanded() ? tiling_.plane.numPlanes : tiling_.groups * groupPlanes();
  }
  // Elements of packed weights of one output channel block.
  int64_t panelStride() const { return groupPlanes() * kernelSize() * tapSize(); }
  int64_t inputRow() const { return tiling_.axes[2].in * tiling_.plane.pixelStride; }
  int64_t inputPlane() const { return tiling_.axes[1].in * inputRow(); }
  int64_t inputVolume() const { return tiling_.axes[0].in * inputPlane(); }
  int64_t kernelVolume() const { return tiling_.axes[0].kernel * kernelPlane(); }
  int64_t channelStride() const { return outerSize(&ConvAxis::in) * inputVolume(); }
  // The product over the dimensions in front of the axes from number `from` on.
  int64_t outerSize(int64_t ConvAxis::* member, size_t from = 0) const {
    return productOf(tiling_.outer.drop_front(from), member);
  }

  // What each dimension in front of rows reads for output number `depth` of all of them.
  void setDepths(Index depth) {
    outerTaps_.resize(tiling_.outer.size());
    for (size_t i = 0; i < tiling_.outer.size(); ++i) {
      const int64_t inner = outerSize(&ConvAxis::out, i + 1) * tiling_.axes[0].out;
      outerTaps_[i] = tapsAt(b_, tiling_.outer[i], floorDiv(depth, inner));
      depth = depth % inner;
    }
    depthTaps_ = tapsAt(b_, tiling_.axes[0], depth);
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
    const ConvPhase& phase = tiling_.phases[run.phase];
    tile.loops = {
        {.extent = planes, .aStride = channelStride(), .bStride = kernelSize() * tapSize()}};
    for (const auto& [i, taps] : llvm::enumerate(outerTaps_))
      tile.loops.push_back(loopOf(taps, outerSize(&ConvAxis::in, i + 1) * inputVolume(),
                                  outerSize(&ConvAxis::kernel, i + 1) * kernelVolume()));
    tile.loops.append({loopOf(depthTaps_, inputPlane(), kernelPlane()),
                       loopOf(rowTaps_, inputRow(), kernelRow()),
                       {.extent = phase.taps,
                        .aStride = phase.tapStep * tiling_.plane.pixelStride,
                        .bStride = phase.kernelStep * tapSize(),
                        .runs = run.steps}});
    if (isPlainInput()) {
      tile.unroll = std::min<int64_t>(phase.taps, 8);
      return;
    }
    tile.loops.push_back({.extent = channels, .aStride = 1, .bStride = tiling_.lanes});
    tile.unroll = tiling_.unroll > 0 ? tiling_.unroll : 4;
  }

  // All of `tile`, whose addresses are set: whole blocks of channels, then what the last one has.
  std::vector<BrgemmTile> reductionsOf(BrgemmTile tile, const TileRun& run) {
    const int64_t planes = groupPlanes(), last = tiling_.lastChannels;
    if (isPlainInput() || last == tiling_.lanes) {
      setReduction(tile, run, planes, tiling_.lanes);
      return {tile};
    }
    std::vector<BrgemmTile> parts;
    if (planes > 1) {
      setReduction(parts.emplace_back(tile), run, planes - 1, tiling_.lanes);
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

  void emit(const TilePosition& at, const TileRun& run, int64_t panels, TileUse use) {
    const int64_t lanes = tiling_.lanes;
    const ConvPhase& phase = tiling_.phases[run.phase];
    const int64_t outRow = tiling_.axes[2].out * lanes, outImage = tiling_.axes[1].out * outRow,
                  outPlane = tiling_.outDepths() * outImage;
    const Index panel = b_.term(at.panelTile) * tiling_.panels;
    const Index outBlock = b_.term(at.group) * tiling_.outBlocks + panel;
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
                           b_.mul(rowTaps_.first, inputRow()), column * tiling_.plane.pixelStride});
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
    out.offset = b_.sum({b_.mul(at.image, tiling_.groups * tiling_.outBlocks * outPlane),
                         outBlock * outPlane, b_.mul(at.depth, outImage), b_.mul(at.row, outRow),
                         outColumn * lanes});
    out.channelOffset = outBlock * lanes;
    for (int64_t i = 0; i < run.size; ++i) {
      tile.rowOffsets.push_back(i * phase.inStep * tiling_.plane.pixelStride);
      out.rowOffsets.push_back(i * phase.outStep * lanes);
    }
    std::vector<BrgemmTile> parts = reductionsOf(tile, run);
    if (isBanded()) {
      parts.front().loops.front().begin = b_.index(0);
      parts.front().loops.front().end = bandCount;
    }
    use(parts, out);
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  ConvKind kind_;
  const ConvTiling& tiling_;
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

void emitConv(OpBuilder& b, Location loc, const ConvShape& shape, ConvKind kind,
              const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
              const ContractionTuning& tuning) {
  if (kind == ConvKind::kDepthwise)
    return emitDepthwiseConv(b, loc, shape, operands, cpu, epilogue, tuning);
  if (kind == ConvKind::kShuffled)
    return emitShuffledConv(b, loc, shape, operands, cpu, epilogue, tuning);
  if (kind == ConvKind::kRowMajor)
    return emitRowMajorConv(b, loc, shape, operands, cpu, epilogue, tuning);
  const ConvTiling tiling = tilingOf(shape, kind, cpu, tuning);
  const Value padded = emitPaddedInput(b, loc, shape, tiling.plane, operands.input);
  const Value input = flattenMemRef(b, loc, padded);
  const Value weights = flattenMemRef(b, loc, operands.weights);
  const Value bias = operands.bias ? flattenMemRef(b, loc, operands.bias) : Value();
  const Value output = flattenMemRef(b, loc, operands.output);

  const OpFoldResult images = batchSize(b, loc, shape, operands.input);
  auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  SmallVector<OpFoldResult> space = {images, index(tiling.groups), index(tiling.outDepths())};
  // Windows of several planes that are one row high have planes in common, not rows: planes are
  // innermost.
  const bool slidesInDepth = tiling.axes[0].kernel > 1 && tiling.axes[1].isIdentity();
  const int64_t places = tiling.numPlaces(), together = tilesTogether(tiling.sumsOfTile(), places);
  const bool isInBlocks = tiling.blocks.count > 1;
  if (isInBlocks)
    space.push_back(index(llvm::divideCeilSigned(places, together)));
  else
    space.append({index(tiling.axes[1].out), index(tiling.numTiles())});
  if (slidesInDepth) std::rotate(space.begin() + 2, space.begin() + 3, space.end());
  // The tile's input stays in the first-level cache while the channel blocks go by; else the blocks
  // are outermost, and their weights stay.
  const size_t panelDim = tiling.arePanelsInner ? space.size() : 2;
  space.insert(space.begin() + panelDim, index(tiling.panelTiles));
  IndexBuilder outside(loc, b);
  scf::ForallOp forall = openForall(outside, space);
  if (tiling.plane.isCopy) b.create<memref::DeallocOp>(loc, padded);
  ConvEmitter emitter({loc, OpBuilder(forall.getTerminator())}, shape, kind, tiling, epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.bias = bias;
  emitter.output = output;
  SmallVector<Value> at(forall.getInductionVars());
  const Value panelTile = at[panelDim];
  at.erase(at.begin() + panelDim);
  if (slidesInDepth) std::rotate(at.begin() + 2, at.end() - 1, at.end());
  TilePosition position{.image = at[0],
                        .group = at[1],
                        .depth = at[2],
                        .row = {},
                        .tile = {},
                        .panelTile = panelTile};
  if (isInBlocks) {
    emitter.emitTaskInBlocks(position, at[3], together);
  } else {
    position.row = at[3];
    position.tile = at[4];
    emitter.emitTask(position);
  }
}

}  // namespace tessera::lowering
