// The k greatest or least elements of each line. Selection: result j is the first element, in the
// order of the result, that comes after result j - 1. O(n k), no scratch memory.
#include "backends/native/compiler/lower/lowerings.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

/// True when element a comes before c; NaN counts as the greatest.
static Condition comesBefore(const Element& a, const Element& c, bool largest) {
  const Condition order = largest ? a > c : a < c;
  if (!a.isFloat()) return order;
  const Condition aIsNan = isNan(a), cIsNan = isNan(c);
  return order | (largest ? aIsNan & !cIsNan : cIsNan & !aIsNan);
}

LogicalResult lowerTopK(KernelBuilder& b, Operation* op) {
  auto topK = cast<ir::TopKOp>(op);
  const Value x = b.get(topK.getX());
  const Type element = typeOf(x).getElementType(), i64 = b.getI64Type();
  const Signedness signedness = signednessOf(getElementTypeOrSelf(topK.getX().getType()));
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
    return comesBefore(b.element(a, signedness), b.element(c, signedness), largest);
  };
  const Values results = b.forEach(
      lines, {b.empty(element, to), b.empty(i64, to)}, [&](ValueRange line, ValueRange outer) {
        const Value none = b.integer(i64, -1), zero = b.scalar(element, 0);
        // State: both results, then value and index of the last one found.
        const Values last = b.forEach(
            count, {outer[0], outer[1], zero, none}, [&](ValueRange j, ValueRange state) -> Values {
              const Values best = b.forEach(
                  from[axis], {zero, none}, [&](ValueRange i, ValueRange found) -> Values {
                    const Element candidate = b.load(x, placeOf(line, i[0]));
                    const Element position = b.fromIndex(i[0], i64), place = b.element(state[3]);
                    const Condition isFirst = place < 0;
                    const Condition isEqual = !before(candidate, state[2]);
                    const Condition isBehind = isEqual & (position > place);
                    const Condition isLater = before(state[2], candidate) | isBehind;
                    const Condition isLeft = isFirst | isLater;
                    const Condition isNew = b.element(found[1]) < 0;
                    const Condition wins = isLeft & (isNew | before(candidate, found[0]));
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
