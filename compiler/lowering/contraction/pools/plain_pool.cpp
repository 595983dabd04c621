// Pools on row-major planes: blocks of rows are shared out; of windows of several planes those are
// combined first.
#include "compiler/lowering/contraction/conv_internal.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/pools/pool_planes.h"
#include "compiler/lowering/contraction/pools/pool_rows.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/streamed_result.h"

using namespace mlir;

namespace tessera::lowering {

// Rows of the result that are emitted at a time; a divisor of their number. Two windows share a row
// at most where they move by two. What comes from memory is read faster row by row: what the next
// window has in common with this one is in the cache. `areRead`: rows are read for each block, two
// of which are those of the next one, too; not where they are combined before.
static int64_t rowsOfBlock(const ConvShape& shape, bool isFromMemory, bool areRead) {
  if (!areRowsWrittenOut(shape) || isFromMemory) return 1;
  static constexpr int64_t kRead[] = {8, 7, 6, 5, 4, 3, 2}, kCombined[] = {4, 5, 3, 2},
                           kStrided[] = {2, 3, 5};
  const ArrayRef<int64_t> dense = areRead ? ArrayRef(kRead) : ArrayRef(kCombined);
  for (const int64_t size : shape.strideHeight == 1 ? dense : ArrayRef(kStrided))
    if (shape.outHeight() % size == 0) return size;
  return 1;
}

// Whether the planes of windows are combined in front of rows: what windows of several rows have in
// common is combined once. Else they are read as further rows.
static bool arePlanesCombined(const ConvShape& shape) {
  constexpr int64_t kMostPlanes = 3;
  return hasWindowInDepth(shape) && (shape.kernelDepth > kMostPlanes || !areRowsWrittenOut(shape) ||
                                     shape.kernelHeight > shape.strideHeight);
}

static bool fillVectors(const ConvShape& shape, int64_t lanes) {
  return shape.outWidth() * 2 > lanes;
}

// Half a vector where rows of results fill no more of one.
static int64_t lanesOf(const ConvShape& shape, int64_t lanes) {
  constexpr int64_t kFewest = 8;
  return fillVectors(shape, lanes) || lanes <= kFewest ? lanes : lanes / 2;
}

bool isForPlainPool(const ConvShape& shape, int64_t lanes) {
  constexpr int64_t kMostStride = 4;
  return shape.strideWidth <= kMostStride && shape.dilationWidth == 1 &&
         fillVectors(shape, lanesOf(shape, lanes));
}

namespace {

/// What is emitted for one place that results are written to.
struct PlainPoolKernel {
  const ConvShape& shape;
  const Pool& pool;
  const CpuTarget& cpu;
  const Epilogue& epilogue;
  Value input, output, channels;
  bool isStreamed;

  void emit(IndexBuilder b) const;
  void emitVolumes(IndexBuilder b) const;
  PoolRows emitterOf(const IndexBuilder& b, const ConvShape& read, Value from) const {
    PoolRows emitter(b, read, shape, pool, cpu, epilogue);
    emitter.input = from;
    emitter.output = output;
    emitter.blockSize = blockSize();
    emitter.isStreamed = isStreamed;
    emitter.isFromMemory = isFromMemory() && !arePlanesCombined(shape);
    return emitter;
  }
  bool isFromMemory() const { return isBeyondCaches(cast<MemRefType>(input.getType())); }
  PoolPlanes planesOf(int64_t rows) const {
    return poolPlanes(shape, rows, isFromMemory(), cpu.vectorLanes);
  }
  // Rows; those of planes that are combined first come from the first level.
  int64_t blockSize() const {
    const bool areRead = !arePlanesCombined(shape);
    return rowsOfBlock(shape, isFromMemory() && areRead, areRead);
  }
  int64_t numBlocks() const { return shape.outHeight() / blockSize(); }
  int64_t blocksAtOnce() const;
  void emitInRegisters(IndexBuilder& b, const PoolPlanes& planes) const;
  SmallVector<PoolPlane> planesAt(IndexBuilder& b, Index volume, Index depth) const;
  ConvShape shapeOfCombined(const PoolPlanes& planes) const;
};

}  // namespace

void PlainPoolKernel::emit(IndexBuilder b) const {
  if (arePlanesCombined(shape)) return emitVolumes(b);
  const int64_t depths = shape.outDepth();
  SmallVector<OpFoldResult> ends = {getAsOpFoldResult(channels), b.getIndexAttr(numBlocks())};
  if (depths > 1) ends.insert(ends.begin() + 1, b.getIndexAttr(depths));
  const auto numbers = openForall(b, ends).getInductionVars();
  PoolRows emitter = emitterOf(b, shape, input);
  const Index channel = b.term(numbers[0]),
              depth = depths > 1 ? b.term(numbers[1]) : b.term(int64_t{0});
  emitter.setPlane(channel, depth, planesAt(b, channel, depth));
  emitter.emitBlock(numbers.back());
}

// To a maximum the plane at the edge stands for those past it.
SmallVector<PoolPlane> PlainPoolKernel::planesAt(IndexBuilder& b, Index volume, Index depth) const {
  const ConvAxis axis = spatialAxesOf(shape)[0];
  SmallVector<PoolPlane> planes;
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const Index at = depth * axis.stride + (k * axis.dilation - axis.padBegin);
    const Index nearest = axis.isInside() ? at : smaller(larger(at, 0), axis.in - 1);
    const bool isOpen = !axis.isInside() && !standsForOutside(axis, pool);
    planes.push_back({.origin = (volume * axis.in + nearest) * (shape.inHeight * shape.inWidth),
                      .isThere = isOpen ? Value(at == nearest) : Value()});
  }
  return planes;
}

// Blocks of rows whose combined planes stay in half of a first-level cache, of which neighbours
// have few rows in common.
int64_t PlainPoolKernel::blocksAtOnce() const {
  constexpr int64_t kMostElements = 4096;
  int64_t most = 1;
  for (int64_t blocks = 1; blocks <= numBlocks(); ++blocks) {
    const PoolPlanes planes = planesOf(blocks * blockSize());
    if (numBlocks() % blocks == 0 && planes.size() <= kMostElements) most = blocks;
  }
  return most;
}

// The pool that is left of rows and columns.
ConvShape PlainPoolKernel::shapeOfCombined(const PoolPlanes& planes) const {
  ConvShape read = shape;
  read.padRight -= planes.width - shape.inWidth;
  read.inWidth = planes.width;
  if (!planes.areRowsCombined) return read;
  read.inHeight = shape.outHeight();
  read.kernelHeight = 1;
  read.padTop = read.padBottom = 0;
  return read;
}

// All rows of the planes of a result, or of two.
void PlainPoolKernel::emitInRegisters(IndexBuilder& b, const PoolPlanes& planes) const {
  const auto numbers =
      openForall(b, {getAsOpFoldResult(channels), b.getIndexAttr(shape.outDepth() / planes.depths)})
          .getInductionVars();
  const Index channel = b.term(numbers[0]), depth = b.term(numbers[1]) * planes.depths;
  const auto take = [&](const CombinedRow& row) {
    PoolRows emitter = emitterOf(b, shape, input);
    emitter.setPlane(channel, depth + row.depth, {});
    emitter.emitCombinedRow(row.number, row.vectors, row.mayLackRows);
  };
  const PlanesToCombine what{.input = input,
                             .target = {},
                             .results = {},
                             .volume = channel,
                             .depth = depth,
                             .firstRow = b.term(-shape.padTop),
                             .take = take};
  emitCombinedPlanes(b, shape, pool, planes, what, cpu.vectorLanes);
}

void PlainPoolKernel::emitVolumes(IndexBuilder b) const {
  if (const PoolPlanes planes = planesOf(shape.outHeight()); planes.stayInRegisters)
    return emitInRegisters(b, planes);
  const int64_t blocks = blocksAtOnce(), rows = blocks * blockSize();
  const PoolPlanes planes = planesOf(rows);
  const auto numbers =
      openForall(b, {getAsOpFoldResult(channels), b.getIndexAttr(shape.outDepth() / planes.depths),
                     b.getIndexAttr(numBlocks() / blocks)})
          .getInductionVars();
  const Index channel = b.term(numbers[0]), depth = b.term(numbers[1]) * planes.depths,
              group = b.term(numbers[2]);
  const Index firstRow = group * (rows * shape.strideHeight) - shape.padTop;
  const Value combined = allocateFloats(b, planes.size());
  emitCombinedPlanes(b, shape, pool, planes,
                     {.input = input,
                      .target = combined,
                      .results = isStreamed ? Value() : output,
                      .volume = channel,
                      .depth = depth,
                      .firstRow = firstRow},
                     cpu.vectorLanes);
  const ConvShape read = shapeOfCombined(planes);
  const Index begin = planes.areRowsCombined ? group * rows : firstRow;
  emitLoop(b, planes.depths, [&](Index number) {
    const Index origin = (number * planes.rows - begin) * planes.width + planes.lead,
                plane = depth + number;
    emitLoop(b, blocks, [&](Index block) {
      PoolRows emitter = emitterOf(b, read, combined);
      emitter.isFilled = true;
      emitter.setPlane(channel, plane, {{.origin = origin, .isThere = {}}});
      emitter.emitBlock(group * blocks + block);
    });
  });
  b.create<memref::DeallocOp>(combined);
}

void emitPlainPool(OpBuilder& at, Location loc, const ConvShape& shape, const Pool& pool,
                   Value input, Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  const Value in = flattenMemRef(at, loc, input), out = flattenMemRef(at, loc, output);
  IndexBuilder b(loc, at);
  CpuTarget narrow = cpu;
  narrow.vectorLanes = lanesOf(shape, cpu.vectorLanes);
  Pool combined = pool;
  combined.masksHalves = narrow.vectorLanes < cpu.vectorLanes;
  const Value channels = b.mul(
      getValueOrCreateConstantIndexOp(b, loc, batchSize(at, loc, shape, input)), shape.inChannels);
  emitStreamed(b, out, shape.outWidth(), narrow.vectorLanes, poolTileSize(shape, narrow),
               [&](const IndexBuilder& here, Value target, bool isStreamed) {
                 PlainPoolKernel{.shape = shape,
                                 .pool = combined,
                                 .cpu = narrow,
                                 .epilogue = epilogue,
                                 .input = in,
                                 .output = target,
                                 .channels = channels,
                                 .isStreamed = isStreamed}
                     .emit(here);
               });
}

}  // namespace tessera::lowering
