#include "compiler/lowering/contraction/pools/row_taps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

struct RowOfVectors {
  IndexBuilder& b;
  ArrayRef<Value> vectors;
  int64_t stride;
  Value start;
  int64_t lanes;

  Value vector(int64_t number) const { return vectors[number] ? vectors[number] : start; }
  Value collect(int64_t first) const;
  Value shift(Value neighbours, int64_t first, bool isUp) const;
  bool liesInThree(int64_t first) const {
    return (first + (lanes - 1) * stride) / lanes - first / lanes > 1;
  }
};

}  // namespace

// Every stride-th element from element `first` on.
Value RowOfVectors::collect(int64_t first) const {
  Value result;
  const int64_t end = first + (lanes - 1) * stride;
  for (int64_t number = first / lanes; number <= end / lanes; ++number) {
    const bool isFirst = !result;
    const Value here = vector(number);
    if (first == number * lanes && stride == 1) return here;
    const Value before = isFirst ? here : result;
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t at = first + lane * stride - number * lanes;
      const bool isHere = 0 <= at && at < lanes;
      places.push_back(isHere ? (isFirst ? at : lanes + at) : isFirst ? 0 : lane);
    }
    result = b.create<vector::ShuffleOp>(before, here, places);
  }
  return result;
}

// What `collect` makes, of what it made of the elements one stride before `first` (`isUp`) or
// behind it: all but one of them.
Value RowOfVectors::shift(Value neighbours, int64_t first, bool isUp) const {
  const int64_t missing = first + (isUp ? (lanes - 1) * stride : 0);
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes; ++lane) places.push_back(isUp ? lane + 1 : lane - 1);
  places[isUp ? lanes - 1 : 0] = lanes + missing % lanes;
  return b.create<vector::ShuffleOp>(neighbours, vector(missing / lanes), places);
}

// Elements that lie in three vectors take two permutations, a stride from others that are there
// one.
SmallVector<Value> rowTaps(IndexBuilder& b, ArrayRef<Value> row, int64_t first, int64_t count,
                           int64_t stride, Value start) {
  const RowOfVectors vectors{.b = b,
                             .vectors = row,
                             .stride = stride,
                             .start = start,
                             .lanes = cast<VectorType>(start.getType()).getNumElements()};
  SmallVector<Value> taps(count);
  for (int64_t tap = 0; tap < count; ++tap)
    if (!vectors.liesInThree(first + tap)) taps[tap] = vectors.collect(first + tap);
  for (int64_t tap = count - 1; tap >= 0; --tap)
    if (!taps[tap] && tap + stride < count && taps[tap + stride])
      taps[tap] = vectors.shift(taps[tap + stride], first + tap, /*isUp=*/false);
  for (int64_t tap = 0; tap < count; ++tap) {
    if (taps[tap]) continue;
    taps[tap] = tap >= stride ? vectors.shift(taps[tap - stride], first + tap, /*isUp=*/true)
                              : vectors.collect(first + tap);
  }
  return taps;
}

}  // namespace tessera::lowering
