// Products of rows of Q and K, and what becomes of them before the softmax.
#include "compiler/lowering/contraction/attention/emitter.h"
#include "compiler/lowering/lanes.h"

using namespace mlir;

namespace tessera::lowering {

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
  const Value there = openLanes ? openLanes : lanesBelow(b_, b_.getLoc(), lanes_, lanes);
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
  tile.bOffset = k_.placeOf(b_, rows.at, keyPanel);
  const int64_t rowStride = queries_ ? querySize_ : *getConstantIntValue(o_.q.rowStride);
  for (int64_t row = 0; row < rows.count; ++row) tile.rowOffsets.push_back(row * rowStride);
  const Value zero = spread(constant(0));
  const SmallVector<Value> products =
      emitBrgemm(b_, b_.getLoc(), tile, SmallVector<Value>(accumulators, zero));
  SmallVector<Value> openLanes(panels);
  for (int64_t i = 0; hasOpenKeys() && i < panels; ++i)
    openLanes[i] = lanesBelow(b_, b_.getLoc(), lanes_, b_.term(o_.keys) - (keyPanel + i) * lanes_);
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
Value AttentionEmitter::productsOf(const RowRange& rows, Value row, Index key, int64_t numKeys) {
  const Index first = o_.k.placeOf(b_, rows.at, key);
  SmallVector<Index> places;
  for (int64_t i = 0; i < numKeys; ++i) {
    const Value next =
        hasOpenKeys() ? Value(smaller(b_.term(i), b_.term(o_.keys) - key - 1)) : b_.index(i);
    places.push_back(first + b_.mul(o_.k.rowStride, next));
  }
  const MatrixRow query = {
      .memory = o_.q.memory, .place = o_.q.placeOf(b_, rows.at, row), .size = b_.index(s_.depth)};
  return sumAlongRows(b_, query, o_.k.memory, places, lanes_);
}

void AttentionEmitter::emitFewScores(const RowRange& rows, const KeyRange& keys) {
  const auto emit = [&](Value panel, int64_t numKeys) {
    const Index key = (b_.term(keys.firstPanel) + panel) * lanes_;
    const Value openLanes =
        hasOpenKeys() ? lanesBelow(b_, b_.getLoc(), lanes_, b_.term(o_.keys) - key) : Value();
    for (int64_t i = 0; i < rows.count; ++i) {
      const Value row = b_.add(rows.first, i);
      const Value score =
          scoreOf(rows, productsOf(rows, row, key, numKeys), row, key, numKeys, openLanes);
      const Index to = b_.term(panel) * lanes_ + i * rowSize_;
      b_.create<vector::StoreOp>(score, scratch_, Value(to));
    }
  };
  if (keys.openKeys)
    return emitLoop(b_, keys.openPanels, [&](Index panel) { emit(panel, lanes_); });
  const int64_t whole = keys.lastLanes == lanes_ ? keys.panels : keys.panels - 1;
  emitLoop(b_, whole, [&](Index panel) { emit(panel, lanes_); });
  if (whole < keys.panels) emit(b_.index(whole), keys.lastLanes);
}

void AttentionEmitter::emitScores(const RowRange& rows, const KeyRange& keys) {
  if (readsKeys_) return emitFewScores(rows, keys);
  if (keys.openKeys) {
    emitLoop(b_, b_.floorDiv(keys.openPanels, tile_.panels), [&](Index tile) {
      emitScoreTile(rows, keys, tile * tile_.panels, tile_.panels, lanes_);
    });
    return;
  }
  const int64_t tiles = llvm::divideCeilSigned(keys.panels, tile_.panels);
  const int64_t last = keys.panels - (tiles - 1) * tile_.panels;
  const bool isLastWhole = last == tile_.panels && keys.lastLanes == lanes_;
  const int64_t looped = isLastWhole ? tiles : tiles - 1;
  if (looped > 0)
    emitLoop(b_, looped, [&](Index tile) {
      emitScoreTile(rows, keys, tile * tile_.panels, tile_.panels, lanes_);
    });
  if (!isLastWhole)
    emitScoreTile(rows, keys, b_.index(looped * tile_.panels), last, keys.lastLanes);
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
  emitLoop(b_, rows.count, [&](Index row) {
    emitLoop(b_, whole, [&](Index step) { copy(row, step * width, width); });
    if (rest > 0) copy(row, b_.index(whole * width), rest);
  });
}

}  // namespace tessera::lowering
