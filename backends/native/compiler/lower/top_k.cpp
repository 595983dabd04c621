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
  Selection(KernelBuilder& b, ir::TopKOp op, Value x, Value count)
      : b_(b),
        x_(x),
        count_(count),
        axis_(op.getAxisNormalized()),
        signedness_(signednessOf(getElementTypeOrSelf(op.getX().getType()))),
        isLargest_(op.getLargest() != 0) {}

  /// Element number `position` of a line against the results so far, `found` (values, positions).
  Values consider(ValueRange line, Value position, ValueRange found);

 private:
  Values placeOf(ValueRange line, Value position) const {
    Values place(line);
    place.insert(place.begin() + axis_, position);
    return place;
  }
  Condition isBefore(Value a, Value c) {
    return comesBefore(b_.element(a, signedness_), b_.element(c, signedness_), isLargest_);
  }
  Values insert(ValueRange line, Value element, Value position, Index filled, ValueRange found);

  KernelBuilder& b_;
  Value x_, count_;
  int64_t axis_;
  Signedness signedness_;
  bool isLargest_;
};

}  // namespace

/// Puts an element behind those that come before it or are equal, and moves the others on; where
/// all places are taken the last one goes.
Values Selection::insert(ValueRange line, Value element, Value position, Index filled,
                         ValueRange found) {
  const Values rank = b_.forEach(Value(filled), b_.index(0), [&](ValueRange j, ValueRange sum) {
    const Condition isBehind = isBefore(element, b_.load(found[0], placeOf(line, j[0])));
    return Values{select(isBehind, b_.term(sum[0]), b_.term(sum[0]) + 1)};
  });
  const Index last = smaller(filled, larger(b_.term(count_) - 1, 0));
  const Values moved =
      b_.forEach(b_.sub(last, rank[0]), found, [&](ValueRange step, ValueRange now) -> Values {
        const Index at = last - step[0];
        const Values to = placeOf(line, at), from = placeOf(line, at - 1);
        return {b_.create<tensor::InsertOp>(b_.load(now[0], from), now[0], to),
                b_.create<tensor::InsertOp>(b_.load(now[1], from), now[1], to)};
      });
  const Values to = placeOf(line, rank[0]);
  const Value number = b_.fromIndex(position, b_.getI64Type());
  return {b_.create<tensor::InsertOp>(element, moved[0], to),
          b_.create<tensor::InsertOp>(number, moved[1], to)};
}

Values Selection::consider(ValueRange line, Value position, ValueRange found) {
  const Value element = b_.load(x_, placeOf(line, position));
  const Index filled = smaller(b_.term(position), count_);
  const Value worst = b_.load(found[0], placeOf(line, larger(filled - 1, 0)));
  const Condition wins = b_.less(position, count_) | isBefore(element, worst);
  auto choice = b_.create<scf::IfOp>(found.getTypes(), Value(wins), /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(choice.elseBlock());
  b_.create<scf::YieldOp>(found);
  b_.setInsertionPointToStart(choice.thenBlock());
  b_.create<scf::YieldOp>(insert(line, element, position, filled, found));
  return Values(choice.getResults());
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
  Selection selection(b, topK, x, count);
  const Values start = {b.empty(typeOf(x).getElementType(), to), b.empty(b.getI64Type(), to)};
  const Values results = b.forEach(lines, start, [&](ValueRange line, ValueRange outer) {
    return b.forEach(length, outer, [&](ValueRange i, ValueRange found) {
      return selection.consider(line, i[0], found);
    });
  });
  b.set(topK.getValues(), results[0]);
  b.set(topK.getIndices(), results[1]);
  return success();
}

}  // namespace tessera::backend_native
