// Running sums. Along a dimension in front of others the sums of a row of neighbours go on
// together, as vectors; along the last one, those of several lines, so that no sum waits for the
// one before.
#include "backends/native/compiler/kernel/pieces.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
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
  Value placeOf(Value step) { return isReverse_ ? Value(b_.term(steps_) - 1 - step) : step; }
  int64_t pieceSize() const;
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

// Pieces of rows that lie in the first-level cache beside the one before them, long ones where
// they come from memory. Equal pieces for as many threads as there are, if there is one line.
int64_t Scan::pieceSize() const {
  constexpr int64_t kMost = 1024, kLeast = 64, kFewPieces = 2, kEnoughPieces = 4,
                    kCacheElements = int64_t{1} << 23;
  const std::optional<int64_t> known = getConstantIntValue(neighbours_),
                               lines = getConstantIntValue(lines_);
  if (!known || *known == 0) return kMost;
  const bool isFar = work_ > kCacheElements;
  int64_t pieces = llvm::divideCeil(*known, kMost);
  if (lines && *lines > 0)
    pieces =
        std::max<int64_t>(pieces, llvm::divideCeil(isFar ? kFewPieces : kEnoughPieces, *lines));
  const int64_t size = std::max<int64_t>(llvm::divideCeil(*known, pieces), kLeast);
  return static_cast<int64_t>(
      std::min(llvm::alignTo(size, kVector), llvm::alignTo(*known, kVector)));
}

// Each row of the result is the one before it, and a row of the operand.
Value Scan::sumRows() {
  const Value zero = b_.index(0), one = b_.index(1);
  const Pieces pieces{.extent = b_.term(neighbours_), .size = pieceSize()};
  const auto places = [&](ValueRange at) {
    return SmallVector<Part>{{.offsets = {at[0], zero, pieces.first(b_, at[1])},
                              .sizes = {one, steps_, pieces.sizeOf(b_, at[1])}}};
  };
  const Value result = b_.empty(element_, {lines_, steps_, neighbours_});
  const Values tasks = {lines_, pieces.count()};
  return b_.forEachPart(tasks, result, work_, places, [&](ValueRange at, ValueRange parts) {
    const Index first = pieces.first(b_, at[1]), count = pieces.sizeOf(b_, at[1]);
    const auto vector = VectorType::get({kVector}, element_);
    const auto read = [&](Value tensor, const Values& from, bool isWhole) {
      return b_.element(b_.create<vector::TransferReadOp>(vector, tensor, from, ArrayRef(isWhole)));
    };
    const Element none = b_.element(b_.scalar(vector, 0));
    const auto sumRow = [&](Value step, Value part, bool isFirst) {
      const Value to = placeOf(step), before = placeOf(b_.sub(step, isFirst ? 0 : 1));
      const auto sumVector = [&](Index i, bool isWhole, ValueRange now) {
        const Element sum = isFirst ? none : read(now[0], {zero, before, i}, isWhole);
        const Element next =
            isExclusive_ && isFirst
                ? none
                : sum + read(input_, {at[0], isExclusive_ ? before : to, first + i}, isWhole);
        return Values{
            b_.create<vector::TransferWriteOp>(next, now[0], Values{zero, to, i}, ArrayRef(isWhole))
                .getResult()};
      };
      return forVectors(b_, count, kVector, part, sumVector);
    };
    const Index numFirst = smaller(b_.term(steps_), 1);
    const Values start = b_.forEach(
        Value(numFirst), parts[0],
        [&](ValueRange step, ValueRange now) { return sumRow(step[0], now[0], /*isFirst=*/true); });
    return b_.forEach(Value(b_.term(steps_) - numFirst), start,
                      [&](ValueRange step, ValueRange now) {
                        return sumRow(b_.add(step[0], 1), now[0], /*isFirst=*/false);
                      });
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
