// The reduction space of one output pixel and channel block is (input channel block, kernel row,
// kernel column, channel); a tile is a rectangle of output pixels times a few channel blocks.
// Padding is resolved by a bordered copy of the input, so that all tiles are alike; a 1x1
// convolution without stride treats the image as one long row.
#include "compiler/lowering/contraction/conv.h"

#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/tile.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// Everything static about one convolution.
struct ConvPlan {
  int64_t lanes;
  PaddedPlane plane;            // input as the tiles see it
  int64_t inBlocks, outBlocks;  // per group
  int64_t outHeight, outWidth;  // as tiled: {1, pixels} when flat
  TileShape tile;               // rows: pixels
  int64_t unroll;               // 0: default
  EvenSplit rowSplit, columnSplit;
  int64_t panelTiles, lastPanels;
  bool weightsStay;  // all weights of a group fit in the second-level cache
};

/// The values a tile needs.
struct TilePosition {
  Value image, group, rowTile, columnTile, panelTile;
};

class ConvEmitter {
 public:
  ConvEmitter(const IndexBuilder& b, const ConvShape& shape, ConvKind kind, const ConvPlan& plan,
              const Epilogue& epilogue)
      : b_(b), shape_(shape), kind_(kind), plan_(plan), epilogue_(epilogue) {}

  Value input, weights, bias, output;  // flat

  void emitTask(const TilePosition& at) {
    emitSplitCases(b_, plan_.rowSplit, at.rowTile, [&](Value row, int64_t rows) {
      emitSplitCases(b_, plan_.columnSplit, at.columnTile, [&](Value column, int64_t columns) {
        emitPanelCases(at, row, rows, column, columns);
      });
    });
  }

 private:
  void emitPanelCases(const TilePosition& at, Value row, int64_t rows, Value column,
                      int64_t columns) {
    if (plan_.lastPanels == plan_.tile.panels)
      return emit(at, row, rows, column, columns, plan_.tile.panels);
    const Value isLast = b_.equal(at.panelTile, plan_.panelTiles - 1);
    auto choice = b_.create<scf::IfOp>(isLast, /*withElseRegion=*/true);
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(choice.thenBlock());
    emit(at, row, rows, column, columns, plan_.lastPanels);
    b_.setInsertionPointToStart(choice.elseBlock());
    emit(at, row, rows, column, columns, plan_.tile.panels);
  }

  void setReduction(BrgemmTile& tile) const {
    const PaddedPlane& plane = plan_.plane;
    const int64_t kernel = shape_.kernelHeight * shape_.kernelWidth;
    int64_t lanes = plan_.lanes;
    if (kind_ == ConvKind::kPlainInput) {
      tile.loops = {
          {.extent = shape_.inChannels, .aStride = plane.planeStride(), .bStride = kernel * lanes},
          {.extent = shape_.kernelHeight,
           .aStride = shape_.dilationHeight * plane.rowStride(),
           .bStride = shape_.kernelWidth * lanes},
          {.extent = shape_.kernelWidth, .aStride = shape_.dilationWidth, .bStride = lanes}};
      tile.unroll = std::min<int64_t>(shape_.kernelWidth, 8);
    } else {
      int64_t block = lanes * lanes;
      tile.loops = {
          {.extent = plan_.inBlocks, .aStride = plane.planeStride(), .bStride = kernel * block},
          {.extent = shape_.kernelHeight,
           .aStride = shape_.dilationHeight * plane.rowStride(),
           .bStride = shape_.kernelWidth * block},
          {.extent = shape_.kernelWidth, .aStride = shape_.dilationWidth * lanes, .bStride = block},
          {.extent = lanes, .aStride = 1, .bStride = lanes}};
      tile.unroll = plan_.unroll > 0 ? plan_.unroll : 4;
    }
  }

  // Elements of packed weights of one output channel block.
  int64_t panelStride() const {
    const int64_t kernel = shape_.kernelHeight * shape_.kernelWidth;
    return kind_ == ConvKind::kPlainInput ? shape_.inChannels * kernel * plan_.lanes
                                          : plan_.inBlocks * kernel * plan_.lanes * plan_.lanes;
  }

  void emit(const TilePosition& at, Value row, int64_t rows, Value column, int64_t columns,
            int64_t panels) {
    const PaddedPlane& plane = plan_.plane;
    const int64_t lanes = plan_.lanes;
    const int64_t outPlane = plan_.outHeight * plan_.outWidth * lanes;
    const int64_t groupPlanes = kind_ == ConvKind::kPlainInput ? shape_.inChannels : plan_.inBlocks;
    const Index panel = b_.term(at.panelTile) * plan_.tile.panels;
    const Index outBlock = b_.term(at.group) * plan_.outBlocks + panel;

    BrgemmTile tile{
        .a = input, .b = weights, .panels = panels, .panelStride = panelStride(), .lanes = lanes};
    setReduction(tile);
    tile.aOffset = b_.sum({b_.mul(at.image, shape_.groups * groupPlanes * plane.planeStride()),
                           b_.mul(at.group, groupPlanes * plane.planeStride()),
                           b_.mul(row, shape_.strideHeight * plane.rowStride()),
                           b_.mul(column, shape_.strideWidth * plane.pixelStride)});
    tile.bOffset = outBlock * panelStride();
    OutputTile out{.output = output,
                   .panelStride = outPlane,
                   .bias = bias,
                   .lastPanelLanes = lanes,
                   .batch = at.image};
    out.offset =
        b_.sum({b_.mul(at.image, shape_.groups * plan_.outBlocks * outPlane), outBlock * outPlane,
                b_.mul(row, plan_.outWidth * lanes), b_.mul(column, lanes)});
    out.channelOffset = outBlock * lanes;
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = 0; x < columns; ++x) {
        tile.rowOffsets.push_back(y * shape_.strideHeight * plane.rowStride() +
                                  x * shape_.strideWidth * plane.pixelStride);
        out.rowOffsets.push_back((y * plan_.outWidth + x) * lanes);
      }
    }
    emitTile(b_, b_.getLoc(), tile, out, epilogue_);
  }

  IndexBuilder b_;
  const ConvShape& shape_;
  ConvKind kind_;
  const ConvPlan& plan_;
  const Epilogue& epilogue_;
};

}  // namespace

std::optional<ConvKind> convKindFor(const ConvShape& shape, bool isPlainInput, int64_t lanes) {
  if (isPlainInput) return shape.groups == 1 ? std::optional(ConvKind::kPlainInput) : std::nullopt;
  if (shape.groups == 1) return ConvKind::kBlocked;
  if (shape.groups == shape.inChannels && shape.groups == shape.outChannels)
    return ConvKind::kDepthwise;
  const bool wholeBlocks =
      shape.inChannels / shape.groups % lanes == 0 && shape.outChannels / shape.groups % lanes == 0;
  return wholeBlocks ? std::optional(ConvKind::kBlocked) : std::nullopt;
}

// Pixels per tile as a rectangle: whole rows when several fit, else a part of one row.
static void chooseSpatialTile(ConvPlan& plan, const CpuTarget& cpu,
                              const ContractionTuning& tuning) {
  double bestCycles = 0;
  for (const TileShape candidate : candidateTiles(cpu, tuning)) {
    const int64_t panels = std::min(candidate.panels, plan.outBlocks);
    const int64_t panelTiles = (plan.outBlocks + panels - 1) / panels;
    for (int64_t rows = 1; rows <= std::min<int64_t>(plan.outHeight, 4) && rows <= candidate.rows;
         ++rows) {
      EvenSplit rowSplit = splitEvenly(plan.outHeight, rows);
      EvenSplit columnSplit =
          splitEvenly(plan.outWidth, std::max<int64_t>(candidate.rows / rowSplit.large, 1));
      double perPanelTile = 0;
      for (auto [height, numRows] : {std::pair{rowSplit.large, rowSplit.numLarge},
                                     {rowSplit.large - 1, rowSplit.numSmall}}) {
        for (auto [width, numColumns] : {std::pair{columnSplit.large, columnSplit.numLarge},
                                         {columnSplit.large - 1, columnSplit.numSmall}}) {
          if (numRows * numColumns == 0) continue;
          perPanelTile += cyclesPerStep({.rows = height * width, .panels = panels}) *
                          static_cast<double>(numRows * numColumns);
        }
      }
      const double cycles = perPanelTile * static_cast<double>(panelTiles);
      if (bestCycles != 0 && cycles >= bestCycles * 0.99) continue;
      bestCycles = cycles;
      plan.tile = {.rows = rowSplit.large * columnSplit.large, .panels = panels};
      plan.rowSplit = rowSplit;
      plan.columnSplit = columnSplit;
    }
  }
  plan.panelTiles = (plan.outBlocks + plan.tile.panels - 1) / plan.tile.panels;
  plan.lastPanels = plan.outBlocks - (plan.panelTiles - 1) * plan.tile.panels;
}

static ConvPlan makePlan(const ConvShape& shape, ConvKind kind, const CpuTarget& cpu,
                         const ContractionTuning& tuning) {
  ConvPlan plan{};
  int64_t lanes = plan.lanes = cpu.vectorLanes;
  auto blocks = [&](int64_t channels) { return (channels + lanes - 1) / lanes; };
  plan.inBlocks = kind == ConvKind::kPlainInput ? 1 : blocks(shape.inChannels / shape.groups);
  plan.outBlocks = blocks(shape.outChannels / shape.groups);
  plan.plane = paddedPlane(shape, kind, lanes);
  plan.outHeight = shape.outHeight();
  plan.outWidth = shape.outWidth();
  const bool isPointwise = shape.kernelHeight == 1 && shape.kernelWidth == 1 &&
                           shape.strideHeight == 1 && shape.strideWidth == 1 && !plan.plane.isCopy;
  if (isPointwise) {
    plan.outWidth *= plan.outHeight;
    plan.outHeight = 1;
  }
  plan.unroll = tuning.unroll;
  chooseSpatialTile(plan, cpu, tuning);
  const int64_t channels = kind == ConvKind::kPlainInput ? shape.inChannels : plan.inBlocks * lanes;
  const int64_t weightBytes =
      plan.outBlocks * lanes * channels * shape.kernelHeight * shape.kernelWidth * 4;
  plan.weightsStay = weightBytes <= cpu.cachedWeightBytes;
  return plan;
}

void emitConv(OpBuilder& b, Location loc, const ConvShape& shape, ConvKind kind,
              const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
              const ContractionTuning& tuning) {
  if (kind == ConvKind::kDepthwise)
    return emitDepthwiseConv(b, loc, shape, operands, cpu, epilogue);
  const ConvPlan plan = makePlan(shape, kind, cpu, tuning);
  const Value padded = emitPaddedInput(b, loc, shape, plan.plane, operands.input);
  const Value input = flattenMemRef(b, loc, padded);
  const Value weights = flattenMemRef(b, loc, operands.weights);
  const Value bias = operands.bias ? flattenMemRef(b, loc, operands.bias) : Value();
  const Value output = flattenMemRef(b, loc, operands.output);

  // The tile's input stays in the first-level cache while the channel blocks go by; when the
  // weights are too many for the second level, the blocks are outermost and their weights stay
  // instead.
  const OpFoldResult images = batchSize(b, loc, shape, operands.input);
  auto index = [&](int64_t value) { return OpFoldResult(b.getIndexAttr(value)); };
  SmallVector<OpFoldResult> space = {images, index(shape.groups)};
  const SmallVector<OpFoldResult> pixels = {index(plan.rowSplit.count()),
                                            index(plan.columnSplit.count())};
  const size_t panelDim = plan.weightsStay ? 4 : 2;
  space.append(pixels);
  space.insert(space.begin() + panelDim, index(plan.panelTiles));
  const size_t rowDim = plan.weightsStay ? 2 : 3;
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
                    .rowTile = at[rowDim],
                    .columnTile = at[rowDim + 1],
                    .panelTile = at[panelDim]});
}

}  // namespace tessera::lowering
