// A vector has an element of each of several lines. What comes first so far stays in registers, in
// order: one vector of elements and one of positions for each place. A new element is compared
// with all of them, and those behind it move one place on.
//
// O(n k / lanes) for each line.
#include "backends/native/compiler/lower/neighbours_selection.h"

#include "backends/native/compiler/kernel/pieces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// What comes first so far, place by place.
struct Places {
  Values elements, positions;

  Values values() const {
    Values all = elements;
    all.append(positions);
    return all;
  }
  static Places of(ValueRange values) {
    const size_t count = values.size() / 2;
    return {.elements = Values(values.take_front(count)),
            .positions = Values(values.drop_front(count))};
  }
};

/// Builds the loops over the lines.
class Neighbours {
 public:
  Neighbours(KernelBuilder& b, const Order& order, Value x, int64_t count)
      : b_(b),
        order_(order),
        x_(x),
        outer_(b.sizes(x)[0]),
        length_(b.term(b.sizes(x)[1])),
        inner_(b.term(b.sizes(x)[2])),
        count_(count),
        lanes_(b.vectorLanes()) {}

  Values run();

 private:
  VectorType vectorOf(Type element) const { return VectorType::get({lanes_}, element); }
  Value precedes(Value a, Value c);
  Places inserted(const Places& places, Value element, Value step);
  Places insertedLate(const Places& places, Value element, Value step);
  Places select(ValueRange at, Index lane, bool isWhole);
  Values selectVector(ValueRange at, Index first, Index lane, bool isWhole, ValueRange parts);

  KernelBuilder& b_;
  const Order& order_;
  Value x_, outer_;
  Index length_, inner_;
  int64_t count_, lanes_;
};

}  // namespace

bool isForNeighbours(const Order& order, Value count, Value length, Value inner) {
  // More places than registers hold pay where lines are short. Fewer neighbours leave most of a
  // vector empty.
  constexpr int64_t kMostHeld = 8, kMost = 16, kMostCompared = 2000, kLeastNeighbours = 6;
  if (order.element.getIntOrFloatBitWidth() != 32) return false;
  const auto number = getConstantIntValue(count), steps = getConstantIntValue(length),
             neighbours = getConstantIntValue(inner);
  if (!number || *number < 1 || *number > kMost) return false;
  if (*number > kMostHeld && (!steps || *number * *steps > kMostCompared)) return false;
  if (steps && *steps > kMostPositions) return false;
  return !neighbours || *neighbours >= kLeastNeighbours;
}

/// Whether `a`, which is behind `c` in the line, comes before it. NaN is above all numbers; the
/// predicates that hold for one are one instruction as the others.
Value Neighbours::precedes(Value a, Value c) {
  const Element x = b_.element(a, order_.signedness), y = b_.element(c, order_.signedness);
  if (!x.isFloat()) return order_.isLargest ? x > y : x < y;
  const auto predicate = order_.isLargest ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
  const Element& number = order_.isLargest ? y : x;
  const Condition isBefore(b_, b_.create<arith::CmpFOp>(predicate, a, c));
  return isBefore & (number == number);  // NOLINT(misc-redundant-expression): NaN does not.
}

/// With one place more where there are less than are sought.
Places Neighbours::inserted(const Places& places, Value element, Value step) {
  const Value position = b_.create<vector::BroadcastOp>(vectorOf(b_.getI32Type()),
                                                        b_.fromIndex(step, b_.getI32Type()));
  Places next;
  Value isBefore;  // The place in front of this one.
  const size_t numPlaces = places.elements.size();
  for (size_t i = 0; i < std::min(numPlaces + 1, static_cast<size_t>(count_)); ++i) {
    Value here, where;
    if (i < numPlaces) {
      const Value isHere = precedes(element, places.elements[i]);
      here = b_.select(isHere, element, places.elements[i]);
      where = b_.select(isHere, position, places.positions[i]);
      if (isBefore) {
        here = b_.select(isBefore, places.elements[i - 1], here);
        where = b_.select(isBefore, places.positions[i - 1], where);
      }
      isBefore = isHere;
    } else {
      here = isBefore ? b_.select(isBefore, places.elements[i - 1], element) : element;
      where = isBefore ? b_.select(isBefore, places.positions[i - 1], position) : position;
    }
    next.elements.push_back(here);
    next.positions.push_back(where);
  }
  return next;
}

/// The same where most elements are known to come behind all places.
Places Neighbours::insertedLate(const Places& places, Value element, Value step) {
  const Value any = b_.create<vector::ReductionOp>(vector::CombiningKind::OR,
                                                   precedes(element, places.elements.back()));
  return Places::of(b_.choose(
      any, [&] { return inserted(places, element, step).values(); },
      [&] { return places.values(); }));
}

Places Neighbours::select(ValueRange at, Index lane, bool isWhole) {
  const auto read = [&](Value step) -> Value {
    return b_.create<vector::TransferReadOp>(vectorOf(order_.element), x_,
                                             ValueRange{at[0], step, lane}, ArrayRef(isWhole));
  };
  Places places;
  for (int64_t step = 0; step < count_; ++step)
    places = inserted(places, read(b_.index(step)), b_.index(step));
  // So long lines pay for a branch at each element.
  constexpr int64_t kLong = 32;
  const auto known = getConstantIntValue(Value(length_));
  const bool isLong = !known || *known > kLong * count_;
  return Places::of(
      b_.forEach(Value(length_ - count_), places.values(), [&](ValueRange i, ValueRange now) {
        const Index step = b_.term(i[0]) + count_;
        const Places before = Places::of(now);
        return (isLong ? insertedLate(before, read(step), step)
                       : inserted(before, read(step), step))
            .values();
      }));
}

/// Neighbours from `first` + `lane` on, which are those from `lane` on of the parts.
Values Neighbours::selectVector(ValueRange at, Index first, Index lane, bool isWhole,
                                ValueRange parts) {
  const Places places = select(at, first + lane, isWhole);
  Values next(parts);
  for (int64_t i = 0; i < count_; ++i) {
    const Values to = {b_.index(0), b_.index(i), lane};
    const Value numbers = b_.create<arith::ExtSIOp>(vectorOf(b_.getI64Type()), places.positions[i]);
    for (const auto& [part, vector] : {std::pair(0, places.elements[i]), std::pair(1, numbers)}) {
      next[part] =
          b_.create<vector::TransferWriteOp>(vector, next[part], to, ArrayRef(isWhole)).getResult();
    }
  }
  return next;
}

Values Neighbours::run() {
  const Pieces pieces{.extent = inner_, .size = 8 * lanes_};  // Whole lines of the cache.
  const auto known = getConstantIntValue(Value(inner_));
  const auto places = [&](ValueRange at) {
    const Part part{.offsets = {at[0], b_.index(0), pieces.first(b_, at[1])},
                    .sizes = {b_.index(1), b_.index(count_), pieces.sizeOf(b_, at[1])}};
    return SmallVector<Part>{part, part};
  };
  const Values to = {outer_, b_.index(count_), inner_};
  const Values results = {b_.empty(order_.element, to), b_.empty(b_.getI64Type(), to)};
  const Values tasks = {outer_, pieces.count()};
  const int64_t work = 2 * count_ * estimatedElements(x_);
  return b_.forEachPart(tasks, results, work, places, [&](ValueRange at, ValueRange parts) {
    const Index whole = floorDiv(pieces.sizeOf(b_, at[1]), lanes_);
    const Values now = b_.forEach(Value(whole), parts, [&](ValueRange i, ValueRange parts) {
      return selectVector(at, pieces.first(b_, at[1]), b_.term(i[0]) * lanes_, /*isWhole=*/true,
                          parts);
    });
    if (known && *known % lanes_ == 0) return now;
    const Index rest = ceilDiv(pieces.sizeOf(b_, at[1]), lanes_) - whole;
    return b_.forEach(Value(rest), now, [&](ValueRange, ValueRange parts) {
      return selectVector(at, pieces.first(b_, at[1]), whole * lanes_, /*isWhole=*/false, parts);
    });
  });
}

Values selectOfNeighbours(KernelBuilder& b, const Order& order, Value x, int64_t count) {
  return Neighbours(b, order, x, count).run();
}

}  // namespace tessera::backend_native
