#include "backends/native/compiler/kernel/data_requirements.h"

#include "backends/native/compiler/kernel/lines.h"
#include "compiler/ir/io/constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

struct Range {
  Value least, most;
};

}  // namespace

/// Least and greatest element and 0, as index values.
static Range rangeOf(KernelBuilder& b, Value tensor) {
  const auto dims = dimRange(0, typeOf(tensor).getRank());
  const Type i64 = b.getI64Type();
  const auto widen = [&](const Element& element) { return b.fromIndex(b.toIndex(element), i64); };
  const auto found = [&](auto extreme) {
    const Value result = reduceLines(b, tensor, {}, dims, b.integer(i64, 0),
                                     [&](Elements v) { return extreme(v[1], widen(v[0])); });
    return b.toIndex(b.load(result, {}));
  };
  const auto least = [](const Element& a, const Element& c) { return smaller(a, c); };
  const auto most = [](const Element& a, const Element& c) { return larger(a, c); };
  return {.least = found(least), .most = found(most)};
}

void requireElements(KernelBuilder& b, Value tensor, Value least, Value most, const Twine& what) {
  const Range range = rangeOf(b, tensor);
  b.require(b.lessOrEqual(least, range.least), range.least, least,
            what + " is {0}, expected at least {1}");
  b.require(b.lessOrEqual(range.most, most), range.most, most,
            what + " is {0}, expected at most {1}");
}

static void requirePositions(KernelBuilder& b, Value tensor, Value size) {
  constexpr StringLiteral text("position {0} is outside of a dimension of {1} elements");
  const Range range = rangeOf(b, tensor);
  b.require(b.term(0) - size <= range.least, range.least, size, text);
  // An empty dimension has no position at all, and no positions need one.
  const Index last = larger(b.term(size) - 1, 0);
  b.require(b.lessOrEqual(range.most, last), range.most, size, text);
  const Condition isEmpty = b.equal(b.product(b.sizes(tensor)), 0);
  b.require(b.select(isEmpty, isEmpty, b.less(b.index(0), size)), b.index(0), size, text);
}

void requireIndices(KernelBuilder& b, Value tsrValue, Value size) {
  const auto known = ir::constantInts(tsrValue);
  const auto extent = getConstantIntValue(size);
  if (known && extent && llvm::all_of(*known, [&](int64_t position) {
        return position >= -*extent && position < *extent;
      }))
    return;
  requirePositions(b, b.get(tsrValue), size);
}

void requireTuples(KernelBuilder& b, Value positions, ValueRange extents, int64_t first) {
  const Values sizes = b.sizes(positions);
  const int64_t depth = typeOf(positions).getShape().back();
  for (int64_t i = 0; i < depth; ++i) {
    Values offsets(sizes.size(), b.index(0)), part = sizes;
    offsets.back() = b.index(i);
    part.back() = b.index(1);
    requirePositions(b, b.slice(positions, offsets, part), extents[first + i]);
  }
}

Element onlyElement(KernelBuilder& b, Value tsrValue) {
  const Value tensor = b.get(tsrValue);
  for (const Value size : b.sizes(tensor))
    b.requireEqual(size, b.index(1), "the length of a scalar");
  return b.load(tensor, Values(typeOf(tensor).getRank(), b.index(0)));
}

void requireNonZero(KernelBuilder& b, Value tensor, const Twine& text) {
  const auto dims = dimRange(0, typeOf(tensor).getRank());
  const Type i64 = b.getI64Type();
  const Value zeros = reduceLines(b, tensor, {}, dims, b.integer(i64, 0), [&](Elements v) -> Value {
    const Element isZero = b.element(v[0] == 0, Signedness::kUnsigned);
    return b.create<arith::OrIOp>(Value(v[1]), Value(convert(isZero, i64)));
  });
  const Index count = b.toIndex(b.load(zeros, {}));
  b.require(count == 0, count, b.index(0), text);
}

}  // namespace tessera::backend_native
