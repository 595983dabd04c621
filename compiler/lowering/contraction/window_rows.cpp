#include "compiler/lowering/contraction/window_rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tessera::lowering {

WindowRows windowRows(IndexBuilder& b, const ConvShape& shape, Index row) {
  const Index first = row * shape.strideHeight - shape.padTop, zero = b.term(0);
  const Index dilation = b.term(shape.dilationHeight);
  const Index above = larger(zero - first, zero);
  const Index below = larger(b.term(shape.inHeight) - first, zero);
  return {.first = first,
          .low = b.ceilDivUnsigned(above, dilation),
          .high = smaller(b.ceilDivUnsigned(below, dilation), shape.kernelHeight)};
}

Index WindowRows::count(IndexBuilder& b, const ConvShape& shape, const Pool& pool) const {
  if (!pool.countsPadding) return larger(b.term(high) - low, 1);
  const Index left = b.term(shape.inHeight + pool.padBottom) - first;
  return smaller(b.ceilDivUnsigned(left, b.index(shape.dilationHeight)), shape.kernelHeight);
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

Value combine(IndexBuilder& b, const Pool& pool, Value accumulated, Value value) {
  if (!pool.isMaximum) return b.create<arith::AddFOp>(accumulated, value);
  // A NaN stays, and one that comes is taken: two instructions, where arith.maximumf is three.
  const auto is = [&](arith::CmpFPredicate predicate, Value a, Value c) {
    return b.create<arith::CmpFOp>(predicate, a, c);
  };
  const Value greater = b.create<arith::SelectOp>(is(arith::CmpFPredicate::OGT, accumulated, value),
                                                  accumulated, value);
  return b.create<arith::SelectOp>(is(arith::CmpFPredicate::ORD, accumulated, accumulated), greater,
                                   accumulated);
}

}  // namespace tessera::lowering
