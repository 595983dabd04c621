// The k greatest or least elements of each line: those found so far are kept in order, and an
// element that comes before the last of them is put in its place. O(n + m k) for m elements that
// are; about k log(n / k) of them where the order is random.
#include "backends/native/compiler/lower/lowerings.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

namespace {

/// Builds the loops over one line. Its results are in order as far as they are found.
class Selection {
 public:
  Selection(KernelBuilder& b, ir::TopKOp op, Value x, ValueRange line, Value count)
      : b_(b),
        x_(x),
        line_(line),
        count_(count),
        axis_(op.getAxisNormalized()),
        signedness_(signednessOf(getElementTypeOrSelf(op.getX().getType()))),
        isLargest_(op.getLargest() != 0) {}

  /// Element number `position` of the line against the results so far, `found` (values, positions).
  Values consider(Value position, ValueRange found);

 private:
  /// In the operand, and in the results, which have no other line.
  Values placeIn(ValueRange line, Value position) const {
    Values place(line);
    place.insert(place.begin() + axis_, position);
    return place;
  }
  Values placeOf(Value position) const {
    return placeIn(Values(line_.size(), b_.index(0)), position);
  }
  Condition isBefore(Value a, Value c) {
    return comesBefore(b_.element(a, signedness_), b_.element(c, signedness_), isLargest_);
  }
  Values insert(Value element, Value position, Index filled, ValueRange found);

  KernelBuilder& b_;
  Value x_;
  Values line_;
  Value count_;
  int64_t axis_;
  Signedness signedness_;
  bool isLargest_;
};

}  // namespace

/// Puts an element behind those that come before it or are equal, and moves the others on; where
/// all places are taken the last one goes.
Values Selection::insert(Value element, Value position, Index filled, ValueRange found) {
  const Values rank = b_.forEach(Value(filled), b_.index(0), [&](ValueRange j, ValueRange sum) {
    const Condition isBehind = isBefore(element, b_.load(found[0], placeOf(j[0])));
    return Values{select(isBehind, b_.term(sum[0]), b_.term(sum[0]) + 1)};
  });
  const Index last = smaller(filled, larger(b_.term(count_) - 1, 0));
  const Values moved =
      b_.forEach(b_.sub(last, rank[0]), found, [&](ValueRange step, ValueRange now) -> Values {
        const Index at = last - step[0];
        const Values to = placeOf(at), from = placeOf(at - 1);
        return {b_.create<tensor::InsertOp>(b_.load(now[0], from), now[0], to),
                b_.create<tensor::InsertOp>(b_.load(now[1], from), now[1], to)};
      });
  const Values to = placeOf(rank[0]);
  const Value number = b_.fromIndex(position, b_.getI64Type());
  return {b_.create<tensor::InsertOp>(element, moved[0], to),
          b_.create<tensor::InsertOp>(number, moved[1], to)};
}

Values Selection::consider(Value position, ValueRange found) {
  const Value element = b_.load(x_, placeIn(line_, position));
  const Index filled = smaller(b_.term(position), count_);
  const Value worst = b_.load(found[0], placeOf(larger(filled - 1, 0)));
  const Condition wins = b_.less(position, count_) | isBefore(element, worst);
  return b_.choose(
      wins, [&] { return insert(element, position, filled, found); },
      [&] { return Values(found); });
}

LogicalResult lowerTopK(KernelBuilder& b, Operation* op) {
  auto topK = cast<ir::TopKOp>(op);
  const Value x = b.get(topK.getX());
  const int64_t axis = topK.getAxisNormalized();
  const Values from = b.sizes(x);
  Value count = b.readInt(topK.getK());
  b.requireAtLeast(count, 0, "k");
  b.requireAtMost(count, from[axis], "k");
  count =
      b.declaredOr(count, cast<RankedTensorType>(topK.getValues().getType()).getDimSize(axis), "k");
  Values to = from, lines = from;
  to[axis] = count;
  lines.erase(lines.begin() + axis);
  // Nothing is looked at where nothing is wanted.
  const Value length = select(b.term(count) == 0, b.term(0), from[axis]);
  const Values start = {b.empty(typeOf(x).getElementType(), to), b.empty(b.getI64Type(), to)};
  const auto lineOf = [&](ValueRange at) {
    Part part{.offsets = at, .sizes = Values(at.size(), b.index(1))};
    part.offsets.insert(part.offsets.begin() + axis, b.index(0));
    part.sizes.insert(part.sizes.begin() + axis, count);
    return SmallVector<Part>{part, part};
  };
  const auto selectOf = [&](ValueRange line, ValueRange parts) {
    Selection selection(b, topK, x, line, count);
    return b.forEach(length, parts, [&](ValueRange i, ValueRange found) {
      return selection.consider(i[0], found);
    });
  };
  const Values results = b.forEachPart(lines, start, estimatedElements(x), lineOf, selectOf);
  b.set(topK.getValues(), results[0]);
  b.set(topK.getIndices(), results[1]);
  return success();
}

}  // namespace tessera::backend_native
