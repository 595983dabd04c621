// A task computes a tile of positions of one image for some blocks of output channels. It makes the
// inputs of its positions once, all channels of them, in memory of its thread that stays in the
// first caches while the weights go by: those of a block of channels while the block in front of it
// is multiplied for the first results, which leaves units for loads, stores and additions idle.
#include "compiler/lowering/contraction/conv_geometry.h"
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/loops.h"

using namespace mlir;

namespace tessera::lowering {

// Where there are fewer tiles, those of some channels each make the inputs for themselves, as long
// as they have so many blocks of results: making a vector takes a few cycles, multiplying it 8 for
// each block.
static constexpr int64_t kManyTiles = 16, kLeastBlocks = 6;

namespace {

/// Everything static about one convolution.
struct ProloguePlan {
  int64_t lanes, inBlocks, outBlocks, outChannels;
  int64_t lastChannels;  // of the last block of inputs
  int64_t pixels;        // of an image
  EvenSplit tiles = {};
  int64_t panels = 1, panelTiles = 1;
  int64_t numParts = 1, tilesOfPart = 1;  // of the panel tiles
  int64_t unroll = 0;

  int64_t lastPanels() const { return outBlocks - (panelTiles - 1) * panels; }
  int64_t blockSize() const { return lanes * lanes; }
  // Blocks of inputs whose channels are all there.
  int64_t wholeBlocks() const { return lastChannels == lanes ? inBlocks : inBlocks - 1; }
};

class PrologueConvEmitter {
 public:
  PrologueConvEmitter(const IndexBuilder& b, const ProloguePlan& plan, const Prologue& prologue,
                      const Epilogue& epilogue)
      : b_(b), p_(plan), prologue_(prologue), epilogue_(epilogue) {}

  Value weights, bias, output;  // flat

  void emitTask(Value image, Value tile, Value part);

 private:
  void emitRows(Value first, Value part, int64_t rows);
  void emitInputs(IndexBuilder& b, Value first, Value block, int64_t rows);
  void emitPanels(Value first, Value panelTile, int64_t rows, int64_t panels, bool makesInputs);

  IndexBuilder b_;
  const ProloguePlan& p_;
  const Prologue& prologue_;
  const Epilogue& epilogue_;
  Value image_, inputs_;  // of the task
};

}  // namespace

void PrologueConvEmitter::emitInputs(IndexBuilder& b, Value first, Value block, int64_t rows) {
  const Index plane = (b.term(image_) * p_.inBlocks + block) * p_.pixels;
  const Index to = b.term(block) * (rows * p_.lanes);
  for (int64_t row = 0; row < rows; ++row) {
    const Value made = prologue_({.b = b,
                                  .loc = b.getLoc(),
                                  .accumulator = nullptr,
                                  .outputOffset = (plane + first + row) * p_.lanes,
                                  .channelOffset = b.mul(block, p_.lanes),
                                  .batch = image_,
                                  .row = nullptr,
                                  .lanes = p_.lanes,
                                  .validLanes = p_.lanes});
    b.create<vector::StoreOp>(made, inputs_, Value(to + row * p_.lanes));
  }
}

void PrologueConvEmitter::emitPanels(Value first, Value panelTile, int64_t rows, int64_t panels,
                                     bool makesInputs) {
  const Index outBlock = b_.term(panelTile) * p_.panels;
  BrgemmTile tile{.a = inputs_,
                  .b = weights,
                  .panels = panels,
                  .panelStride = p_.inBlocks * p_.blockSize(),
                  .lanes = p_.lanes};
  if (p_.unroll > 0) tile.unroll = p_.unroll;
  OutputTile out{.output = output,
                 .panelStride = p_.pixels * p_.lanes,
                 .bias = bias,
                 .lastPanelLanes = p_.lanes,
                 .channels = p_.outChannels,
                 .batch = image_};
  const Index plane = b_.term(image_) * p_.outBlocks + outBlock;
  out.offset = (plane * p_.pixels + first) * p_.lanes;
  out.channelOffset = outBlock * p_.lanes;
  for (int64_t row = 0; row < rows; ++row) {
    tile.rowOffsets.push_back(row * p_.lanes);
    out.rowOffsets.push_back(row * p_.lanes);
  }
  std::vector<BrgemmTile> parts;
  const auto addPart = [&](int64_t block, int64_t blocks, int64_t channels) {
    BrgemmTile& part = parts.emplace_back(tile);
    part.aOffset = b_.index(block * rows * p_.lanes);
    part.bOffset = (outBlock * p_.inBlocks + block) * p_.blockSize();
    part.loops = {{.extent = blocks, .aStride = rows * p_.lanes, .bStride = p_.blockSize()},
                  {.extent = channels, .aStride = 1, .bStride = p_.lanes}};
  };
  const int64_t whole = p_.wholeBlocks();
  if (whole > 0) addPart(0, whole, p_.lanes);
  if (whole < p_.inBlocks) addPart(whole, 1, p_.lastChannels);
  if (makesInputs)
    parts.front().beforeStep = [&](IndexBuilder& b, Value block) {
      // Behind the last block there is none: it is made again.
      emitInputs(b, first, smaller(b.term(block) + 1, p_.inBlocks - 1), rows);
    };
  emitTile(b_, b_.getLoc(), parts, out, epilogue_);
}

void PrologueConvEmitter::emitRows(Value first, Value part, int64_t rows) {
  const Index from = b_.term(part) * p_.tilesOfPart;
  const bool isInSteps = p_.wholeBlocks() > 1;
  emitLoop(b_, isInSteps ? 1 : p_.inBlocks,
           [&](Index block) { emitInputs(b_, first, block, rows); });
  const int64_t firstPanels = p_.panelTiles == 1 ? p_.lastPanels() : p_.panels;
  emitPanels(first, from, rows, firstPanels, isInSteps);
  if (p_.panelTiles == 1) return;
  SmallVector<int64_t> ends = {p_.panelTiles};
  if (p_.lastPanels() < p_.panels) ends.insert(ends.begin(), p_.panelTiles - 1);
  emitLoop(b_, from + 1, smaller(from + p_.tilesOfPart, p_.panelTiles), 1, [&](Index panelTile) {
    emitRunCases(b_, panelTile, ends, [&](size_t run) {
      const int64_t panels = run + 1 == ends.size() ? p_.lastPanels() : p_.panels;
      emitPanels(first, panelTile, rows, panels, /*makesInputs=*/false);
    });
  });
}

void PrologueConvEmitter::emitTask(Value image, Value tile, Value part) {
  image_ = image;
  inputs_ = allocateFloats(b_, p_.inBlocks * p_.tiles.large * p_.lanes);
  emitSplitCases(b_, p_.tiles, tile,
                 [&](Value first, int64_t rows) { emitRows(first, part, rows); });
  b_.create<memref::DeallocOp>(inputs_);
}

static ProloguePlan makeProloguePlan(const ConvShape& shape, const CpuTarget& cpu,
                                     const ContractionTuning& tuning) {
  const int64_t lanes = cpu.vectorLanes;
  ProloguePlan plan{.lanes = lanes,
                    .inBlocks = llvm::divideCeilSigned(shape.inChannels, lanes),
                    .outBlocks = llvm::divideCeilSigned(shape.outChannels, lanes),
                    .outChannels = shape.outChannels,
                    .lastChannels = (shape.inChannels - 1) % lanes + 1,
                    .pixels = tiledAxesOf(shape)[2].in};
  const TileShape tile = chooseTile(cpu, plan.pixels, lanes * 4, plan.outBlocks, tuning);
  plan.tiles = splitEvenly(plan.pixels, tile.rows);
  plan.panels = std::min(tile.panels, plan.outBlocks);
  plan.panelTiles = llvm::divideCeilSigned(plan.outBlocks, plan.panels);
  plan.unroll = tuning.unroll;
  const int64_t images = ShapedType::isDynamic(shape.batch) ? 1 : shape.batch;
  if (images * plan.tiles.count() < kManyTiles)
    plan.numParts = std::max<int64_t>(plan.outBlocks / kLeastBlocks, 1);
  plan.tilesOfPart = llvm::divideCeilSigned(plan.panelTiles, plan.numParts);
  // No part begins with the last tile, which may have fewer panels than the others.
  while (plan.panelTiles > 1 && (plan.panelTiles - 1) % plan.tilesOfPart == 0) ++plan.tilesOfPart;
  plan.numParts = llvm::divideCeilSigned(plan.panelTiles, plan.tilesOfPart);
  return plan;
}

bool canHavePrologue(const ConvShape& shape) {
  return shape.groups == 1 && !shape.isTransposed && isWithoutWindow(shape);
}

bool isForPrologue(const ConvShape& shape, const CpuTarget& cpu) {
  if (!canHavePrologue(shape)) return false;
  const ProloguePlan plan = makeProloguePlan(shape, cpu, {});
  // All weights are read for each tile, from a cache; one block of results does not pay.
  const int64_t weightBytes = plan.inBlocks * plan.outBlocks * plan.blockSize() * 4;
  return plan.tiles.count() > 1 && plan.outBlocks > 1 && weightBytes <= cpu.cachedWeightBytes;
}

void emitConvOfPrologue(OpBuilder& at, Location loc, const ConvShape& shape,
                        const ConvOperands& operands, const CpuTarget& cpu,
                        const Prologue& prologue, const Epilogue& epilogue,
                        const ContractionTuning& tuning) {
  const ProloguePlan plan = makeProloguePlan(shape, cpu, tuning);
  IndexBuilder b(loc, at);
  const Value weights = flattenMemRef(b, loc, operands.weights),
              bias = operands.bias ? flattenMemRef(b, loc, operands.bias) : Value(),
              output = flattenMemRef(b, loc, operands.output);
  scf::ForallOp forall =
      openForall(b, {batchSize(b, loc, shape, operands.output), b.getIndexAttr(plan.tiles.count()),
                     b.getIndexAttr(plan.numParts)});
  PrologueConvEmitter emitter(b, plan, prologue, epilogue);
  emitter.weights = weights;
  emitter.bias = bias;
  emitter.output = output;
  const auto numbers = forall.getInductionVars();
  emitter.emitTask(numbers[0], numbers[1], numbers[2]);
}

}  // namespace tessera::lowering
