// The k greatest or least elements of each line: those found so far are kept in order, and an element
// that comes before the last of them is put in its place. O(n + m k) for m elements that are; about
// k log(n / k) of them where the order is random.
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

struct Candidate {
  Value value, position;
};

}  // namespace

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
  const Value greatest = larger(b.term(count) - 1, 0);
  // Nothing is looked at where nothing is wanted.
  const Value length = select(b.term(count) == 0, b.term(0), from[axis]);
  const Values results = b.forEach(
      lines, {b.empty(element, to), b.empty(i64, to)}, [&](ValueRange line, ValueRange outer) {
        return b.forEach(length, outer, [&](ValueRange i, ValueRange found) -> Values {
          const Candidate candidate{.value = b.load(x, placeOf(line, i[0])), .position = i[0]};
          // So many are in order; where all places are taken the last one goes.
          const Index filled = smaller(b.term(i[0]), count), last = smaller(filled, greatest);
          const Value worst = b.load(found[0], placeOf(line, larger(filled - 1, 0)));
          const Condition wins = b.less(i[0], count) | before(candidate.value, worst);
          auto choice = b.create<scf::IfOp>(found.getTypes(), Value(wins), /*withElseRegion=*/true);
          const OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(choice.elseBlock());
          b.create<scf::YieldOp>(found);
          b.setInsertionPointToStart(choice.thenBlock());
          const Values rank = b.forEach(filled, b.index(0), [&](ValueRange j, ValueRange sum) {
            const Value other = b.load(found[0], placeOf(line, j[0]));
            const Condition isBehind = before(candidate.value, other);
            return Values{select(isBehind, b.term(sum[0]), b.term(sum[0]) + 1)};
          });
          const Values moved = b.forEach(
              b.sub(last, rank[0]), found, [&](ValueRange step, ValueRange now) -> Values {
                const Index at = last - step[0];
                const Values to = placeOf(line, at), source = placeOf(line, at - 1);
                return {b.create<tensor::InsertOp>(b.load(now[0], source), now[0], to),
                        b.create<tensor::InsertOp>(b.load(now[1], source), now[1], to)};
              });
          const Values to = placeOf(line, rank[0]);
          const Value position = b.fromIndex(candidate.position, i64);
          b.create<scf::YieldOp>(ValueRange{
              b.create<tensor::InsertOp>(candidate.value, moved[0], to),
              b.create<tensor::InsertOp>(position, moved[1], to)});
          return Values(choice.getResults());
        });
      });
  b.set(topK.getValues(), results[0]);
  b.set(topK.getIndices(), results[1]);
  return success();
}

}  // namespace tessera::backend_native
