// A task computes a block of rows at one tile of columns, part by part of the reduction. It copies
// what a part reads of B, a strip as wide as the tile, into memory that stays in the nearest caches
// and in which steps are a known distance apart; rows of A go by where they lie. The copy
// costs about as much as one tile of rows, so that few rows read B in place. Sums wait in memory of
// the task between parts. What is left of n behind whole tiles is a tile of as few panels as hold
// it, of which the last is stored in part; what is left of a block of rows are tiles of fewer rows.
#include "compiler/lowering/contraction/open/open_product.h"

#include "compiler/lowering/contraction/address.h"
#include "compiler/lowering/contraction/open/few_rows.h"
#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tessera::lowering {

Index OpenProduct::entryNumber(IndexBuilder& builder, ValueRange at) const {
  Index number = builder.term(0);
  for (auto [position, size] : llvm::zip_equal(at, batch)) number = number * size + position;
  return number;
}

namespace {

/// Rows and columns of a task, and what it has to keep.
struct OpenTask {
  SmallVector<Value> at;
  Value batch = {};
  Value firstRow = {}, rows = {}, firstColumn = {};
  Value strip = {}, sums = {};
};

/// Steps of the reduction.
struct OpenPart {
  Value firstStep, steps;
  PartPlace place;
};

/// What a tile reads of B.
struct OpenStrip {
  int64_t panels = 1;
  Value address, step;
  Value openLanes = {};  ///< Columns that are there; null: all.
};

class OpenProductEmitter {
 public:
  // NOLINTNEXTLINE(modernize-pass-by-value): moving a builder copies it.
  OpenProductEmitter(const IndexBuilder& b, const OpenProduct& product, Value output,
                     const CpuTarget& cpu, const Epilogue& epilogue)
      : b_(b),
        p_(product),
        output_(output),
        lanes_(cpu.vectorLanes),
        rows_(lanes_ / 2),
        epilogue_(epilogue) {}

  void run();

 private:
  // Panels of a tile, beside which half as many rows as a vector has lanes fit the registers.
  static constexpr int64_t kPanels = 3;
  // Steps of a part: a strip of 24 KB with AVX2, of 48 KB with AVX-512.
  static constexpr int64_t kSteps = 256;
  // Rows of a task: they read a strip from the first level that comes from further away.
  static constexpr int64_t kMostRows = 256;
  // Rows are cut into so many tasks where each has some.
  static constexpr int64_t kWantedTasks = 8, kFewestRows = 32;

  int64_t width() const { return kPanels * lanes_; }

  void emitTask(const OpenTask& task);
  void emitParts(const OpenTask& task, int64_t panels, Value openLanes);
  OpenStrip stripOf(const OpenTask& task, const OpenPart& part, int64_t panels, Value openLanes);
  void copyStrip(const OpenTask& task, const OpenPart& part, Index from, int64_t panels,
                 Value openLanes);
  void emitRows(const OpenTask& task, const OpenPart& part, const OpenStrip& strip);
  void emitTileAt(const OpenTask& task, const OpenPart& part, const OpenStrip& strip, Index row,
                  int64_t rows);

  IndexBuilder b_;
  const OpenProduct& p_;
  Value output_;  // flat
  int64_t lanes_, rows_;
  const Epilogue& epilogue_;
};

}  // namespace

// Of whole rows of the strip in one loop, else panel by panel.
void OpenProductEmitter::copyStrip(const OpenTask& task, const OpenPart& part, Index from,
                                   int64_t panels, Value openLanes) {
  if (p_.hasRowsOfB() && !openLanes) {
    emitLoop(b_, part.steps, [&](Index step) {
      for (int64_t panel = 0; panel < panels; ++panel) {
        const Index source = from + b_.mul(p_.b.rowStride, step) + panel * lanes_;
        const Value vector =
            loadLanes(b_, b_.getLoc(), p_.b.memory, source, lanes_, /*validLanes=*/lanes_);
        storeLanes(b_, b_.getLoc(), vector, task.strip, step * (panels * lanes_) + panel * lanes_,
                   lanes_);
      }
    });
    return;
  }
  const Index columns = openLanes ? b_.term(openLanes) : b_.term(panels * lanes_);
  emitLoop(b_, panels, [&](Index panel) {
    const Index column = panel * lanes_;
    const PackedSizes sizes = {.batch = {}, .rows = part.steps, .columns = columns - column};
    packPanel(b_, p_.b, sizes, lanes_, from + b_.mul(p_.b.columnStride, column),
              {.memory = task.strip, .offset = column, .rowStep = b_.index(panels * lanes_)});
  });
}

OpenStrip OpenProductEmitter::stripOf(const OpenTask& task, const OpenPart& part, int64_t panels,
                                      Value openLanes) {
  const Index from =
      p_.b.placeOf(b_, task.at, part.firstStep) + b_.mul(p_.b.columnStride, task.firstColumn);
  const Value packed = addressOf(b_, task.strip, b_.index(0)), step = b_.index(panels * lanes_);
  OpenStrip strip{.panels = panels, .address = packed, .step = step, .openLanes = openLanes};
  // A part of a vector must not be read beyond the end of B.
  if (!p_.hasRowsOfB() || openLanes) {
    copyStrip(task, part, from, panels, openLanes);
    return strip;
  }
  const Value isCopied = b_.less(b_.index(2 * rows_), p_.m);
  emitIf(b_, isCopied, [&] { copyStrip(task, part, from, panels, openLanes); });
  strip.address = b_.select(isCopied, packed, addressOf(b_, p_.b.memory, from));
  strip.step = b_.select(isCopied, step, p_.b.rowStride);
  return strip;
}

void OpenProductEmitter::emitTileAt(const OpenTask& task, const OpenPart& part,
                                    const OpenStrip& strip, Index row, int64_t rows) {
  const int64_t accumulators = rows * strip.panels;
  BrgemmTile tile{
      .a = p_.a.memory,
      .aOffset = p_.a.placeOf(b_, task.at, row) + b_.mul(p_.a.columnStride, part.firstStep),
      .rowStride = p_.a.rowStride,
      .b = strip.address,
      .bOffset = b_.index(0),
      .panels = strip.panels,
      .panelStride = lanes_,
      .lanes = lanes_};
  tile.loops = {{.aStride = 1,
                 .bStride = 1,
                 .openExtent = part.steps,
                 .openAStride = p_.a.columnStride,
                 .openBStride = strip.step}};
  tile.unroll = accumulators <= 8 ? 8 : 4;
  tile.partialSums = std::clamp<int64_t>(8 / accumulators, 1, 4);
  OutputTile out{.output = output_,
                 .rowStride = p_.n,
                 .panelStride = lanes_,
                 .channelOffset = task.firstColumn,
                 .lastPanelLanes = lanes_,
                 .openLanes = strip.openLanes,
                 .batch = task.batch};
  out.row = b_.term(task.batch) * p_.m + row;
  out.offset = b_.term(out.row) * p_.n + task.firstColumn;
  for (int64_t i = 0; i < rows; ++i) {
    tile.rowOffsets.push_back(i);
    out.rowOffsets.push_back(i);
  }
  const PartialSums sums{.memref = task.sums,
                         .offset = (row - task.firstRow) * (strip.panels * lanes_)};
  emitTileOfPart(b_, b_.getLoc(), tile, out, epilogue_, sums, part.place);
}

// Whole tiles, and the rest in tiles of half as many rows and so on, as its binary digits say.
void OpenProductEmitter::emitRows(const OpenTask& task, const OpenPart& part,
                                  const OpenStrip& strip) {
  Index row = b_.term(task.firstRow);
  const Index end = row + task.rows, whole = row + floorDiv(b_.term(task.rows), rows_) * rows_;
  emitLoop(b_, row, whole, rows_, [&](Index at) { emitTileAt(task, part, strip, at, rows_); });
  row = whole;
  for (int64_t rows = rows_ / 2; rows >= 1; rows /= 2) {
    const Index next = row + floorDiv(end - row, rows) * rows;
    emitLoop(b_, row, next, rows, [&](Index at) { emitTileAt(task, part, strip, at, rows); });
    row = next;
  }
}

void OpenProductEmitter::emitParts(const OpenTask& task, int64_t panels, Value openLanes) {
  // Without a step there is one part: the results are those of empty sums.
  const Index count = larger(ceilDiv(b_.term(p_.k), kSteps), 1);
  emitLoop(b_, count, [&](Index number) {
    const Index first = number * kSteps;
    const OpenPart part{.firstStep = first,
                        .steps = smaller(b_.term(p_.k) - first, kSteps),
                        .place = {.isFirst = number == 0, .isLast = number + 1 == count}};
    emitRows(task, part, stripOf(task, part, panels, openLanes));
  });
}

void OpenProductEmitter::emitTask(const OpenTask& task) {
  const Index left = b_.term(p_.n) - task.firstColumn;
  const auto emitEnd = [&] {
    SmallVector<int64_t> ends;
    for (int64_t panels = 1; panels <= kPanels; ++panels) ends.push_back(panels * lanes_ + 1);
    emitRunCases(b_, left, ends,
                 [&](size_t run) { emitParts(task, static_cast<int64_t>(run) + 1, left); });
  };
  emitIf(b_, left < width(), emitEnd, [&] { emitParts(task, kPanels, /*openLanes=*/{}); });
}

void OpenProductEmitter::run() {
  const Index columnTiles = ceilDiv(b_.term(p_.n), width());
  Index others = columnTiles;
  for (const Value size : p_.batch) others = others * size;
  const Index wanted = smaller(ceilDiv(b_.term(kWantedTasks), larger(others, 1)),
                               larger(floorDiv(b_.term(p_.m), kFewestRows), 1));
  const OpenBlocks blocks = cutOpen(b_.term(p_.m), kMostRows, wanted, rows_);
  SmallVector<OpFoldResult> space;
  for (const Value size : p_.batch) space.push_back(getAsOpFoldResult(size));
  for (const Value count : {blocks.count, columnTiles}) space.push_back(getAsOpFoldResult(count));
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  OpenTask task{.at = llvm::to_vector_of<Value>(forall.getInductionVars())};
  task.firstColumn = b_.mul(task.at.pop_back_val(), width());
  task.firstRow = b_.mul(task.at.pop_back_val(), blocks.size);
  task.rows = smaller(b_.term(p_.m) - task.firstRow, blocks.size);
  task.batch = p_.entryNumber(b_, task.at);
  task.strip = allocateFloats(b_, kSteps * width());
  task.sums = allocateFloats(b_, kMostRows * width());
  emitTask(task);
  for (const Value memory : {task.strip, task.sums}) b_.create<memref::DeallocOp>(memory);
}

void emitOpenProduct(OpBuilder& builder, Location loc, const OpenProduct& product, Value output,
                     const CpuTarget& cpu, const Epilogue& epilogue) {
  IndexBuilder b(loc, builder);
  const Value flat = flattenMemRef(b, loc, output);
  const auto emitTiles = [&] { OpenProductEmitter(b, product, flat, cpu, epilogue).run(); };
  if (!canBeFewRows(product)) return emitTiles();
  const Value areFew = b.lessOrEqual(product.m, b.index(kMostFewRows));
  emitIf(b, areFew, [&] { emitFewRows(b, product, flat, cpu, epilogue); }, emitTiles);
}

}  // namespace tessera::lowering
