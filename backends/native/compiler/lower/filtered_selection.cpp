// A first pass over a line finds the extremes of a few parts of it, and of these one that as many
// as are sought reach: elements behind that bound are none of them. A second pass keeps the
// positions of the others, little more than are sought where the order is random. Each one's place
// is the number of those that come before it.
//
// A few lines, if not from memory, go through each step before the next one: what a step has
// written is in the cache when it is read, and no line waits for the last steps of the one before.
//
// Where many are equal more pass than there is room for: then those found so far are put in order,
// and the last one of as many as are sought is the next bound.
//
// O(n + m^2 / lanes) for m elements that pass, without branches that depend on single ones.
#include "backends/native/compiler/lower/filtered_selection.h"

#include "backends/native/compiler/kernel/pieces.h"
#include "backends/native/compiler/kernel/sort.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/opaque.h"
#include "compiler/lowering/prefetch.h"
#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;

/// Longer lines the CPU follows by itself.
static constexpr int64_t kMostElementsOfPrefetched = 2048;

namespace {

/// Positions of those that passed, in the order of the line or, the first ones, in their own.
struct Passed {
  Value positions;
  Index count;
  Value bound;  ///< An element: what comes behind it does not pass.

  operator Values() const { return {positions, count, bound}; }  // NOLINT: a loop's state.
};

/// A line of those that go through each step together.
struct Line {
  Value number;  ///< In `x`.
  Index start;   ///< Of its positions, keys or places among those of all.
};

/// Builds the loops over lines of `x`, [lines, length].
class Filter {
 public:
  Filter(KernelBuilder& b, const Order& order, Value x, int64_t count)
      : b_(b),
        order_(order),
        x_(x),
        length_(b.term(b.sizes(x).back())),
        count_(count),
        lanes_(b.vectorLanes()),
        numParts_(partsOf(count, lanes_, b.sizes(x).back())),
        memory_(typeOf(x).getShape().back() <= kMostElementsOfPrefetched ? b.memoryBeyondCaches(x)
                                                                         : Value()),
        numTogether_(linesTogether()),
        most_(llvm::alignTo(2 * count + 32, lanes_)) {}

  Values run();

 private:
  using LineBody = llvm::function_ref<Values(const Line&, Value, ValueRange)>;

  static int64_t partsOf(int64_t count, int64_t lanes, Value length);
  int64_t linesTogether() const;
  Passed stateOf(ValueRange values) const {
    return {.positions = values[0], .count = b_.term(values[1]), .bound = values[2]};
  }
  Value broadcast(Value number, int64_t lanes) {
    return b_.create<vector::BroadcastOp>(VectorType::get({lanes}, number.getType()), number);
  }
  /// For positions or keys of all that may have passed, and a word more, of each line.
  int64_t roomOfLine() const { return most_ + 2 * kWord; }
  Value room() { return b_.empty(b_.getI32Type(), b_.index(numTogether_ * roomOfLine())); }
  Value ofEach(Type element) { return b_.empty(element, b_.index(numTogether_)); }
  int64_t leastBlocks() const { return llvm::divideCeil(3 * count_, 2 * lanes_); }
  Index blocksOf(Index count);
  void prefetch(const Line& line, Index at, int64_t count);
  void prefetchBlock(const Line& line, Index block);
  Value readLine(const Line& line, Index at, int64_t lanes, bool isWhole);
  Values extremesOfParts(const Line& line);
  Value maskOf(const Line& line, Index at, int64_t lanes, Value bound, bool isWhole);
  Passed pass(const Line& line, Value mask, Index at, Passed state);
  Passed considerAll(const Line& line, Passed state);
  Value keysOf(const Line& line, Index count, Value positions, Value keys);
  Value addWhere(Value condition, Value places, Value one, bool isLess = false);
  Value placesOfBlock(const Line& line, Value keys, Index block, Index blocks);
  Value placesOf(const Line& line, Index count, Value keys, Value places);
  Value moved(const Line& line, Index count, Value positions, Value places, Value to);
  Passed makeRoom(const Line& line, const Passed& state);
  int64_t numWritten() const;
  Values eachLine(Index first, Index number, ValueRange initial, LineBody body);
  Values selectLines(Index first, Index number, ValueRange parts);
  Values writeResults(const Line& line, Value number, Value positions, ValueRange parts);

  static constexpr int64_t kWord = 64;  ///< Elements that are compared before some are kept.
  static constexpr int64_t kRest = 16;  ///< The same at the end of a line.
  /// Of vectors whose additions leave out lanes by themselves.
  static constexpr int64_t kMaskedLanes = 16;

  KernelBuilder& b_;
  const Order& order_;
  Value x_;
  Index length_;
  int64_t count_, lanes_, numParts_;  ///< Vectors of parts whose extremes are found.
  Value memory_;                      ///< Of `x_`, where its lines are prefetched.
  int64_t numTogether_;
  int64_t most_;  ///< Positions of a line that may stand before a word is considered.
};

}  // namespace

bool isForFilter(const Order& order, Value count, Value length) {
  // Fewer are inserted one by one. More would take too long by comparing each with each.
  constexpr int64_t kMost = 128, kLeastLength = 128;
  const auto number = getConstantIntValue(count), size = getConstantIntValue(length);
  if (!number || *number <= kMostInserted || *number > kMost) return false;
  if (order.element.getIntOrFloatBitWidth() != 32 || order.signedness == Signedness::kUnsigned)
    return false;
  if (size && *size > kMostPositions) return false;
  return !size || *size >= std::max(kLeastLength, 3 * *number);
}

// Four parts for each element that is sought leave little more than those to the second pass.
int64_t Filter::partsOf(int64_t count, int64_t lanes, Value length) {
  constexpr int64_t kMost = 32, kForEach = 4;
  int64_t parts = 1;
  while (parts < kMost && parts * lanes < kForEach * count) parts *= 2;
  const auto known = getConstantIntValue(length);
  while (known && parts * lanes > *known && parts * lanes >= 2 * count) parts /= 2;
  return parts;
}

// As many as stay in the first-level cache from the first pass to the second one. Memory is read
// the more evenly the fewer they are.
int64_t Filter::linesTogether() const {
  constexpr int64_t kElements = 4096;
  const int64_t most = memory_ ? 1 : 4;
  const int64_t length = typeOf(x_).getShape().back();
  return !ShapedType::isDynamic(length)
             ? std::clamp<int64_t>(kElements / std::max<int64_t>(length, 1), 1, most)
             : 1;
}

/// Blocks of as many keys; no fewer than of a random line mostly, so that loops over them have one
/// number of steps.
Index Filter::blocksOf(Index count) { return larger(ceilDiv(count, lanes_), leastBlocks()); }

/// `count` elements of the line that begins about `kElementsAhead` later, at least of the next one.
/// The CPU follows lines by itself while they are read, not while what passed of them is put in
/// order.
void Filter::prefetch(const Line& line, Index at, int64_t count) {
  constexpr int64_t kLineElements = lowering::kLineBytes / static_cast<int64_t>(sizeof(float));
  constexpr int64_t kElementsAhead = 3072;
  if (!memory_) return;
  const int64_t length = *getConstantIntValue(Value(length_));
  const Value later = b_.term(line.number) + std::max<int64_t>(kElementsAhead / length, 1);
  for (int64_t i = 0; i < count; i += kLineElements)
    lowering::prefetch(b_, b_.getLoc(), memory_, {later, Value(at + i)});
}

/// While places are found, a part of what is not fetched with the words of a line.
void Filter::prefetchBlock(const Line& line, Index block) {
  if (!memory_) return;
  const int64_t length = *getConstantIntValue(Value(length_)), half = length / kWord * kWord / 2;
  const int64_t part = llvm::divideCeil(length - half, leastBlocks());
  prefetch(line, block * part + half, part);
}

Value Filter::readLine(const Line& line, Index at, int64_t lanes, bool isWhole) {
  const auto type = VectorType::get({lanes}, order_.element);
  return b_.create<vector::TransferReadOp>(type, x_, ValueRange{line.number, at},
                                           ArrayRef(isWhole));
}

/// Of whole rounds over all parts; the rest of the line is not looked at.
Values Filter::extremesOfParts(const Line& line) {
  const Value start = order_.isLargest ? Element::lowest(b_, order_.element, order_.signedness)
                                       : Element::highest(b_, order_.element, order_.signedness);
  const int64_t round = numParts_ * lanes_;
  const Values initial(numParts_, broadcast(start, lanes_));
  return b_.forEach(Value(floorDiv(length_, round)), initial, [&](ValueRange i, ValueRange parts) {
    Values next;
    for (auto [part, extreme] : llvm::enumerate(parts)) {
      const Index at = b_.term(i[0]) * round + static_cast<int64_t>(part) * lanes_;
      next.push_back(order_.first(b_, readLine(line, at, lanes_, /*isWhole=*/true), extreme));
    }
    return next;
  });
}

/// A bit for each element that passes, as i64.
Value Filter::maskOf(const Line& line, Index at, int64_t lanes, Value bound, bool isWhole) {
  if (lanes > lanes_) {
    Value all;
    for (int64_t from = 0; from < lanes; from += lanes_) {
      const Value part = maskOf(line, at + from, lanes_, bound, isWhole);
      const Value shifted = b_.createOrFold<arith::ShLIOp>(part, b_.integer(b_.getI64Type(), from));
      all = all ? b_.create<arith::OrIOp>(all, shifted).getResult() : shifted;
    }
    return all;
  }
  const Value elements = readLine(line, at, lanes, isWhole), bounds = broadcast(bound, lanes);
  Value passes;
  if (isa<FloatType>(order_.element)) {
    const auto predicate = order_.isLargest ? arith::CmpFPredicate::UGE : arith::CmpFPredicate::ULE;
    passes = b_.create<arith::CmpFOp>(predicate, elements, bounds);
  } else {
    const Element x = b_.element(elements, order_.signedness),
                  y = b_.element(bounds, order_.signedness);
    passes = order_.isLargest ? x >= y : x <= y;
  }
  if (!isWhole) {
    const Value isThere = lowering::lanesBelow(b_, b_.getLoc(), lanes, Value(length_ - at));
    passes = b_.create<arith::AndIOp>(passes, isThere);
  }
  const Type word = b_.getIntegerType(static_cast<unsigned>(lanes));
  const Value bits = b_.create<vector::ExtractOp>(
      b_.create<vector::BitCastOp>(VectorType::get({1}, word), passes), 0);
  return lanes == kWord ? bits : b_.create<arith::ExtUIOp>(b_.getI64Type(), bits);
}

/// Positions that are written whether there are so many in a word or not.
int64_t Filter::numWritten() const {
  const auto length = getConstantIntValue(Value(length_));
  const int64_t expected =
      length ? llvm::divideCeil(4 * count_ * kWord, 3 * std::max<int64_t>(*length, 1)) : 1;
  return std::min<int64_t>(expected + expected / 2, 12);
}

Passed Filter::pass(const Line& line, Value mask, Index at, Passed state) {
  const Value one = b_.integer(b_.getI64Type(), 1);
  const auto write = [&](Value positions, Value bits, Value to) -> Values {
    const Value lane = b_.toIndex(b_.create<math::CountTrailingZerosOp>(bits));
    const Value position = b_.fromIndex(at + lane, b_.getI32Type());
    const Value rest = b_.create<arith::AndIOp>(bits, b_.create<arith::SubIOp>(bits, one));
    return {b_.create<tensor::InsertOp>(position, positions, to), rest};
  };
  const Index number = b_.term(b_.toIndex(b_.create<math::CtPopOp>(mask)));
  const Index start = line.start + state.count;
  Values now = {state.positions, mask};
  const int64_t written = numWritten();
  for (int64_t i = 0; i < written; ++i) now = write(now[0], now[1], start + i);
  now = b_.forEach(Value(larger(number - written, 0)), now, [&](ValueRange i, ValueRange more) {
    return write(more[0], more[1], start + written + i[0]);
  });
  state.positions = now[0];
  state.count = state.count + number;
  return stateOf(b_.choose(
      b_.term(most_) < state.count, [&] { return Values(makeRoom(line, state)); },
      [&] { return Values(state); }));
}

Passed Filter::considerAll(const Line& line, Passed state) {
  const Index words = floorDiv(length_, kWord);
  const auto consider = [&](Index at, int64_t lanes, bool isWhole, const Passed& now) {
    return Values(pass(line, maskOf(line, at, lanes, now.bound, isWhole), at, now));
  };
  state = stateOf(b_.forEach(Value(words), Values(state), [&](ValueRange i, ValueRange now) {
    prefetch(line, b_.term(i[0]) * (kWord / 2), kWord / 2);
    return consider(b_.term(i[0]) * kWord, kWord, /*isWhole=*/true, stateOf(now));
  }));
  const Index done = words * kWord;
  const Index rest = ceilDiv(length_ - done, kRest);
  if (getConstantIntValue(Value(rest)) == 0) return state;
  return stateOf(b_.forEach(Value(rest), Values(state), [&](ValueRange i, ValueRange now) {
    return consider(done + b_.term(i[0]) * kRest, kRest, /*isWhole=*/false, stateOf(now));
  }));
}

/// Keys of those that passed, up to a whole block, in which others are behind them.
Value Filter::keysOf(const Line& line, Index count, Value positions, Value keys) {
  const auto type = VectorType::get({lanes_}, b_.getI32Type());
  const auto elements = VectorType::get({lanes_}, order_.element);
  const Value all = lowering::lanesBelow(b_, b_.getLoc(), lanes_, lanes_);
  const Value zero = b_.integer(type, 0), none = b_.scalar(elements, 0),
              last = b_.integer(type, std::numeric_limits<int32_t>::max());
  const Values start = {line.number, b_.index(0)};
  return b_.forEach(Value(blocksOf(count)), keys, [&](ValueRange i, ValueRange now) {
    const Index first = b_.term(i[0]) * lanes_, at = line.start + first;
    const Value isThere = lowering::lanesBelow(b_, b_.getLoc(), lanes_, Value(count - first));
    const Value places = b_.select(isThere, readVector(b_, positions, at, lanes_), zero);
    const Value found = b_.create<vector::GatherOp>(elements, x_, start, places, all, none);
    return Values{writeVector(b_, now[0], at, b_.select(isThere, order_.keysOf(b_, found), last))};
  })[0];
}

/// `places`, `one` more in the lanes where `condition` holds; or `one` less. It is a vector of ones
/// that the code generator does not know, or of ones and zeros: of a known 1 it would make numbers
/// of conditions.
Value Filter::addWhere(Value condition, Value places, Value one, bool isLess) {
  if (lanes_ == kMaskedLanes) {
    const Value changed = isLess ? b_.create<arith::SubIOp>(places, one).getResult()
                                 : b_.create<arith::AddIOp>(places, one).getResult();
    return b_.select(condition, changed, places);
  }
  // By integers: logic of conditions packs them into bytes.
  const Value change =
      b_.create<arith::AndIOp>(b_.create<arith::ExtSIOp>(places.getType(), condition), one);
  return isLess ? b_.create<arith::SubIOp>(places, change).getResult()
                : b_.create<arith::AddIOp>(places, change).getResult();
}

/// Of block number `block` of keys, how many of all `blocks` come before each: lesser ones, and
/// equal ones in front of it.
Value Filter::placesOfBlock(const Line& line, Value keys, Index block, Index blocks) {
  const auto type = VectorType::get({lanes_}, b_.getI32Type());
  const Element own = b_.element(readVector(b_, keys, line.start + block * lanes_, lanes_));
  const auto keyAt = [&](Index place) {
    return b_.element(broadcast(b_.load(keys, Value(line.start + place)), lanes_));
  };
  const Value one = b_.integer(b_.getI32Type(), 1),
              ones = broadcast(lanes_ == kMaskedLanes ? lowering::opaque(b_, one) : one, lanes_);
  // All in front of the block, but for greater ones.
  Value places = broadcast(b_.fromIndex(block * lanes_, b_.getI32Type()), lanes_);
  places = b_.forEach(Value(block), places, [&](ValueRange other, ValueRange now) {
    Value less = now[0];
    for (int64_t lane = 0; lane < lanes_; ++lane)
      less = addWhere(keyAt(b_.term(other[0]) * lanes_ + lane) > own, less, ones, /*isLess=*/true);
    return Values{less};
  })[0];
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    const Element key = keyAt(block * lanes_ + lane);
    SmallVector<int32_t> isBehind;
    for (int64_t other = 0; other < lanes_; ++other) isBehind.push_back(lane < other ? 1 : 0);
    const Value behind =
        b_.create<arith::ConstantOp>(DenseElementsAttr::get(type, ArrayRef<int32_t>(isBehind)));
    places = addWhere(key < own, places, ones);
    places = addWhere(key == own, places, behind);
  }
  return b_.forEach(Value(blocks - block - 1), places, [&](ValueRange other, ValueRange now) {
    Value more = now[0];
    for (int64_t lane = 0; lane < lanes_; ++lane)
      more = addWhere(keyAt((block + 1 + other[0]) * lanes_ + lane) < own, more, ones);
    return Values{more};
  })[0];
}

Value Filter::placesOf(const Line& line, Index count, Value keys, Value places) {
  const Index blocks = blocksOf(count);
  return b_.forEach(Value(blocks), places, [&](ValueRange i, ValueRange now) {
    const Index block = b_.term(i[0]);
    prefetchBlock(line, block);
    return Values{writeVector(b_, now[0], line.start + block * lanes_,
                              placesOfBlock(line, keys, block, blocks))};
  })[0];
}

/// Positions in the order of the elements there; what is up to a whole block has places behind
/// them.
Value Filter::moved(const Line& line, Index count, Value positions, Value places, Value to) {
  return b_.forEach(Value(blocksOf(count)), to, [&](ValueRange i, ValueRange now) {
    const Index first = line.start + b_.term(i[0]) * lanes_;
    Value inOrder = now[0];
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      const Value from(first + lane);
      const Index place = line.start + b_.toIndex(b_.load(places, from));
      inOrder = b_.create<tensor::InsertOp>(b_.load(positions, from), inOrder, Value(place));
    }
    return Values{inOrder};
  })[0];
}

// In the memory of before, so that both ways lead to one.
Passed Filter::makeRoom(const Line& line, const Passed& state) {
  const Value keys = keysOf(line, state.count, state.positions, room());
  const Value places = placesOf(line, state.count, keys, room());
  const Value positions = moved(line, state.count, state.positions, places, room());
  const Value last = b_.toIndex(b_.load(positions, Value(line.start + (b_.term(count_) - 1))));
  const Value kept =
      b_.forEach(b_.index(count_), state.positions, [&](ValueRange i, ValueRange now) {
        const Value at = line.start + i[0];
        return Values{b_.create<tensor::InsertOp>(b_.load(positions, at), now[0], at)};
      })[0];
  return {.positions = kept,
          .count = b_.term(count_),
          .bound = order_.behind(b_, b_.load(x_, ValueRange{line.number, last}))};
}

/// `body(line, number among those together, state)` for `number` lines from `first` on.
Values Filter::eachLine(Index first, Index number, ValueRange initial, LineBody body) {
  return b_.forEach(Value(number), initial, [&](ValueRange i, ValueRange state) {
    return body({.number = first + i[0], .start = b_.term(i[0]) * roomOfLine()}, i[0], state);
  });
}

/// Of one line, whose positions are in order.
Values Filter::writeResults(const Line& line, Value number, Value positions, ValueRange parts) {
  return b_.forEach(b_.index(count_), parts, [&](ValueRange i, ValueRange found) -> Values {
    const Element position = b_.load(positions, Value(line.start + i[0]));
    const Value element = b_.load(x_, {line.number, b_.toIndex(position)});
    const Values place = {number, i[0]};
    const Value wide = b_.create<arith::ExtSIOp>(b_.getI64Type(), position);
    return {b_.create<tensor::InsertOp>(element, found[0], place),
            b_.create<tensor::InsertOp>(wide, found[1], place)};
  });
}

Values Filter::selectLines(Index first, Index number, ValueRange parts) {
  const Type i32 = b_.getI32Type();
  const auto countAt = [&](Value counts, Value i) {
    return b_.term(b_.toIndex(b_.load(counts, i)));
  };
  const auto each = [&](ValueRange initial, LineBody body) {
    return eachLine(first, number, initial, body);
  };
  const Value bounds = each(ofEach(order_.element), [&](const Line& line, Value i, ValueRange now) {
    const Value bound = order_.boundOf(b_, extremesOfParts(line), count_);
    return Values{b_.create<tensor::InsertOp>(bound, now[0], i)};
  })[0];
  const Values passed =
      each({room(), ofEach(i32)}, [&](const Line& line, Value i, ValueRange now) -> Values {
        const Passed all = considerAll(
            line, {.positions = now[0], .count = b_.term(0), .bound = b_.load(bounds, i)});
        const Value count = b_.fromIndex(all.count, i32);
        return {all.positions, b_.create<tensor::InsertOp>(count, now[1], i)};
      });
  const Value positions = passed[0], counts = passed[1];
  const Value keys = each(room(), [&](const Line& line, Value i, ValueRange now) {
    return Values{keysOf(line, countAt(counts, i), positions, now[0])};
  })[0];
  const Value places = each(room(), [&](const Line& line, Value i, ValueRange now) {
    return Values{placesOf(line, countAt(counts, i), keys, now[0])};
  })[0];
  const Value inOrder = each(room(), [&](const Line& line, Value i, ValueRange now) {
    return Values{moved(line, countAt(counts, i), positions, places, now[0])};
  })[0];
  return each(parts, [&](const Line& line, Value i, ValueRange now) {
    return writeResults(line, i, inOrder, now);
  });
}

Values Filter::run() {
  const Value lines = b_.sizes(x_).front();
  const Pieces pieces{.extent = b_.term(lines), .size = numTogether_};
  const auto places = [&](ValueRange at) {
    const Part part{.offsets = {pieces.first(b_, at[0]), b_.index(0)},
                    .sizes = {pieces.sizeOf(b_, at[0]), b_.index(count_)}};
    return SmallVector<Part>{part, part};
  };
  const Values to = {lines, b_.index(count_)};
  const Values results = {b_.empty(order_.element, to), b_.empty(b_.getI64Type(), to)};
  // What an element costs, in steps of a loop of additions.
  constexpr int64_t kSteps = 4;
  return b_.forEachPart(Value(pieces.count()), results, kSteps * estimatedElements(x_), places,
                        [&](ValueRange at, ValueRange parts) {
                          return selectLines(pieces.first(b_, at[0]), pieces.sizeOf(b_, at[0]),
                                             parts);
                        });
}

Values filteredSelection(KernelBuilder& b, const Order& order, Value x, int64_t count) {
  return Filter(b, order, x, count).run();
}

}  // namespace tessera::backend_native
