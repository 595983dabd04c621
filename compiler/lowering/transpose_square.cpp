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

// log2(lanes) exchanges.
SmallVector<Value> transposeSquare(IndexBuilder& b, ArrayRef<Value> rows) {
  SmallVector<Value> vectors(rows);
  const auto lanes = static_cast<int64_t>(rows.size());
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
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
