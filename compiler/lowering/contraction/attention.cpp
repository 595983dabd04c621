// A block of rows of Q is a tile's rows. Its scores are kept in a scratch of the thread's own, with
// all keys where they fit: then the greatest score, the exponentials and their sum, and the product
// with V follow one after the other. More keys come in blocks, each with the greatest score so far,
// by which the sums before it are scaled down (Dao et al., "FlashAttention", NeurIPS 2022). The sum
// divides what is stored. K and V are packed into panels once for all blocks of rows. For very few
// rows they are not: scores are sums along rows of K, which are read once. Of an open number of
// rows those that are no whole tile are taken by fours and one by one; they are copied first, as
// their steps need not be known.
#include "compiler/lowering/contraction/attention.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/tile.h"
#include "compiler/lowering/element.h"
#include "compiler/lowering/transpose_square.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

// Of the stack of a parallel loop's body: what scores may take.
static constexpr int64_t kScratchBytes = int64_t{56} * 1024;
// Keys of a block where they do not all fit, at most.
static constexpr int64_t kBlockKeys = 512;
// Rows of Q up to this many are multiplied with rows of K as they lie.
static constexpr int64_t kFewQueries = 4;
// Panels of V up to this many are read where they lie if its rows lie one behind the other.
static constexpr int64_t kFewPanels = 8;

namespace {

/// B of a micro-kernel: panels of columns, wherever they lie.
struct PanelSource {
  Value memory, allocation;
  SmallVector<Value> batchStrides;
  Value offset, panelStride, rowStride;
};

/// Keys of a block. Where there is `openKeys` their number is known at run time only, and their
/// panels are those of whole tiles.
struct KeyRange {
  Value firstPanel;
  int64_t panels = 0;     ///< Panels of the block.
  int64_t lastLanes = 0;  ///< Keys in the last of them.
  Value openPanels = {}, openKeys = {};
};

/// Rows of a block: those of entry `at` from `first` on.
struct RowRange {
  ValueRange at;
  Value batch, first;
  int64_t count = 0;
};

class AttentionEmitter {
 public:
  AttentionEmitter(OpBuilder& b, Location loc, const AttentionShape& shape,
                   const AttentionOperands& operands, const CpuTarget& cpu, const Epilogue& scores)
      : b_(loc, b),
        s_(shape),
        o_(operands),
        cpu_(cpu),
        scores_(scores),
        lanes_(cpu.vectorLanes),
        vector_(VectorType::get({lanes_}, b_.getF32Type())) {}

  void run();

 private:
  bool hasOpenKeys() const { return ShapedType::isDynamic(s_.keys); }
  bool hasOpenQueries() const { return ShapedType::isDynamic(s_.queries); }
  bool isWhole() const { return !hasOpenKeys() && blockPanels_ >= keyPanels_; }
  bool hasFewRows() const { return !hasOpenQueries() && s_.queries <= 2 * tile_.rows; }

  void chooseTiles();
  PanelSource panelsOf(const StridedMatrices& matrices, Value rows, Value columns,
                       bool isWorthPacking);
  void emitRowCases(ValueRange at, Value rowTile);
  void emitOpenRowCases(const RowRange& all, Value rowTile);
  void copyQueries(const RowRange& rows);
  void emitOpenBlocks(llvm::function_ref<void(const KeyRange&)> emit);
  void emitRows(const RowRange& rows);
  void emitBlocksOfKeys(const RowRange& rows);
  void emitScores(const RowRange& rows, const KeyRange& keys);
  Value sumAlongRows(const RowRange& rows, Value row, Index key, int64_t numKeys);
  void emitFewScores(const RowRange& rows, const KeyRange& keys);
  void emitScoreTile(const RowRange& rows, const KeyRange& keys, Value panel, int64_t panels,
                     int64_t lastLanes);
  Value scoreOf(const RowRange& rows, Value product, Value row, Value key, int64_t lanes,
                Value openLanes = {});
  void emitSoftmax(const RowRange& rows, const KeyRange& keys);
  void emitValues(const RowRange& rows, const KeyRange& keys);
  void emitQuotients(const RowRange& rows);
  SmallVector<Value> emitValueTile(const RowRange& rows, const KeyRange& keys, int64_t panel,
                                   int64_t panels, ValueRange start);
  void storeResults(const RowRange& rows, Value row, int64_t panel, Value result);

  Value allocate(int64_t size) {
    return b_.create<memref::AllocOp>(MemRefType::get({size}, b_.getF32Type()),
                                      b_.getI64IntegerAttr(64));
  }
  Value quotientOf(Value row);
  Value panelsIn(const KeyRange& keys) {
    return keys.openPanels ? keys.openPanels : b_.index(keys.panels);
  }
  Value constant(double number) {
    return b_.create<arith::ConstantOp>(b_.getF32FloatAttr(static_cast<float>(number)));
  }
  Value spread(Value scalar) { return b_.create<vector::BroadcastOp>(vector_, scalar); }
  Element loadVector(Value memory, Value place) {
    return {b_, b_.create<vector::LoadOp>(vector_, memory, place)};
  }
  Element loadScalar(Value memory, Value place) {
    return {b_, b_.create<memref::LoadOp>(memory, place)};
  }
  void storeScalar(Value scalar, Value memory, Value place) {
    b_.create<memref::StoreOp>(scalar, memory, place);
  }
  Value combine(vector::CombiningKind kind, Value vector) {
    return b_.create<vector::ReductionOp>(kind, vector, arith::FastMathFlags::reassoc);
  }
  SmallVector<Value> loop(Value from, Value to, ValueRange state,
                          llvm::function_ref<SmallVector<Value>(Index, ValueRange)> body);
  void loop(Value from, Value to, llvm::function_ref<void(Index)> body) {
    loop(from, to, {}, [&](Index at, ValueRange) { return body(at), SmallVector<Value>(); });
  }

  IndexBuilder b_;
  const AttentionShape& s_;
  const AttentionOperands& o_;
  const CpuTarget& cpu_;
  const Epilogue& scores_;
  int64_t lanes_;
  VectorType vector_;

  bool readsKeys_ = false;  ///< Rows of K where they lie.
  TileShape tile_;          ///< Of scores.
  EvenSplit rowSplit_;      ///< Of known queries.
  EvenSplit valueSplit_;    ///< Of the panels of the result.
  int64_t valuePanels_ = 0, valueTail_ = 0;
  int64_t keyPanels_ = 0, keyTail_ = 0;  ///< Of known keys.
  int64_t blockPanels_ = 0;              ///< Panels of keys in a block.
  int64_t rowSize_ = 0;                  ///< Elements from one row of scores to the next.

  int64_t querySize_ = 0;  ///< Elements from one copied row of Q to the next.

  PanelSource k_, v_;
  Value queries_;  ///< [rows][querySize_]: rows of Q, of an open number of them.
  Value scratch_;  ///< [rows][rowSize_]: scores, then their exponentials.
  Value sums_;     ///< [rows]: what the result is multiplied with or, of blocks, the sum so far.
  // Of blocks of keys:
  Value greatest_, shrink_;  ///< [rows]: the greatest score, what earlier sums are scaled with.
  Value results_;            ///< [rows][valuePanels_ * lanes_]
};

}  // namespace

SmallVector<Value> AttentionEmitter::loop(
    Value from, Value to, ValueRange state,
    llvm::function_ref<SmallVector<Value>(Index, ValueRange)> body) {
  auto loop = b_.create<scf::ForOp>(from, to, b_.index(1), state);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(loop.getBody());
  const SmallVector<Value> next = body(b_.term(loop.getInductionVar()), loop.getRegionIterArgs());
  if (!state.empty()) b_.create<scf::YieldOp>(next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void AttentionEmitter::chooseTiles() {
  const int64_t manyPanels = 64;
  if (!hasOpenKeys()) {
    keyPanels_ = (s_.keys + lanes_ - 1) / lanes_;
    keyTail_ = s_.keys - (keyPanels_ - 1) * lanes_;
  }
  const int64_t rowStride = getConstantIntValue(o_.q.rowStride).value_or(1);
  tile_ = chooseTile(cpu_, hasOpenQueries() ? 0 : s_.queries, rowStride * 4,
                     hasOpenKeys() ? manyPanels : keyPanels_, {});
  readsKeys_ = !hasOpenQueries() && s_.queries <= kFewQueries &&
               getConstantIntValue(o_.k.columnStride) == 1 &&
               getConstantIntValue(o_.q.columnStride) == 1;
  if (!hasOpenQueries()) rowSplit_ = splitEvenly(s_.queries, tile_.rows);
  valuePanels_ = (s_.columns + lanes_ - 1) / lanes_;
  valueTail_ = s_.columns - (valuePanels_ - 1) * lanes_;
  const int64_t accumulators = cpu_.numVectorRegisters >= 32 ? 28 : 12;
  valueSplit_ = splitEvenly(valuePanels_, std::max<int64_t>(accumulators / tile_.rows, 1));

  const int64_t most = kScratchBytes / 4 / tile_.rows - lanes_;
  const int64_t all = hasOpenKeys() ? ShapedType::kDynamic : keyPanels_ * lanes_;
  blockPanels_ = !hasOpenKeys() && all <= most
                     ? keyPanels_
                     : std::min(most, kBlockKeys) / lanes_ / tile_.panels * tile_.panels;
  rowSize_ = blockPanels_ * lanes_;
  // Rows a large power of two apart would be in the same lines of the first-level cache.
  if (rowSize_ * 4 % 1024 == 0) rowSize_ += lanes_;
}

// Where B is read for each step: in place if its panels are whole and packing does not pay.
PanelSource AttentionEmitter::panelsOf(const StridedMatrices& matrices, Value rows, Value columns,
                                       bool isWorthPacking) {
  const auto numColumns = getConstantIntValue(columns);
  const bool mayStay = numColumns && *numColumns % lanes_ == 0 &&
                       getConstantIntValue(matrices.columnStride) == 1 &&
                       getConstantIntValue(matrices.rowStride);
  if (mayStay && !isWorthPacking)
    return {.memory = matrices.memory,
            .allocation = {},
            .batchStrides = matrices.batchStrides,
            .offset = matrices.offset,
            .panelStride = b_.index(lanes_),
            .rowStride = matrices.rowStride};
  const PackedPanels packed = packPanels(b_, matrices,
                                         {.batch = o_.batchSizes,
                                          .rows = rows,
                                          .columns = columns,
                                          .areRowsOutside = !getConstantIntValue(rows),
                                          .panelMultiple = tile_.panels},
                                         lanes_);
  return {.memory = packed.memory,
          .allocation = packed.allocation,
          .batchStrides = packed.batchStrides,
          .offset = b_.index(0),
          .panelStride = packed.panelStride,
          .rowStride = packed.rowStride};
}

// What the softmax is made of, from the products: lanes beyond `lanes`, or that are not in
// `openLanes`, are -inf, which adds nothing to sums.
Value AttentionEmitter::scoreOf(const RowRange& rows, Value product, Value row, Value key,
                                int64_t lanes, Value openLanes) {
  const Index number = b_.term(rows.batch) * o_.queries + row;
  SmallVector<Value> indices(rows.at);
  indices.push_back(row);
  Value score = product;
  if (scores_)
    score = scores_({.b = b_,
                     .loc = b_.getLoc(),
                     .accumulator = product,
                     .outputOffset = number * o_.keys + key,
                     .channelOffset = key,
                     .batch = rows.batch,
                     .row = number,
                     .lanes = lanes_,
                     .validLanes = lanes,
                     .laneMask = openLanes,
                     .rowIndices = indices});
  if (lanes == lanes_ && !openLanes) return score;
  const Value nothing = spread(constant(-std::numeric_limits<double>::infinity()));
  const Value there = openLanes ? openLanes : lanesBelow(b_, lanes_, b_.index(lanes));
  return b_.select(there, score, nothing);
}

// `panel` counts from the block's first.
void AttentionEmitter::emitScoreTile(const RowRange& rows, const KeyRange& keys, Value panel,
                                     int64_t panels, int64_t lastLanes) {
  const Index keyPanel = b_.term(keys.firstPanel) + panel;
  BrgemmTile tile{.a = queries_ ? queries_ : o_.q.memory,
                  .b = k_.memory,
                  .panels = panels,
                  .panelStride = *getConstantIntValue(k_.panelStride),
                  .lanes = lanes_};
  tile.loops = {{.extent = s_.depth,
                 .aStride = queries_ ? 1 : *getConstantIntValue(o_.q.columnStride),
                 .bStride = *getConstantIntValue(k_.rowStride)}};
  const int64_t accumulators = rows.count * panels;
  tile.unroll = accumulators <= 8 ? 8 : 4;
  tile.partialSums = std::clamp<int64_t>(8 / accumulators, 1, 4);
  tile.aOffset = queries_ ? b_.index(0) : Value(o_.q.placeOf(b_, rows.at, rows.first));
  Index place = b_.term(k_.offset) + b_.mul(keyPanel, k_.panelStride);
  for (auto [position, stride] : llvm::zip_equal(rows.at, k_.batchStrides))
    place = place + b_.mul(position, stride);
  tile.bOffset = place;
  const int64_t rowStride = queries_ ? querySize_ : *getConstantIntValue(o_.q.rowStride);
  for (int64_t row = 0; row < rows.count; ++row) tile.rowOffsets.push_back(row * rowStride);
  const Value zero = spread(constant(0));
  const SmallVector<Value> products =
      emitBrgemm(b_, b_.getLoc(), tile, SmallVector<Value>(accumulators, zero));
  SmallVector<Value> openLanes(panels);
  for (int64_t i = 0; hasOpenKeys() && i < panels; ++i)
    openLanes[i] = lanesBelow(b_, lanes_, b_.term(o_.keys) - (keyPanel + i) * lanes_);
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t i = 0; i < panels; ++i) {
      const Index key = (keyPanel + i) * lanes_;
      const Value score = scoreOf(rows, products[row * panels + i], b_.add(rows.first, row), key,
                                  i + 1 == panels ? lastLanes : lanes_, openLanes[i]);
      const Index to = (b_.term(panel) + i) * lanes_ + row * rowSize_;
      b_.create<vector::StoreOp>(score, scratch_, Value(to));
    }
  }
}

// The products of a row of Q with `numKeys` rows of K from `key` on; of an open number of keys the
// last one stands for those beyond.
Value AttentionEmitter::sumAlongRows(const RowRange& rows, Value row, Index key, int64_t numKeys) {
  const Index query = o_.q.placeOf(b_, rows.at, row), first = o_.k.placeOf(b_, rows.at, key);
  const Value zero = spread(constant(0));
  const auto addProducts = [&](Value at, int64_t width, ValueRange sums) {
    const Value factor = loadLanes(b_, b_.getLoc(), o_.q.memory, query + at, lanes_, width);
    SmallVector<Value> added(sums);
    for (int64_t i = 0; i < numKeys; ++i) {
      const Value next =
          hasOpenKeys() ? Value(smaller(b_.term(i), b_.term(o_.keys) - key - 1)) : b_.index(i);
      const Index place = first + b_.mul(o_.k.rowStride, next) + at;
      const Value part = loadLanes(b_, b_.getLoc(), o_.k.memory, place, lanes_, width);
      added[i] = b_.create<vector::FMAOp>(factor, part, added[i]);
    }
    return added;
  };
  const int64_t whole = s_.depth / lanes_, rest = s_.depth % lanes_;
  SmallVector<Value> sums(lanes_, zero);
  if (whole > 0)
    sums = loop(b_.index(0), b_.index(whole), sums, [&](Index step, ValueRange state) {
      return addProducts(step * lanes_, lanes_, state);
    });
  if (rest > 0) sums = addProducts(b_.index(whole * lanes_), rest, sums);
  return sumsOfRows(b_, sums);
}

void AttentionEmitter::emitFewScores(const RowRange& rows, const KeyRange& keys) {
  const auto emit = [&](Value panel, int64_t numKeys) {
    const Index key = (b_.term(keys.firstPanel) + panel) * lanes_;
    const Value openLanes =
        hasOpenKeys() ? lanesBelow(b_, lanes_, b_.term(o_.keys) - key) : Value();
    for (int64_t i = 0; i < rows.count; ++i) {
      const Value row = b_.add(rows.first, i);
      const Value score =
          scoreOf(rows, sumAlongRows(rows, row, key, numKeys), row, key, numKeys, openLanes);
      const Index to = b_.term(panel) * lanes_ + i * rowSize_;
      b_.create<vector::StoreOp>(score, scratch_, Value(to));
    }
  };
  if (keys.openKeys)
    return loop(b_.index(0), keys.openPanels, [&](Index panel) { emit(panel, lanes_); });
  const int64_t whole = keys.lastLanes == lanes_ ? keys.panels : keys.panels - 1;
  loop(b_.index(0), b_.index(whole), [&](Index panel) { emit(panel, lanes_); });
  if (whole < keys.panels) emit(b_.index(whole), keys.lastLanes);
}

void AttentionEmitter::emitScores(const RowRange& rows, const KeyRange& keys) {
  if (readsKeys_) return emitFewScores(rows, keys);
  if (keys.openKeys) {
    loop(b_.index(0), b_.floorDiv(keys.openPanels, tile_.panels),
         [&](Index tile) { emitScoreTile(rows, keys, tile * tile_.panels, tile_.panels, lanes_); });
    return;
  }
  const int64_t tiles = (keys.panels + tile_.panels - 1) / tile_.panels;
  const int64_t last = keys.panels - (tiles - 1) * tile_.panels;
  const bool isLastWhole = last == tile_.panels && keys.lastLanes == lanes_;
  const int64_t looped = isLastWhole ? tiles : tiles - 1;
  if (looped > 0)
    loop(b_.index(0), b_.index(looped),
         [&](Index tile) { emitScoreTile(rows, keys, tile * tile_.panels, tile_.panels, lanes_); });
  if (!isLastWhole)
    emitScoreTile(rows, keys, b_.index(looped * tile_.panels), last, keys.lastLanes);
}

// The exponentials of scores, in their place, and the sums of rows. Of a block of keys, as far as
// they have come: what is greatest by now is subtracted, unless nothing was above -inf yet.
void AttentionEmitter::emitSoftmax(const RowRange& rows, const KeyRange& keys) {
  const Value panels = panelsIn(keys), least = constant(-std::numeric_limits<double>::infinity());
  loop(b_.index(0), b_.index(rows.count), [&](Index row) {
    const auto placeOf = [&](Index panel) { return row * rowSize_ + panel * lanes_; };
    const Value most = loop(b_.index(0), panels, spread(least), [&](Index panel, ValueRange state) {
      const Element score = loadVector(scratch_, placeOf(panel)), before(b_, state[0]);
      return SmallVector<Value>{select(before < score, score, before)};
    })[0];
    Element greatest(b_, combine(vector::CombiningKind::MAXNUMF, most));
    Element before, shrink, subtracted = greatest;
    if (!isWhole()) {
      before = loadScalar(greatest_, row);
      greatest = select(before < greatest, greatest, before);
      subtracted = select(greatest == Element(b_, least), 0, greatest);
      shrink = exp(before - subtracted);
      storeScalar(greatest, greatest_, row);
      storeScalar(shrink, shrink_, row);
    }
    const Element offset(b_, spread(subtracted));
    const Value parts =
        loop(b_.index(0), panels, spread(constant(0)), [&](Index panel, ValueRange state) {
          const Index place = placeOf(panel);
          const Element power = exp(loadVector(scratch_, place) - offset);
          b_.create<vector::StoreOp>(power, scratch_, Value(place));
          return SmallVector<Value>{Element(b_, state[0]) + power};
        })[0];
    const Element sum(b_, combine(vector::CombiningKind::ADD, parts));
    if (isWhole())
      storeScalar(1 / sum, sums_, row);
    else
      storeScalar(loadScalar(sums_, row) * shrink + sum, sums_, row);
  });
}

SmallVector<Value> AttentionEmitter::emitValueTile(const RowRange& rows, const KeyRange& keys,
                                                   int64_t panel, int64_t panels,
                                                   ValueRange start) {
  BrgemmTile tile{.a = scratch_, .b = v_.memory, .panels = panels, .lanes = lanes_};
  tile.panelStride = *getConstantIntValue(v_.panelStride);
  const int64_t step = *getConstantIntValue(v_.rowStride);
  tile.loops = {
      {.extent = keys.panels * lanes_ - (lanes_ - keys.lastLanes), .aStride = 1, .bStride = step}};
  const int64_t accumulators = rows.count * panels;
  tile.unroll = accumulators <= 8 ? 8 : 4;
  tile.partialSums = std::clamp<int64_t>(8 / accumulators, 1, 4);
  tile.aOffset = b_.index(0);
  Index place =
      b_.term(v_.offset) + b_.mul(b_.mul(keys.firstPanel, lanes_), step) + panel * tile.panelStride;
  for (auto [position, stride] : llvm::zip_equal(rows.at, v_.batchStrides))
    place = place + b_.mul(position, stride);
  tile.bOffset = place;
  for (int64_t row = 0; row < rows.count; ++row) tile.rowOffsets.push_back(row * rowSize_);
  if (!keys.openKeys) return emitBrgemm(b_, b_.getLoc(), tile, start);
  // As many keys as a vector has lanes at a time, then one by one.
  const Value zero = b_.index(0), whole = b_.floorDiv(keys.openKeys, lanes_);
  tile.loops = {{.aStride = lanes_, .bStride = lanes_ * step, .begin = zero, .end = whole},
                {.extent = lanes_, .aStride = 1, .bStride = step}};
  const SmallVector<Value> sums = emitBrgemm(b_, b_.getLoc(), tile, start);
  tile.aOffset = b_.mul(whole, lanes_);
  tile.bOffset = place + b_.mul(b_.mul(whole, lanes_), step);
  tile.loops = {
      {.aStride = 1, .bStride = step, .begin = zero, .end = b_.rem(keys.openKeys, lanes_)},
      {.extent = 1}};
  tile.partialSums = 1;
  return emitBrgemm(b_, b_.getLoc(), tile, sums);
}

void AttentionEmitter::storeResults(const RowRange& rows, Value row, int64_t panel, Value result) {
  const Index place = o_.output.placeOf(b_, rows.at, b_.add(rows.first, row)) + panel * lanes_;
  storeLanes(b_, b_.getLoc(), result, o_.output.memory, place,
             panel + 1 == valuePanels_ ? valueTail_ : lanes_);
}

// The exponentials times V: divided by their sums where these are whole, else added to what earlier
// blocks of keys gave.
void AttentionEmitter::emitValues(const RowRange& rows, const KeyRange& keys) {
  const int64_t width = valuePanels_ * lanes_;
  int64_t panel = 0;
  for (int64_t tile = 0; tile < valueSplit_.count(); ++tile) {
    const int64_t panels = valueSplit_.large - (tile < valueSplit_.numLarge ? 0 : 1);
    SmallVector<Value> start(rows.count * panels, spread(constant(0)));
    const auto placeOf = [&](int64_t row, int64_t i) {
      return b_.index(row * width + (panel + i) * lanes_);
    };
    for (int64_t row = 0; !isWhole() && row < rows.count; ++row) {
      const Element shrink(b_, spread(loadScalar(shrink_, b_.index(row))));
      for (int64_t i = 0; i < panels; ++i)
        start[row * panels + i] = loadVector(results_, placeOf(row, i)) * shrink;
    }
    const SmallVector<Value> sums = emitValueTile(rows, keys, panel, panels, start);
    for (int64_t row = 0; row < rows.count; ++row) {
      Element quotient;
      if (isWhole()) quotient = {b_, spread(loadScalar(sums_, b_.index(row)))};
      for (int64_t i = 0; i < panels; ++i) {
        const Element sum(b_, sums[row * panels + i]);
        if (isWhole())
          storeResults(rows, b_.index(row), panel + i, sum * quotient);
        else
          b_.create<vector::StoreOp>(sum, results_, placeOf(row, i));
      }
    }
    panel += panels;
  }
}

// What the sums of a row are multiplied with: without keys, nothing has been summed up.
Value AttentionEmitter::quotientOf(Value row) {
  const Element quotient = 1 / loadScalar(sums_, row);
  return hasOpenKeys() ? b_.select(b_.equal(o_.keys, 0), constant(0), quotient) : Value(quotient);
}

// What blocks of keys have summed up, divided by the sums.
void AttentionEmitter::emitQuotients(const RowRange& rows) {
  loop(b_.index(0), b_.index(rows.count), [&](Index row) {
    const Element quotient(b_, spread(quotientOf(row)));
    for (int64_t panel = 0; panel < valuePanels_; ++panel) {
      const Index place = row * (valuePanels_ * lanes_) + panel * lanes_;
      storeResults(rows, row, panel, loadVector(results_, place) * quotient);
    }
  });
}

void AttentionEmitter::emitBlocksOfKeys(const RowRange& rows) {
  loop(b_.index(0), b_.index(rows.count), [&](Index row) {
    storeScalar(constant(-std::numeric_limits<double>::infinity()), greatest_, row);
    storeScalar(constant(0), sums_, row);
    loop(b_.index(0), b_.index(valuePanels_), [&](Index panel) {
      const Index place = row * (valuePanels_ * lanes_) + panel * lanes_;
      b_.create<vector::StoreOp>(spread(constant(0)), results_, Value(place));
    });
  });
  const auto emit = [&](const KeyRange& keys) {
    emitScores(rows, keys);
    emitSoftmax(rows, keys);
    emitValues(rows, keys);
  };
  if (hasOpenKeys()) {
    emitOpenBlocks(emit);
    return emitQuotients(rows);
  }
  // The last block has the rest of the keys.
  const int64_t whole = (keyPanels_ - 1) / blockPanels_;
  loop(b_.index(0), b_.index(whole), [&](Index block) {
    emit({.firstPanel = block * blockPanels_, .panels = blockPanels_, .lastLanes = lanes_});
  });
  emit({.firstPanel = b_.index(whole * blockPanels_),
        .panels = keyPanels_ - whole * blockPanels_,
        .lastLanes = keyTail_});
  emitQuotients(rows);
}

void AttentionEmitter::emitOpenBlocks(llvm::function_ref<void(const KeyRange&)> emit) {
  const Index panels = b_.ceilDivUnsigned(o_.keys, b_.index(lanes_));
  const Index padded = b_.ceilDivUnsigned(panels, b_.index(tile_.panels)) * tile_.panels;
  const Index blocks = b_.ceilDivUnsigned(padded, b_.index(blockPanels_));
  loop(b_.index(0), blocks, [&](Index block) {
    const Index first = block * blockPanels_;
    emit({.firstPanel = first,
          .panels = 0,
          .lastLanes = lanes_,
          .openPanels = smaller(padded - first, blockPanels_),
          .openKeys = smaller(b_.term(o_.keys) - first * lanes_, blockPanels_ * lanes_)});
  });
}

// Rows of Q, one behind the other.
void AttentionEmitter::copyQueries(const RowRange& rows) {
  const bool areVectors = getConstantIntValue(o_.q.columnStride) == 1;
  const int64_t width = areVectors ? lanes_ : 1;
  const auto copy = [&](Index row, Value column, int64_t count) {
    const Index from =
        o_.q.placeOf(b_, rows.at, b_.add(rows.first, row)) + b_.mul(column, o_.q.columnStride);
    const Index to = row * querySize_ + column;
    if (areVectors) {
      const Value part = loadLanes(b_, b_.getLoc(), o_.q.memory, from, lanes_, count);
      storeLanes(b_, b_.getLoc(), part, queries_, to, count);
    } else {
      storeScalar(loadScalar(o_.q.memory, from), queries_, to);
    }
  };
  const int64_t whole = s_.depth / width, rest = s_.depth % width;
  loop(b_.index(0), b_.index(rows.count), [&](Index row) {
    loop(b_.index(0), b_.index(whole), [&](Index step) { copy(row, step * width, width); });
    if (rest > 0) copy(row, b_.index(whole * width), rest);
  });
}

void AttentionEmitter::emitRows(const RowRange& rows) {
  if (queries_) copyQueries(rows);
  if (!isWhole()) return emitBlocksOfKeys(rows);
  const KeyRange keys = {.firstPanel = b_.index(0), .panels = keyPanels_, .lastLanes = keyTail_};
  emitScores(rows, keys);
  emitSoftmax(rows, keys);
  emitValues(rows, keys);
}

void AttentionEmitter::emitRowCases(ValueRange at, Value rowTile) {
  Index batch = b_.term(0);
  for (auto [position, size] : llvm::zip_equal(at, o_.batchSizes)) batch = batch * size + position;
  scratch_ = allocate(tile_.rows * rowSize_);
  sums_ = allocate(tile_.rows);
  if (!isWhole()) {
    greatest_ = allocate(tile_.rows);
    shrink_ = allocate(tile_.rows);
    results_ = allocate(tile_.rows * valuePanels_ * lanes_);
  }
  if (hasOpenQueries()) {
    querySize_ = s_.depth % 256 == 0 ? s_.depth + lanes_ : s_.depth;
    queries_ = allocate(tile_.rows * querySize_);
    return emitOpenRowCases({.at = at, .batch = batch, .first = {}}, rowTile);
  }
  emitSplitCases(b_, rowSplit_, rowTile, [&](Value first, int64_t count) {
    emitRows({.at = at, .batch = batch, .first = first, .count = count});
  });
}

// A whole tile, or the rest of the rows: by fours, then one by one.
void AttentionEmitter::emitOpenRowCases(const RowRange& all, Value rowTile) {
  const Index first = b_.term(rowTile) * tile_.rows;
  const Index left = b_.term(o_.queries) - first;
  const auto emit = [&](Value row, int64_t count) {
    emitRows({.at = all.at, .batch = all.batch, .first = row, .count = count});
  };
  auto choice = b_.create<scf::IfOp>(b_.less(left, tile_.rows), /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(choice.elseBlock());
  emit(first, tile_.rows);
  b_.setInsertionPointToStart(choice.thenBlock());
  const Index fours = floorDiv(left, b_.index(4));
  if (tile_.rows > 4) loop(b_.index(0), fours, [&](Index four) { emit(first + four * 4, 4); });
  const Index rest = tile_.rows > 4 ? left % 4 : left, done = left - rest;
  loop(b_.index(0), rest, [&](Index row) { emit(first + done + row, 1); });
}

void AttentionEmitter::run() {
  chooseTiles();
  const bool isDense =
      getConstantIntValue(o_.v.rowStride) == s_.columns && valuePanels_ <= kFewPanels;
  if (!readsKeys_) k_ = panelsOf(o_.k.transposed(), b_.index(s_.depth), o_.keys, !hasFewRows());
  v_ = panelsOf(o_.v, o_.keys, b_.index(s_.columns), !hasFewRows() && !isDense);
  SmallVector<OpFoldResult> space;
  for (const Value size : o_.batchSizes) space.push_back(getAsOpFoldResult(size));
  space.push_back(hasOpenQueries()
                      ? getAsOpFoldResult(b_.ceilDivUnsigned(o_.queries, b_.index(tile_.rows)))
                      : b_.getIndexAttr(rowSplit_.count()));
  const OpBuilder::InsertionGuard guard(b_);
  scf::ForallOp forall = openForall(b_, space);
  const SmallVector<Value> at = llvm::to_vector_of<Value>(forall.getInductionVars());
  emitRowCases(ArrayRef(at).drop_back(), at.back());
  b_.setInsertionPointAfter(forall);
  for (const PanelSource& source : {k_, v_}) {
    if (source.allocation) b_.create<memref::DeallocOp>(source.allocation);
  }
}

void emitAttention(OpBuilder& b, Location loc, const AttentionShape& shape,
                   const AttentionOperands& operands, const CpuTarget& cpu,
                   const Epilogue& scores) {
  AttentionEmitter(b, loc, shape, operands, cpu, scores).run();
}

}  // namespace tessera::lowering
