// The softmax of scores, and its products with V.
#include "compiler/lowering/contraction/attention/emitter.h"
#include "compiler/lowering/lanes.h"

using namespace mlir;

namespace tessera::lowering {

// The exponentials of scores, in their place, and the sums of rows. Of a block of keys, as far as
// they have come: what is greatest by now is subtracted, unless nothing was above -inf yet.
void AttentionEmitter::emitSoftmax(const RowRange& rows, const KeyRange& keys) {
  const Value panels = panelsIn(keys), least = constant(-std::numeric_limits<double>::infinity());
  emitLoop(b_, rows.count, [&](Index row) {
    const auto placeOf = [&](Index panel) { return row * rowSize_ + panel * lanes_; };
    const Value most =
        emitLoop(b_, b_.index(0), panels, 1, spread(least), [&](Index panel, ValueRange state) {
          const Element score = loadVector(scratch_, placeOf(panel)), before(b_, state[0]);
          return SmallVector<Value>{select(before < score, score, before)};
        })[0];
    Element greatest(b_, combine(vector::CombiningKind::MAXNUMF, most));
    Element before, shrink, subtracted = greatest;
    if (!isWhole()) {
      before = loadScalar(greatest_, row);
      greatest = select(before < greatest, greatest, before);
      subtracted = select(greatest == Element(b_, least), 0, greatest);
      shrink = expUpToOne(before - subtracted);
      storeScalar(greatest, greatest_, row);
      storeScalar(shrink, shrink_, row);
    }
    const Element offset(b_, spread(subtracted));
    const Value parts = emitLoop(
        b_, b_.index(0), panels, 1, spread(constant(0)), [&](Index panel, ValueRange state) {
          const Index place = placeOf(panel);
          const Element power = expUpToOne(loadVector(scratch_, place) - offset);
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
  emitLoop(b_, rows.count, [&](Index row) {
    const Element quotient(b_, spread(quotientOf(row)));
    for (int64_t panel = 0; panel < valuePanels_; ++panel) {
      const Index place = row * (valuePanels_ * lanes_) + panel * lanes_;
      storeResults(rows, row, panel, loadVector(results_, place) * quotient);
    }
  });
}

}  // namespace tessera::lowering
