#include "compiler/lowering/transpose_square.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// Two vectors that exchange the off-diagonal quarters of all squares of twice a distance.
struct Exchange {
  SmallVector<int64_t> low, high;

  Exchange(int64_t lanes, int64_t distance) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const bool isSecond = (lane & distance) != 0;
      low.push_back(isSecond ? lanes + lane - distance : lane);
      high.push_back(isSecond ? lanes + lane : lane + distance);
    }
  }
};

}  // namespace

// Two vectors in turn, `together` elements of one and of the other, in each of their quarters: the
// first or last half of it. One instruction, which an exchange at less than four is not.
static SmallVector<int64_t> interleaveQuarters(int64_t lanes, int64_t together, int64_t from) {
  SmallVector<int64_t> picked;
  for (int64_t quarter = 0; quarter < lanes; quarter += kQuarter) {
    for (int64_t unit = 0; unit < kQuarter / 2; unit += together) {
      for (const int64_t vector : {int64_t{0}, lanes}) {
        for (int64_t i = 0; i < together; ++i) picked.push_back(vector + quarter + from + unit + i);
      }
    }
  }
  return picked;
}

void transposeQuarters(IndexBuilder& b, SmallVector<Value>& vectors) {
  const int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  const auto low1 = interleaveQuarters(lanes, 1, 0), high1 = interleaveQuarters(lanes, 1, 2),
             low2 = interleaveQuarters(lanes, 2, 0), high2 = interleaveQuarters(lanes, 2, 2);
  const auto shuffle = [&](Value a, Value c, ArrayRef<int64_t> mask) -> Value {
    return b.create<vector::ShuffleOp>(a, c, mask);
  };
  for (size_t first = 0; first < vectors.size(); first += kQuarter) {
    Value* rows = &vectors[first];
    const Value low01 = shuffle(rows[0], rows[1], low1), high01 = shuffle(rows[0], rows[1], high1),
                low23 = shuffle(rows[2], rows[3], low1), high23 = shuffle(rows[2], rows[3], high1);
    rows[0] = shuffle(low01, low23, low2);
    rows[1] = shuffle(low01, low23, high2);
    rows[2] = shuffle(high01, high23, low2);
    rows[3] = shuffle(high01, high23, high2);
  }
}

// log2(lanes) exchanges, those of the least distances within quarters.
SmallVector<Value> transposeSquare(IndexBuilder& b, ArrayRef<Value> rows) {
  SmallVector<Value> vectors(rows);
  const auto lanes = static_cast<int64_t>(rows.size());
  int64_t least = 1;
  if (lanes % kQuarter == 0) {
    transposeQuarters(b, vectors);
    least = kQuarter;
  }
  for (int64_t distance = lanes / 2; distance >= least; distance /= 2) {
    const Exchange exchange(lanes, distance);
    for (int64_t row = 0; row < lanes; ++row) {
      if ((row & distance) != 0) continue;
      const Value first = vectors[row], second = vectors[row + distance];
      vectors[row] = b.create<vector::ShuffleOp>(first, second, exchange.low);
      vectors[row + distance] = b.create<vector::ShuffleOp>(first, second, exchange.high);
    }
  }
  return vectors;
}

// The same exchanges, but the two vectors of each are added, as the columns of the transposed
// square would be.
Value sumsOfRows(IndexBuilder& b, ArrayRef<Value> rows) {
  SmallVector<Value> vectors(rows);
  const auto lanes = static_cast<int64_t>(rows.size());
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    const Exchange exchange(lanes, distance);
    for (int64_t row = 0; row < distance; ++row) {
      const Value first = vectors[row], second = vectors[row + distance];
      const Value low = b.create<vector::ShuffleOp>(first, second, exchange.low),
                  high = b.create<vector::ShuffleOp>(first, second, exchange.high);
      vectors[row] = b.create<arith::AddFOp>(low, high);
    }
  }
  return vectors[0];
}

}  // namespace tessera::lowering
