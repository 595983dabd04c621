// The k greatest or least elements of each line. Selection: result j is the first element, in the
// order of the result, that comes after result j - 1. O(n k), no scratch memory.
#include "backends/native/compiler/emit_scalar.h"
#include "backends/native/compiler/lowerings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

/// True when element a comes before c; NaN counts as the greatest.
static Value comesBefore(KernelBuilder& b, Value a, Value c, bool largest, bool isUnsignedElement) {
  const Value order =
      emitCompare(b, largest ? Compare::kGreater : Compare::kLess, a, c, isUnsignedElement);
  if (!isa<FloatType>(a.getType())) return order;
  const Value aIsNan = emitCompare(b, Compare::kNotEqual, a, a),
              cIsNan = emitCompare(b, Compare::kNotEqual, c, c);
  const Value nanOrder =
      largest ? b.both(aIsNan, b.isFalse(cIsNan)) : b.both(cIsNan, b.isFalse(aIsNan));
  return b.create<arith::OrIOp>(order, nanOrder);
}

LogicalResult lowerTopK(KernelBuilder& b, Operation* op) {
  auto topK = cast<ir::TopKOp>(op);
  const Value x = b.get(topK.getX());
  const Type element = typeOf(x).getElementType(), i64 = b.getI64Type();
  const bool isUnsignedElement = isUnsigned(getElementTypeOrSelf(topK.getX().getType()));
  const bool largest = topK.getLargest() != 0;
  const int64_t axis = topK.getAxisNormalized();
  const auto type = cast<RankedTensorType>(topK.getValues().getType());
  const Values from = b.sizes(x);
  Value count = b.readInt(topK.getK());
  b.requireAtLeast(count, 0, "k");
  b.requireAtMost(count, from[axis], "k");
  count = b.declaredOr(count, type.getDimSize(axis), "k");
  Values to = from, lines = from;
  to[axis] = count;
  lines.erase(lines.begin() + axis);
  const auto placeOf = [&](ValueRange line, Value position) {
    Values place(line);
    place.insert(place.begin() + axis, position);
    return place;
  };
  const auto before = [&](Value a, Value c) {
    return comesBefore(b, a, c, largest, isUnsignedElement);
  };
  const Values results = b.forEach(
      lines, {b.empty(element, to), b.empty(i64, to)}, [&](ValueRange line, ValueRange outer) {
        const Value none = b.integer(i64, -1), zero = b.scalar(element, 0);
        // State: both results, then value and index of the last one found.
        const Values last = b.forEach(
            count, {outer[0], outer[1], zero, none}, [&](ValueRange j, ValueRange state) -> Values {
              const Values best = b.forEach(
                  from[axis], {zero, none}, [&](ValueRange i, ValueRange found) -> Values {
                    const Value candidate = b.load(x, placeOf(line, i[0]));
                    const Value position = b.fromIndex(i[0], i64);
                    const Value isFirst =
                        emitCompare(b, Compare::kLess, state[3], b.integer(i64, 0));
                    const Value isEqual = b.isFalse(before(candidate, state[2]));
                    const Value isBehind =
                        b.both(isEqual, emitCompare(b, Compare::kGreater, position, state[3]));
                    const Value isLater =
                        b.create<arith::OrIOp>(before(state[2], candidate), isBehind);
                    const Value isLeft = b.create<arith::OrIOp>(isFirst, isLater);
                    const Value isNew = emitCompare(b, Compare::kLess, found[1], b.integer(i64, 0));
                    const Value beats = b.create<arith::OrIOp>(isNew, before(candidate, found[0]));
                    const Value wins = b.both(isLeft, beats);
                    return {b.select(wins, candidate, found[0]),
                            b.select(wins, position, found[1])};
                  });
              const Values place = placeOf(line, j[0]);
              return {b.create<tensor::InsertOp>(best[0], state[0], place),
                      b.create<tensor::InsertOp>(best[1], state[1], place), best[0], best[1]};
            });
        return Values{last[0], last[1]};
      });
  b.set(topK.getValues(), results[0]);
  b.set(topK.getIndices(), results[1]);
  return success();
}

}  // namespace tessera::backend_native
