#include "compiler/lowering/contraction/window_rows.h"

#include <limits>

#include "compiler/lowering/extremes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tessera::lowering {

template <typename Axis>
static WindowRows rowsOfWindow(IndexBuilder& b, const Axis& axis, Index output) {
  const Index first = output * axis.stride - axis.padBegin, zero = b.term(0);
  const Index dilation = b.term(axis.dilation);
  const Index above = larger(zero - first, zero);
  const Index below = larger(b.term(axis.in) - first, zero);
  return {.first = first,
          .low = b.ceilDivUnsigned(above, dilation),
          .high = smaller(b.ceilDivUnsigned(below, dilation), axis.kernel)};
}

WindowRows windowRows(IndexBuilder& b, const ConvAxis& axis, Index output) {
  return rowsOfWindow(b, axis, output);
}

WindowRows windowRows(IndexBuilder& b, const OpenAxis& axis, Index output) {
  return rowsOfWindow(b, axis, output);
}

Index WindowRows::count(IndexBuilder& b, const ConvAxis& axis, bool countsPadding,
                        int64_t padEnd) const {
  if (!countsPadding) return larger(b.term(high) - low, 1);
  const Index end = b.term(axis.in + padEnd);
  return smaller(b.ceilDivUnsigned(end - first, b.index(axis.dilation)), axis.kernel);
}

template <typename Axis>
static Condition areAllInside(IndexBuilder& b, const Axis& axis, const Index& output,
                              int64_t count) {
  const Index first = output * axis.stride;
  const Condition isBelow = b.term(axis.padBegin) <= first;
  return isBelow & (first < b.term(axis.in) + axis.padBegin - (axis.reach(count) - 1));
}

Condition areWindowsInside(IndexBuilder& b, const ConvAxis& axis, const Index& output,
                           int64_t count) {
  return areAllInside(b, axis, output, count);
}

Condition areWindowsInside(IndexBuilder& b, const OpenAxis& axis, const Index& output,
                           int64_t count) {
  return areAllInside(b, axis, output, count);
}

bool standsForOutside(const ConvAxis& axis, const Pool& pool) {
  const int64_t last = (axis.out - 1) * axis.stride - axis.padBegin;
  return pool.isMaximum && axis.dilation == 1 && axis.padBegin < axis.kernel && last < axis.in;
}

int64_t countColumns(const ConvShape& shape, const Pool& pool, int64_t column) {
  const int64_t end = shape.inWidth + (pool.countsPadding ? pool.padRight : 0);
  int64_t columns = 0;
  for (int64_t k = 0; k < shape.kernelWidth; ++k) {
    const int64_t at = column * shape.strideWidth - shape.padLeft + k * shape.dilationWidth;
    columns += (pool.countsPadding || at >= 0) && at < end ? 1 : 0;
  }
  return std::max<int64_t>(columns, 1);
}

Value startOf(IndexBuilder& b, const Pool& pool, int64_t lanes) {
  const auto type = VectorType::get({lanes}, b.getF32Type());
  const float start = pool.isMaximum ? -std::numeric_limits<float>::infinity() : 0.0F;
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, start));
}

static Value compare(IndexBuilder& b, arith::CmpFPredicate predicate, Value first, Value second) {
  return b.create<arith::CmpFOp>(predicate, first, second);
}

// The larger one, or `second` where one of them is NaN.
static Value largerOrSecond(IndexBuilder& b, Value first, Value second) {
  return extremeOrSecond(b, b.getLoc(), Extreme::kMaximum, first, second);
}

Value combine(IndexBuilder& b, const Pool& pool, Value accumulated, Value value) {
  if (!pool.isMaximum) return b.create<arith::AddFOp>(accumulated, value);
  // A NaN stays, and one that comes is taken: two instructions where masks are registers of their
  // own, else three, of which any unit takes the last.
  const Value greater = largerOrSecond(b, accumulated, value);
  constexpr int64_t kLanesOfMasks = 16;
  const int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  if (lanes >= kLanesOfMasks || pool.masksHalves)
    return b.select(compare(b, arith::CmpFPredicate::ORD, accumulated, accumulated), greater,
                    accumulated);
  return withNan(b, b.getLoc(), compare(b, arith::CmpFPredicate::UNO, accumulated, accumulated),
                 greater);
}

WindowPair combinePair(IndexBuilder& b, const Pool& pool, Value first, Value second) {
  if (!pool.isMaximum) return {.value = b.create<arith::AddFOp>(first, second), .isNan = {}};
  return {.value = largerOrSecond(b, first, second),
          .isNan = compare(b, arith::CmpFPredicate::UNO, first, second)};
}

Value combine(IndexBuilder& b, const Pool& pool, const WindowPair& pair, Value third) {
  if (!pool.isMaximum) return b.create<arith::AddFOp>(pair.value, third);
  return withNan(b, b.getLoc(), pair.isNan, largerOrSecond(b, pair.value, third));
}

// The last of a chain of maxima is kept where it is NaN, and one comparison looks at two others.
Value combineAll(IndexBuilder& b, const Pool& pool, ArrayRef<Value> values) {
  if (!pool.isMaximum || values.size() < 3) {
    Value all = values[0];
    for (const Value value : values.drop_front()) all = combine(b, pool, all, value);
    return all;
  }
  Value all = values[0], isNan;
  for (const Value value : values.drop_front()) all = largerOrSecond(b, all, value);
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    const Value other = i + 2 < values.size() ? values[i + 1] : values[i];
    const Value here = compare(b, arith::CmpFPredicate::UNO, values[i], other);
    isNan = isNan ? b.create<arith::OrIOp>(isNan, here) : here;
  }
  return withNan(b, b.getLoc(), isNan, all);
}

}  // namespace tessera::lowering
