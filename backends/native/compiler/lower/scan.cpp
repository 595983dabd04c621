// Running sums. Along a dimension in front of others the sums of a row of neighbours go on
// together, as vectors; along the last one, those of several lines, so that no sum waits for the
// one before.
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/lowering/prefetch.h"
#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;

// Elements of a vector of neighbours; lines that one iteration sums up.
static constexpr int64_t kVector = 16, kLines = 8;

namespace {

/// The operand as [lines, steps, neighbours]: sums go along the steps.
class Scan {
 public:
  Scan(KernelBuilder& b, ir::CumsumOp op, Value input, ValueRange sizes)
      : b_(b),
        input_(input),
        lines_(sizes[0]),
        steps_(sizes[1]),
        neighbours_(sizes[2]),
        element_(typeOf(input).getElementType()),
        isExclusive_(op.getExclusive() != 0),
        isReverse_(op.getReverse() != 0),
        work_(estimatedElements(input)) {}

  Value run();

 private:
  int64_t elementBytes() const { return llvm::divideCeil(element_.getIntOrFloatBitWidth(), 8); }
  Value placeOf(Value step) { return isReverse_ ? Value(b_.term(steps_) - 1 - step) : step; }
  int64_t neighboursAtOnce(bool areInMemory) const;
  Value sumRows();
  Value sumLines();
  Value sumSome(Value part, Value first, Value line, int64_t count);

  KernelBuilder& b_;
  Value input_, lines_, steps_, neighbours_;
  Type element_;
  bool isExclusive_, isReverse_;
  int64_t work_;
};

}  // namespace

// As many as half of the registers hold, so that rows that are far apart are touched in long
// pieces: of f32 64 with AVX2, 256 with AVX-512, which has twice as many registers of twice the
// size; of memory as many as three quarters do, as each piece of a row touches its page again.
// Equal pieces, an even number of them for threads to share.
int64_t Scan::neighboursAtOnce(bool areInMemory) const {
  const int64_t lanes = b_.vectorLanes(), words = llvm::divideCeil(elementBytes(), 4),
                half = lanes * lanes / words;
  const int64_t most = std::max(areInMemory ? half * 3 / 2 : half, kVector);
  const std::optional<int64_t> known = getConstantIntValue(neighbours_);
  if (!known) return most;
  if (*known <= most) return std::max<int64_t>(*known, 1);
  const auto pieces = static_cast<int64_t>(llvm::alignTo(llvm::divideCeil(*known, most), 2));
  return static_cast<int64_t>(llvm::alignTo(llvm::divideCeil(*known, pieces), kVector));
}

// [1, steps, up to neighboursAtOnce()] of the result in each iteration.
Value Scan::sumRows() {
  const Value zero = b_.index(0), one = b_.index(1);
  const std::optional<int64_t> known = getConstantIntValue(neighbours_);
  const Value memory = b_.memoryBeyondCaches(input_);
  const int64_t most = neighboursAtOnce(/*areInMemory=*/static_cast<bool>(memory));
  // The CPU does not follow pieces of rows.
  const auto prefetch = [&](Value line, Value place, Value neighbour) {
    constexpr int64_t kRowsAhead = 4;
    const int64_t inLine = lowering::kLineBytes / elementBytes();
    if (!memory) return;
    const Value later = b_.term(place) + (isReverse_ ? -kRowsAhead : kRowsAhead);
    for (int64_t i = 0; i < most; i += inLine)
      lowering::prefetch(b_, b_.getLoc(), memory, {line, later, b_.add(neighbour, i)});
  };
  const bool areEqual = known && *known % most == 0;
  const auto firstOf = [&](ValueRange at) { return b_.term(at[1]) * most; };
  const auto countOf = [&](ValueRange at) -> Value {
    if (areEqual) return b_.index(most);
    return smaller(b_.term(neighbours_) - firstOf(at), most);
  };
  const auto places = [&](ValueRange at) {
    const Part part{.offsets = {at[0], zero, firstOf(at)}, .sizes = {one, steps_, countOf(at)}};
    return SmallVector<Part>{part};
  };
  const Values counts = {lines_, b_.ceilDiv(neighbours_, most)};
  const Value result = b_.empty(element_, {lines_, steps_, neighbours_});
  return b_.forEachPart(counts, result, work_, places, [&](ValueRange at, ValueRange parts) {
    const auto vector = VectorType::get({kVector}, element_);
    const bool areWhole = areEqual && most % kVector == 0;
    Values start = {parts[0]};
    start.append(llvm::divideCeil(most, kVector), b_.scalar(vector, 0));
    const Values last = b_.forEach(steps_, start, [&](ValueRange step, ValueRange now) -> Values {
      const Value place = placeOf(step[0]);
      prefetch(at[0], place, firstOf(at));
      Values next(now);
      for (int64_t i = 0; i + 1 < std::ssize(next); ++i) {
        const Values from = {at[0], place, firstOf(at) + i * kVector},
                     to = {zero, place, b_.index(i * kVector)};
        const Element before = b_.element(now[i + 1]);
        const Value read =
            b_.create<vector::TransferReadOp>(vector, input_, from, ArrayRef(areWhole));
        next[i + 1] = before + b_.element(read);
        next[0] = b_.create<vector::TransferWriteOp>(isExclusive_ ? Value(before) : next[i + 1],
                                                     next[0], to, ArrayRef(areWhole))
                      .getResult();
      }
      return next;
    });
    return Values{last[0]};
  })[0];
}

// `part` with the sums of its lines `first` to `first` + count, side by side; `line` is the first
// one's place in the operand.
Value Scan::sumSome(Value part, Value first, Value line, int64_t count) {
  Values start = {part};
  start.append(static_cast<size_t>(count), b_.scalar(element_, 0));
  const Value zero = b_.index(0);
  return b_.forEach(steps_, start, [&](ValueRange step, ValueRange now) {
    const Value place = placeOf(step[0]);
    Values next = {now[0]};
    for (int64_t i = 0; i < count; ++i) {
      const Value before = now[i + 1];
      next.push_back(b_.element(before) + b_.load(input_, {b_.add(line, i), place, zero}));
      next[0] = b_.create<tensor::InsertOp>(isExclusive_ ? before : next.back(), next[0],
                                            Values{b_.add(first, i), place, zero});
    }
    return next;
  })[0];
}

// kLines lines of the result in each iteration, one by one where there are fewer.
Value Scan::sumLines() {
  const Value zero = b_.index(0), one = b_.index(1);
  const std::optional<int64_t> known = getConstantIntValue(lines_);
  const bool areWhole = known && *known % kLines == 0;
  const auto places = [&](ValueRange at) {
    const Index first = b_.term(at[0]) * kLines;
    const Value count = areWhole ? b_.index(kLines) : smaller(b_.term(lines_) - first, kLines);
    return SmallVector<Part>{{.offsets = {first, zero, zero}, .sizes = {count, steps_, one}}};
  };
  const Value result = b_.empty(element_, {lines_, steps_, one});
  if (known && *known <= kLines) return sumSome(result, zero, zero, *known);
  const Value groups = b_.ceilDiv(lines_, kLines);
  return b_.forEachPart(groups, result, work_, places, [&](ValueRange at, ValueRange parts) {
    const Index first = b_.term(at[0]) * kLines;
    const Value part = parts[0];
    if (areWhole) return Values{sumSome(part, zero, first, kLines)};
    const Value count = b_.sizes(part)[0];
    const auto one = [&](ValueRange line, ValueRange now) {
      return Values{sumSome(now[0], line[0], first + line[0], 1)};
    };
    return b_.choose(
        b_.equal(count, kLines), [&] { return Values{sumSome(part, zero, first, kLines)}; },
        [&] { return b_.forEach(count, part, one); });
  })[0];
}

Value Scan::run() {
  const bool hasNeighbours = getConstantIntValue(neighbours_) != 1;
  return hasNeighbours ? sumRows() : sumLines();
}

std::optional<std::string> refuseCumsum(Operation* op) {
  if (!ir::constantInts(op->getOperand(1))) return "the axis is not constant";
  return std::nullopt;
}

LogicalResult lowerCumsum(KernelBuilder& b, Operation* op) {
  auto sum = cast<ir::CumsumOp>(op);
  const Value x = b.get(sum.getX());
  const Values sizes = b.sizes(x);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t axis = (*ir::spec::constantAxes(sum.getAxis(), rank))[0];
  const Values lines = {b.product(ArrayRef(sizes).take_front(axis)), sizes[axis],
                        b.product(ArrayRef(sizes).drop_front(axis + 1))};
  const Value result = Scan(b, sum, b.reshape(x, lines), lines).run();
  b.set(op->getResult(0), b.reshape(result, sizes));
  return success();
}

}  // namespace tessera::backend_native
