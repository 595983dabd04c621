// A task computes channels of a group, all where weights are few, at a block of positions. It
// copies what they read into a patch (patch.h), in which nothing depends on sizes of the run any
// more: vectors lie along rows of it, and a tile is a few result channels, whose weights are rows
// of A, times a few vectors. What is left of a row behind whole tiles is vectors that are a tile
// beside those of the next rows. The copy costs a load and a store for each vector of a row of
// windows, of which rows of a patch share some, beside the multiply-adds with all channels.
// Without window all positions of an image are one row. A transposed convolution is one of as many
// channels for each remainder of a row by its stride, whose results are interleaved, and of as
// many rows in turn.
#include "compiler/lowering/contraction/open/open_conv.h"

#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/open/patch.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tessera::lowering {

// Borders of a patch are as wide as windows.
static constexpr int64_t kMostTaps = 256;
// Each tap of a row is code of its own where phases have different ones.
static constexpr int64_t kMostTransposedTaps = 32;
// Taps of a row that are written out.
static constexpr int64_t kMostUnrolled = 16;
// Each takes registers of its own, and all of a position's code of their own.
static constexpr int64_t kMostPhases = 8, kMostPhasesOfPosition = 64;
// Each is code of its own.
static constexpr int64_t kMostColumnTaps = 32;
// Positions are cut into so many tasks where there are enough of them.
static constexpr int64_t kFewestTasks = 16;
// Tiles of channels that a patch is made for at least, where channels are cut.
static constexpr int64_t kFewestTiles = 24;

namespace {

/// Everything static about one convolution, and the sizes of the run.
struct OpenConvPlan {
  int64_t lanes = 1;
  std::array<PatchAxis, 3> axes = {};
  bool isFlat = false;  ///< Without window: all positions are one row.
  PatchLayout patch = {};
  EvenSplit channels = {};  ///< Of a group.
  int64_t panels = 1;
  int64_t rowsTogether = 1;      ///< Rows whose last vectors are panels of a tile.
  bool hasLargeWeights = false;  ///< Those of a group do not stay in a cache of a core.

  int64_t tileColumns() const { return panels * lanes; }
  int64_t kernelSize() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
};

/// The values that a tile needs.
struct OpenTile {
  Value image, group;
  Value firstChannel;  ///< Of the group.
  Value plane;         ///< Position.
  Value row = {}, patchRow = {};
  Value column = {}, patchColumn = {};
  int64_t panels = 1;
  bool isAtEnd = false;  ///< There may be fewer results than the tile has.
  Value rowsLeft = {};   ///< Panels are so many rows or less, one vector each; null: of one row.
};

/// [begin, end) of a dimension.
struct Part {
  Index begin, end;
};

/// Which of the results of a position along depth and height.
struct RowPhase {
  int64_t plane = 0, row = 0;
};

class OpenConvEmitter {
 public:
  OpenConvEmitter(const IndexBuilder& b, const OpenConvShape& shape, const OpenConvPlan& plan,
                  const Epilogue& epilogue)
      : b_(b),
        shape_(shape),
        plan_(plan),
        epilogue_(epilogue),
        weights_(weightOrderOf(shape, plan.kernelSize())) {}

  Value input, weights, output;  // flat

  /// The task of channels in `tiles` at these positions, `place.rows` times `place.columns` many.
  void emitTask(Value image, Value group, PatchPlace place, Part tiles);

 private:
  void emitRows(OpenTile at, int64_t channels, const PatchPlace& place);
  Index wholeColumns(const PatchPlace& place);
  void emitColumns(OpenTile at, int64_t channels, const PatchPlace& place, Index from, Index to,
                   int64_t step);
  void emitPhases(const OpenTile& at, int64_t channels);
  void emitTileOf(const OpenTile& at, int64_t channels, RowPhase phase);
  void emitInside(const OpenTile& at, int64_t channels, RowPhase phase, Index plane, Index row);
  BrgemmTile tileOf(const OpenTile& at, int64_t channels, RowPhase phase, const ColumnTaps& taps,
                    size_t number);

  IndexBuilder b_;
  const OpenConvShape& shape_;
  const OpenConvPlan& plan_;
  const Epilogue& epilogue_;
  const WeightOrder weights_;
  Value patch_;
};

/// Taps [first, first + count) of a dimension, of those that have kernel elements in a phase.
struct TapSpan {
  int64_t first = 0, count = 0;
};

}  // namespace

static TapSpan spanOf(const PatchAxis& axis, int64_t phase) {
  TapSpan span;
  for (int64_t tap = 0; tap < axis.taps; ++tap) {
    if (!axis.hasTap(phase, tap)) continue;
    if (span.count == 0) span.first = tap;
    ++span.count;
  }
  return span;
}

void OpenConvEmitter::emitTask(Value image, Value group, PatchPlace place, Part tiles) {
  const PatchAxis &depth = plan_.axes[0], &height = plan_.axes[1], &width = plan_.axes[2];
  const Value volume = b_.mul(b_.mul(depth.in, height.in), width.in);
  place.source =
      (b_.term(image) * shape_.inChannels + b_.term(group) * weights_.inPerGroup) * volume;
  // Tiles read rows behind the last one.
  const int64_t further = (plan_.rowsTogether - 1) * plan_.patch.rowStep * plan_.patch.rowStride();
  patch_ = allocateFloats(b_, plan_.patch.size() + further);
  emitPatch(b_, plan_.axes, plan_.patch, place, input, patch_);
  emitLoop(b_, tiles.begin, tiles.end, 1, [&](Index tile) {
    emitSplitCases(b_, plan_.channels, tile, [&](Value first, int64_t channels) {
      emitRows({.image = image, .group = group, .firstChannel = first, .plane = place.plane},
               channels, place);
    });
  });
  b_.create<memref::DeallocOp>(patch_);
}

// Whole tiles row by row, and vectors at the ends of a few rows in a tile.
void OpenConvEmitter::emitRows(OpenTile at, int64_t channels, const PatchPlace& place) {
  const Index whole = wholeColumns(place);
  emitLoop(b_, b_.index(0), place.rows, plan_.rowsTogether, [&](Index first) {
    const Index rowsLeft = b_.term(place.rows) - first;
    at.panels = plan_.panels;
    emitLoop(b_, first, first + smaller(rowsLeft, plan_.rowsTogether), 1, [&](Index row) {
      at.patchRow = row;
      at.row = b_.add(place.row, row);
      emitColumns(at, channels, place, b_.term(0), whole, plan_.tileColumns());
    });
    OpenTile rest = at;
    rest.patchRow = first;
    rest.row = b_.add(place.row, first);
    rest.rowsLeft = rowsLeft;
    rest.panels = plan_.rowsTogether;
    rest.isAtEnd = true;
    emitColumns(rest, channels, place, whole, b_.term(place.columns), plan_.lanes);
  });
}

// Columns in whole tiles of a part of a row. Of a transposed convolution the last position may have
// some of its results only.
Index OpenConvEmitter::wholeColumns(const PatchPlace& place) {
  const PatchAxis& width = plan_.axes[2];
  const Index complete = floorDiv(b_.term(width.out), width.phases) - place.column;
  return floorDiv(smaller(complete, place.columns), plan_.tileColumns()) * plan_.tileColumns();
}

// Tiles at columns [from, to) of a part of a row, `step` apart.
void OpenConvEmitter::emitColumns(OpenTile at, int64_t channels, const PatchPlace& place,
                                  Index from, Index to, int64_t step) {
  emitLoop(b_, from, to, step, [&](Index column) {
    at.patchColumn = column;
    at.column = b_.add(place.column, column);
    emitPhases(at, channels);
  });
}

void OpenConvEmitter::emitPhases(const OpenTile& at, int64_t channels) {
  for (int64_t plane = 0; plane < plan_.axes[0].phases; ++plane) {
    for (int64_t row = 0; row < plan_.axes[1].phases; ++row)
      emitTileOf(at, channels, {.plane = plane, .row = row});
  }
}

// Of the last position's results along depth and height there may be some only.
void OpenConvEmitter::emitTileOf(const OpenTile& at, int64_t channels, RowPhase phase) {
  const PatchAxis &depth = plan_.axes[0], &height = plan_.axes[1];
  const Index plane = b_.term(at.plane) * depth.phases + phase.plane,
              row = b_.term(at.row) * height.phases + phase.row;
  if (depth.phases * height.phases == 1) return emitInside(at, channels, phase, plane, row);
  emitIf(b_, (plane < depth.out) & (row < height.out),
         [&] { emitInside(at, channels, phase, plane, row); });
}

void OpenConvEmitter::emitInside(const OpenTile& at, int64_t channels, RowPhase phase, Index plane,
                                 Index row) {
  const PatchAxis &depth = plan_.axes[0], &height = plan_.axes[1], &width = plan_.axes[2];
  SmallVector<BrgemmTile, 0> parts;
  for (auto [number, taps] : llvm::enumerate(plan_.patch.columns))
    parts.push_back(tileOf(at, channels, phase, taps, number));
  const Index planeSize = b_.term(height.out) * width.out,
              column = b_.term(at.column) * width.phases;
  OutputTile out{.output = output,
                 .rowStride = planeSize * depth.out,
                 .panelStride = plan_.lanes,
                 .lastPanelLanes = plan_.lanes,
                 .batch = at.image,
                 .interleaved = width.phases,
                 .panels = at.panels * width.phases};
  if (at.isAtEnd) out.openLanes = b_.sub(width.out, column);
  if (at.rowsLeft && plan_.rowsTogether > 1) {
    out.imageRowStride = b_.mul(width.out, height.phases);
    out.openRows = smaller(b_.term(at.rowsLeft), ceilDiv(b_.term(height.out) - row, height.phases));
  }
  out.row = b_.term(at.image) * shape_.outChannels + b_.mul(at.group, weights_.outPerGroup) +
            at.firstChannel;
  out.channelOffset = plane * planeSize + row * width.out + column;
  out.offset = b_.term(out.row) * out.rowStride + out.channelOffset;
  for (int64_t i = 0; i < channels; ++i) out.rowOffsets.push_back(i);
  emitTile(b_, b_.getLoc(), parts, out, epilogue_);
}

BrgemmTile OpenConvEmitter::tileOf(const OpenTile& at, int64_t channels, RowPhase phase,
                                   const ColumnTaps& taps, size_t number) {
  const PatchAxis &depth = plan_.axes[0], &height = plan_.axes[1], &width = plan_.axes[2];
  const PatchLayout& patch = plan_.patch;
  const TapSpan planes = spanOf(depth, phase.plane), rows = spanOf(height, phase.row);
  const auto hasTap = [&](int64_t phase, int64_t tap) {
    return width.hasTap(phase, taps.first + tap * taps.step);
  };
  BrgemmTile tile{.a = weights,
                  .b = patch_,
                  .panels = at.panels,
                  .panelStride = at.rowsLeft ? patch.rowStep * patch.rowStride() : patch.lanes,
                  .lanes = patch.lanes};
  const int64_t kernelRow = width.kernel, kernelPlane = height.kernel * kernelRow;
  const int64_t tapStep = patch.tapStep * patch.rowStride();
  tile.loops = {
      {.extent = weights_.inPerGroup,
       .aStride = weights_.inChannelStride(),
       .bStride = patch.channelStride()},
      {.extent = planes.count,
       .aStride = depth.kernelStep * kernelPlane,
       .bStride = patch.planeStride()},
      {.extent = rows.count, .aStride = height.kernelStep * kernelRow, .bStride = tapStep},
      {.extent = taps.count,
       .aStride = taps.step * width.kernelStep,
       .bStride = taps.offsetStep,
       .runs = stepsOfPhases(channels, width.phases, taps.count, hasTap)}};
  tile.unroll = std::clamp<int64_t>(taps.count, 4, kMostUnrolled);
  tile.partialSums = std::clamp<int64_t>(8 / (channels * width.phases * at.panels), 1, 4);
  const int64_t firstWeight = depth.kernelElement(phase.plane, planes.first) * kernelPlane +
                              height.kernelElement(phase.row, rows.first) * kernelRow +
                              width.kernelElement(0, taps.first);
  tile.aOffset =
      b_.sum({b_.mul(at.group, weights_.groupStride()),
              b_.mul(at.firstChannel, weights_.outChannelStride()), b_.index(firstWeight)});
  tile.bOffset = b_.term(at.patchRow) * (patch.rowStep * patch.rowStride()) + at.patchColumn +
                 (planes.first * patch.planeStride() + rows.first * tapStep +
                  static_cast<int64_t>(number) * patch.pitch + taps.offset);
  for (int64_t i = 0; i < channels; ++i) {
    for (int64_t p = 0; p < width.phases; ++p)
      tile.rowOffsets.push_back(i * weights_.outChannelStride() + p);
  }
  return tile;
}

static PatchAxis patchAxisOf(IndexBuilder& b, const OpenAxis& axis, bool isTransposed) {
  PatchAxis result{.taps = axis.kernel,
                   .stride = axis.stride,
                   .dilation = axis.dilation,
                   .kernel = axis.kernel,
                   .in = axis.in,
                   .padBegin = axis.padBegin,
                   .positions = axis.out,
                   .out = axis.out};
  if (!isTransposed) return result;
  // Taps go the other way here.
  const int64_t stride = axis.stride;
  const InterleavedTaps taps = interleavedTaps(axis.kernel, stride, axis.cutBegin);
  result.taps = taps.count;
  result.stride = 1;
  result.phases = stride;
  result.kernelFirst = taps.first + (taps.count - 1) * stride;
  result.kernelStep = -stride;
  result.padBegin = b.index(taps.count - 1 - taps.inFirst);
  result.positions = b.ceilDiv(axis.out, stride);
  return result;
}

/// One input, one output, made of it.
static bool isTrivial(const OpenAxis& axis) {
  return axis.isIdentity && getConstantIntValue(axis.in) == 1;
}

static std::array<PatchAxis, 3> patchAxesOf(IndexBuilder& b, const OpenConvShape& shape,
                                            bool isFlat) {
  const Value one = b.index(1), zero = b.index(0);
  std::array<PatchAxis, 3> axes;
  for (PatchAxis& axis : axes) axis = {.in = one, .padBegin = zero, .positions = one, .out = one};
  if (isFlat) {
    Value size = one;
    for (const OpenAxis& axis : shape.axes) size = b.mul(size, axis.in);
    axes[2].in = axes[2].positions = axes[2].out = size;
    return axes;
  }
  // Vectors lie along the last dimension that is one.
  const auto extended = llvm::to_vector(
      llvm::make_filter_range(shape.axes, [](const OpenAxis& axis) { return !isTrivial(axis); }));
  for (auto [i, axis] : llvm::enumerate(extended))
    axes[3 - extended.size() + i] = patchAxisOf(b, axis, shape.isTransposed);
  return axes;
}

// As many accumulators as leave room for a vector of each panel and one weight.
static OpenConvPlan makePlan(IndexBuilder& b, const OpenConvShape& shape, const CpuTarget& cpu) {
  OpenConvPlan plan{
      .lanes = cpu.vectorLanes,
      .isFlat = llvm::all_of(shape.axes, [](const OpenAxis& axis) { return axis.isIdentity; })};
  plan.axes = patchAxesOf(b, shape, plan.isFlat);
  const int64_t phases = plan.axes[2].phases, registers = cpu.numVectorRegisters;
  const int64_t mostRows = registers >= 32 ? 12 : 6;
  plan.channels =
      splitEvenly(shape.outChannels / shape.groups, std::max<int64_t>(mostRows / phases, 1));
  plan.hasLargeWeights = shape.outChannels / shape.groups * (shape.inChannels / shape.groups) *
                             plan.kernelSize() * static_cast<int64_t>(sizeof(float)) >
                         cpu.cachedWeightBytes;
  plan.panels = std::clamp<int64_t>((registers - 2) / (plan.channels.large * phases + 1), 1, 4);
  plan.patch = layoutPatch(plan.axes, shape.inChannels / shape.groups, plan.tileColumns(),
                           plan.isFlat, plan.hasLargeWeights, plan.lanes);
  const bool hasRows = getConstantIntValue(plan.axes[1].positions) != 1;
  plan.rowsTogether = hasRows ? std::min(plan.panels, plan.patch.mostRows) : 1;
  plan.patch.mostRows = plan.patch.mostRows / plan.rowsTogether * plan.rowsTogether;
  return plan;
}

static std::optional<StringRef> whyNoOpenAxis(const OpenAxis& axis) {
  if (axis.kernel > kMostTaps) return "has windows of many taps over open sizes";
  const PatchAxis patch{.taps = axis.kernel, .stride = axis.stride, .dilation = axis.dilation};
  if (numColumnTaps(patch) > kMostColumnTaps)
    return "has taps far apart over open sizes, and many of them";
  return std::nullopt;
}

static std::optional<StringRef> whyNoTransposedAxis(const OpenAxis& axis) {
  if (axis.kernel > kMostTransposedTaps) return "has windows of many taps over open sizes";
  if (axis.dilation != 1) return "has a dilation over open sizes";
  return std::nullopt;
}

std::optional<StringRef> whyNoOpenConv(const OpenConvShape& shape) {
  if (shape.axes.empty()) return "has no spatial dimension";
  if (shape.axes.size() > 3) return "has more than three spatial dimensions of open sizes";
  int64_t phases = 1;
  for (const OpenAxis& axis : shape.axes) {
    if (auto reason = shape.isTransposed ? whyNoTransposedAxis(axis) : whyNoOpenAxis(axis))
      return reason;
    phases *= axis.stride;
    if (shape.isTransposed && (axis.stride > kMostPhases || phases > kMostPhasesOfPosition))
      return "has long steps over open sizes";
  }
  return std::nullopt;
}

void emitOpenConv(OpBuilder& builder, Location loc, const OpenConvShape& shape,
                  const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue) {
  IndexBuilder b(loc, builder);
  const OpenConvPlan plan = makePlan(b, shape, cpu);
  const Value images = b.createOrFold<memref::DimOp>(operands.input, 0);
  const Value input = flattenMemRef(b, loc, operands.input),
              weights = flattenMemRef(b, loc, operands.weights),
              output = flattenMemRef(b, loc, operands.output);
  const PatchAxis &depth = plan.axes[0], &height = plan.axes[1], &width = plan.axes[2];
  const Index others = larger(b.term(images) * shape.groups * depth.positions, 1);
  const Index wanted = ceilDiv(b.term(kFewestTasks), others);
  // Each task reads all weights of its channels: where they come from far away, channels are cut,
  // and positions as seldom as patches allow. Rows are cut first: parts of rows have columns in
  // common, of all rows of a window.
  const Index one = b.term(1), ofPositions = plan.hasLargeWeights ? one : wanted;
  const OpenBlocks rows =
      cutOpen(b.term(height.positions), plan.patch.mostRows, ofPositions, plan.rowsTogether);
  const OpenBlocks columns = cutOpen(b.term(width.positions), plan.patch.mostColumns,
                                     plan.isFlat ? ofPositions : one, plan.tileColumns());
  const int64_t numTiles = plan.channels.count(),
                mostParts =
                    plan.hasLargeWeights ? std::max<int64_t>(numTiles / kFewestTiles, 1) : 1;
  const Index ofChannels = ceilDiv(wanted, larger(rows.count * columns.count, 1));
  const OpenBlocks tiles = cutOpen(b.term(numTiles), numTiles, smaller(ofChannels, mostParts), 1);
  scf::ForallOp forall =
      openForall(b, {images, b.getIndexAttr(shape.groups), depth.positions, Value(rows.count),
                     Value(columns.count), Value(tiles.count)});
  OpenConvEmitter emitter(b, shape, plan, epilogue);
  emitter.input = input;
  emitter.weights = weights;
  emitter.output = output;
  const auto numbers = forall.getInductionVars();
  const Index row = b.term(numbers[3]) * rows.size, column = b.term(numbers[4]) * columns.size,
              tile = b.term(numbers[5]) * tiles.size;
  emitter.emitTask(numbers[0], numbers[1],
                   {.source = {},
                    .plane = numbers[2],
                    .row = row,
                    .column = column,
                    .rows = smaller(rows.size, b.term(height.positions) - row),
                    .columns = smaller(columns.size, b.term(width.positions) - column)},
                   {.begin = tile, .end = smaller(tile + tiles.size, numTiles)});
}

}  // namespace tessera::lowering
