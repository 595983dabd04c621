// The k greatest or least elements of each line: some tens by a filter
// (lower/filtered_selection.h), a few of lines side by side in vectors
// (lower/neighbours_selection.h), others as follows. An element and its position are one integer,
// its rank: lesser ones come first, and no two are equal. The least k so far are kept in order.
// Others that are less than the last of them are inserted where k is small; else they wait until
// there are many, which are sorted and merged at once. A vector of elements of which none is costs
// a comparison.
//
// O(n + m k) for m elements that are inserted, O(n + m log(k)^2) for m that wait; about
// k log(n / k) of them where the order is random.
#include "backends/native/compiler/kernel/sort.h"
#include "backends/native/compiler/lower/filtered_selection.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/lower/neighbours_selection.h"
#include "compiler/lowering/lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// How elements and their positions become ranks: elements of up to 32 bits and positions below
/// 2^32 - 1 share 64 bits; others take 128, which are compared one by one.
struct Ranks {
  Order order;

  bool isNarrow() const { return order.element.getIntOrFloatBitWidth() <= 32; }
  unsigned positionBits() const { return isNarrow() ? 32 : 64; }
  IntegerType type() const {
    return IntegerType::get(order.element.getContext(), 2 * positionBits());
  }
  /// Elements that are looked at together, and ranks that are sorted together.
  int64_t elementLanes() const { return isNarrow() ? 16 : 1; }
  int64_t rankLanes() const { return isNarrow() ? 8 : 1; }

  /// Of a vector of elements, the first of which is at `position`.
  Value of(KernelBuilder& b, Value elements, Index position) const;
  Index position(KernelBuilder& b, Value rank) const;
  /// Comes behind all others.
  Value last(KernelBuilder& b) const { return Element::highest(b, type(), Signedness::kSigned); }
  /// Whether ranks of `elements`, whose positions are behind that of `worst`, may come before it:
  /// where they do, and perhaps elsewhere.
  Condition mayPrecede(KernelBuilder& b, Value elements, Value worst) const;
};

/// What is selected of one line: ranks, of which the first `numKept` are in order and the next
/// `waiting` are not; behind them there is room for a vector.
struct Selected {
  Value ranks;
  Index waiting;
  Value worst;  ///< The last rank that is selected, as far as the first ones tell.

  operator Values() const { return {ranks, waiting, worst}; }  // NOLINT: a loop's state.
};

/// Builds the loops over one line of `x`, whose lines are innermost.
class Selection {
 public:
  Selection(KernelBuilder& b, const Ranks& ranks, Value x, ValueRange line, Index count)
      : b_(b),
        ranks_(ranks),
        sorted_(b, ranks.rankLanes()),
        x_(x),
        line_(line),
        length_(b.term(b.sizes(x).back())),
        count_(count),
        lanes_(ranks.elementLanes()) {
    // Few elements are sorted for little more than fewer.
    constexpr int64_t kLeastKept = 16, kLeastWaiting = 64;
    const auto known = getConstantIntValue(Value(count));
    insertsEach_ = known && 0 < *known && *known <= kMostInserted;
    numKept_ = larger(ceilToPowerOfTwo(b, larger(count, 1)), kLeastKept);
    const Index whole = ceilToPowerOfTwo(b, larger(length_, 1));
    numWaiting_ = larger(smaller(whole, kLeastWaiting), numKept_);
  }

  /// A tensor whose first elements are the ranks of those selected, in order.
  Value emit();

 private:
  Selected stateOf(ValueRange values) const {
    return {.ranks = values[0], .waiting = b_.term(values[1]), .worst = values[2]};
  }
  Value vectorOf(Value number, int64_t lanes) {
    return b_.create<vector::BroadcastOp>(VectorType::get({lanes}, number.getType()), number);
  }
  Value fill(Value ranks, Index from, Index count);
  Selected consider(Index position, const Selected& state);
  Selected admit(Value candidates, const Selected& state);
  Selected insertEach(Value candidates, const Selected& state);
  Selected merge(Selected state);

  KernelBuilder& b_;
  const Ranks& ranks_;
  SortedNumbers sorted_;
  Value x_;
  Values line_;
  Index length_, count_, numKept_, numWaiting_;
  int64_t lanes_;
  bool insertsEach_ = false;  // Nothing waits.
};

}  // namespace

Value Ranks::of(KernelBuilder& b, Value elements, Index position) const {
  const int64_t lanes = cast<VectorType>(elements.getType()).getNumElements();
  const auto vector = VectorType::get({lanes}, type());
  Value high = order.keysOf(b, elements);
  if (high.getType() != vector) high = b.create<arith::ExtSIOp>(vector, high);
  SmallVector<APInt> steps;
  for (int64_t lane = 0; lane < lanes; ++lane) steps.emplace_back(type().getWidth(), lane);
  Value first = b.fromIndex(position, b.getI64Type());
  if (!isNarrow()) first = b.create<arith::ExtUIOp>(type(), first);
  const Value positions =
      b.create<arith::AddIOp>(b.create<vector::BroadcastOp>(vector, first),
                              b.create<arith::ConstantOp>(DenseElementsAttr::get(vector, steps)));
  const Value shift = b.integer(vector, positionBits());
  return b.create<arith::OrIOp>(b.create<arith::ShLIOp>(high, shift), positions);
}

// Equal elements do not, being behind; all do before anything is selected.
Condition Ranks::mayPrecede(KernelBuilder& b, Value elements, Value worst) const {
  const Element high = order.keysOf(b, elements);
  const Type integer = b.getIntegerType(order.element.getIntOrFloatBitWidth());
  const Value shift = b.integer(type(), positionBits());
  Value least = b.create<arith::ShRSIOp>(worst, shift);
  if (least.getType() != integer) least = b.create<arith::TruncIOp>(integer, least);
  const Condition isFirst = b.element(worst) == b.element(last(b));
  const Element before = b.element(least) - 1;
  const Value most = b.select(isFirst, Element::highest(b, integer, Signedness::kSigned), before);
  return high <= b.element(b.create<vector::BroadcastOp>(Value(high).getType(), most));
}

Index Ranks::position(KernelBuilder& b, Value rank) const {
  const Value low = b.create<arith::TruncIOp>(b.getIntegerType(positionBits()), rank);
  return b.term(b.create<arith::IndexCastUIOp>(b.getIndexType(), low));
}

// Elements [from, from + count) become the last rank, and others up to a whole vector.
Value Selection::fill(Value ranks, Index from, Index count) {
  const Value last = vectorOf(ranks_.last(b_), lanes_);
  return b_.forEach(Value(ceilDiv(count, lanes_)), ranks, [&](ValueRange i, ValueRange state) {
    return Values{writeVector(b_, state[0], from + b_.term(i[0]) * lanes_, last)};
  })[0];
}

Selected Selection::merge(Selected state) {
  const Index size = larger(ceilToPowerOfTwo(b_, larger(state.waiting, 1)), numKept_);
  state.ranks = fill(state.ranks, numKept_ + state.waiting, size - state.waiting);
  state.ranks = sorted_.sort(state.ranks, numKept_, size);
  state.ranks = sorted_.keepLeast(state.ranks, numKept_);
  state.waiting = b_.term(0);
  state.worst = b_.load(state.ranks, Value(larger(count_ - 1, 0)));
  return state;
}

// Those of a vector that come before the worst one wait. Each is written where the next one will
// be, and stays if it is to.
Selected Selection::admit(Value candidates, const Selected& state) {
  const Index at = numKept_ + numWaiting_;
  const Value start = writeVector(b_, state.ranks, at, candidates);
  const Values added = b_.forEach(
      b_.index(lanes_), {start, state.waiting}, [&](ValueRange lane, ValueRange now) -> Values {
        const Element rank = b_.load(now[0], Value(at + lane[0]));
        const Index waiting = b_.term(now[1]);
        const Value ranks =
            b_.create<tensor::InsertOp>(rank, now[0], ValueRange{numKept_ + waiting});
        return {ranks, select(rank < b_.element(state.worst), waiting + 1, waiting)};
      });
  const Selected next = {.ranks = added[0], .waiting = b_.term(added[1]), .worst = state.worst};
  const Condition isFull = numWaiting_ - lanes_ < next.waiting;
  return stateOf(
      b_.choose(isFull, [&] { return Values(merge(next)); }, [&] { return Values(next); }));
}

// Each candidate that comes before the worst one pushes those behind it one place on.
Selected Selection::insertEach(Value candidates, const Selected& state) {
  const Value start = writeVector(b_, state.ranks, numKept_, candidates);
  const Values kept =
      b_.forEach(b_.index(lanes_), {start, state.worst}, [&](ValueRange lane, ValueRange now) {
        const Value rank = b_.load(now[0], Value(numKept_ + lane[0]));
        const auto insert = [&] {
          const Values pushed = b_.forEach(
              Value(count_), {now[0], rank}, [&](ValueRange i, ValueRange inner) -> Values {
                const Value here = b_.load(inner[0], i[0]);
                const Condition isBefore = b_.element(inner[1]) < b_.element(here);
                const Value first = b_.select(isBefore, inner[1], here);
                return {b_.create<tensor::InsertOp>(first, inner[0], i[0]),
                        b_.select(isBefore, here, inner[1])};
              });
          return Values{pushed[0], b_.load(pushed[0], Value(count_ - 1))};
        };
        const Condition isBefore = b_.element(rank) < b_.element(now[1]);
        return b_.choose(isBefore, insert, [&] { return Values(now); });
      });
  return {.ranks = kept[0], .waiting = state.waiting, .worst = kept[1]};
}

Selected Selection::consider(Index position, const Selected& state) {
  const auto type = VectorType::get({lanes_}, ranks_.order.element);
  Values place = line_;
  place.push_back(position);
  const Value elements = b_.create<vector::TransferReadOp>(type, x_, place);
  const Value isThere = lowering::lanesBelow(b_, b_.getLoc(), lanes_, Value(length_ - position));
  const Condition isBefore = ranks_.mayPrecede(b_, elements, state.worst) & isThere;
  const Value any = b_.create<vector::ReductionOp>(vector::CombiningKind::OR, isBefore);
  const auto waiting = [&] {
    const Value last = vectorOf(ranks_.last(b_), lanes_);
    const Value candidates = b_.select(isThere, ranks_.of(b_, elements, position), last);
    return Values(insertsEach_ ? insertEach(candidates, state) : admit(candidates, state));
  };
  return stateOf(b_.choose(any, waiting, [&] { return Values(state); }));
}

Value Selection::emit() {
  const Value room = b_.empty(ranks_.type(), Value(numKept_ + numWaiting_ + lanes_));
  const Selected start = {
      .ranks = fill(room, b_.term(0), numKept_), .waiting = b_.term(0), .worst = ranks_.last(b_)};
  const Values last = b_.forEach(Value(ceilDiv(length_, lanes_)), Values(start),
                                 [&](ValueRange i, ValueRange state) {
                                   return Values(consider(b_.term(i[0]) * lanes_, stateOf(state)));
                                 });
  return insertsEach_ ? last[0] : merge(stateOf(last)).ranks;
}

/// `tensor` with dimension `axis` innermost, and back.
static Value axisLast(KernelBuilder& b, Value tensor, int64_t axis) {
  const int64_t rank = typeOf(tensor).getRank();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::rotate(dims.begin() + axis, dims.begin() + axis + 1, dims.end());
  return axis == rank - 1 ? tensor : b.transpose(tensor, dims);
}
static Value axisBack(KernelBuilder& b, Value tensor, int64_t axis) {
  const int64_t rank = typeOf(tensor).getRank();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::rotate(dims.begin() + axis, dims.end() - 1, dims.end());
  return axis == rank - 1 ? tensor : b.transpose(tensor, dims);
}

/// The first `count` elements along the last dimension of `x`, and their positions.
static Values selectAlongLines(KernelBuilder& b, const Order& order, Value x, Value count) {
  const Ranks ranks = {.order = order};
  Values lines = b.sizes(x), to = lines;
  const Value length = lines.pop_back_val();
  to.back() = count;
  if (isForFilter(order, count, length)) {
    const Value rows = b.reshape(x, {b.product(lines), length});
    Values results = filteredSelection(b, order, rows, *getConstantIntValue(count));
    for (Value& result : results) result = b.reshape(result, to);
    return results;
  }
  const Values start = {b.empty(order.element, to), b.empty(b.getI64Type(), to)};
  const auto lineOf = [&](ValueRange at) {
    Part part{.offsets = at, .sizes = Values(at.size(), b.index(1))};
    part.offsets.push_back(b.index(0));
    part.sizes.push_back(count);
    return SmallVector<Part>{part, part};
  };
  const auto selectOf = [&](ValueRange line, ValueRange parts) {
    const Value selected = Selection(b, ranks, x, line, b.term(count)).emit();
    return b.forEach(count, parts, [&](ValueRange i, ValueRange found) -> Values {
      const Index position = ranks.position(b, b.load(selected, i[0]));
      Values from(line), place(line.size(), b.index(0));
      from.push_back(position);
      place.push_back(i[0]);
      const Value number = b.fromIndex(position, b.getI64Type());
      return {b.create<tensor::InsertOp>(b.load(x, from), found[0], place),
              b.create<tensor::InsertOp>(number, found[1], place)};
    });
  };
  // What an element costs, in steps of a loop of additions.
  constexpr int64_t kSteps = 4;
  return b.forEachPart(lines, start, kSteps * estimatedElements(x), lineOf, selectOf);
}

LogicalResult lowerTopK(KernelBuilder& b, Operation* op) {
  auto topK = cast<ir::TopKOp>(op);
  const int64_t axis = topK.getAxisNormalized();
  const Value x = b.get(topK.getX());
  const Order order = {.element = typeOf(x).getElementType(),
                       .signedness = signednessOf(getElementTypeOrSelf(topK.getX().getType())),
                       .isLargest = topK.getLargest() != 0};
  const Values sizes = b.sizes(x);
  const Value length = sizes[axis];
  Value count = b.readInt(topK.getK());
  b.requireAtLeast(count, 0, "k");
  b.requireAtMost(count, length, "k");
  count =
      b.declaredOr(count, cast<RankedTensorType>(topK.getValues().getType()).getDimSize(axis), "k");
  const Value inner = b.product(ArrayRef(sizes).drop_front(axis + 1));
  const bool areNeighbours =
      getConstantIntValue(inner) != 1 && isForNeighbours(order, count, length, inner);
  const bool isSigned = areNeighbours || isForFilter(order, count, length);
  const int64_t most = isSigned ? kMostPositions : int64_t{std::numeric_limits<uint32_t>::max()};
  if (order.element.getIntOrFloatBitWidth() <= 32)
    b.requireAtMost(length, b.index(most), "the size of the axis");
  if (areNeighbours) {
    const Value outer = b.product(ArrayRef(sizes).take_front(axis));
    const Values results = selectOfNeighbours(b, order, b.reshape(x, {outer, length, inner}),
                                              *getConstantIntValue(count));
    Values to = sizes;
    to[axis] = count;
    b.set(topK.getValues(), b.reshape(results[0], to));
    b.set(topK.getIndices(), b.reshape(results[1], to));
    return success();
  }
  const Values results = selectAlongLines(b, order, axisLast(b, x, axis), count);
  b.set(topK.getValues(), axisBack(b, results[0], axis));
  b.set(topK.getIndices(), axisBack(b, results[1], axis));
  return success();
}

}  // namespace tessera::backend_native
