// Squares that are transposed in registers.
#include "compiler/lowering/transpose_square.h"
#include "compiler/lowering/vectorize/nest.h"

using namespace mlir;

namespace tessera::lowering {

// Squares follow each other along what is read: a few lines of it, each to its end. Where a vector
// is less than a line of the cache, those of one line are read and written one behind the other.
void NestEmitter::emitSquares() {
  const int64_t lanes = plan_.lanes;
  const bool isOneSquareWide = known(plan_.crossLoop) == lanes;
  if (isOneSquareWide && !isStreamed_ && rowsShareSet()) return emitQuarters();
  SmallVector<int64_t> widths = {lanes};
  if (plan_.block > 1 && known(plan_.loop) && known(plan_.crossLoop))
    widths.insert(widths.begin(), plan_.block * lanes);
  strips(plan_.loop, widths, [&](Position at, int64_t width, const LaneMask& mask) {
    SmallVector<Position> vectors;
    for (int64_t offset = 0; offset < width; offset += lanes)
      vectors.push_back({.base = at.base, .offset = at.offset + offset});
    strips(plan_.crossLoop, widths, [&](Position at, int64_t width, const LaneMask& crossLanes) {
      if (isOneSquareWide) return emitSquare(at, crossLanes, vectors, mask);
      for (const Position& vector : vectors) {
        for (int64_t offset = 0; offset < width; offset += lanes)
          emitSquare({.base = at.base, .offset = at.offset + offset}, crossLanes, vector, mask);
      }
    });
  });
}

// Operands that lie along the other loop.
SmallVector<size_t> NestEmitter::transposedNumbers() const {
  SmallVector<size_t> numbers;
  for (size_t number = 0; number < firstOutput_; ++number) {
    const Step step = accesses_[number].step(plan_.loop);
    if (step != Step::kNone && step != Step::kNext &&
        accesses_[number].step(plan_.crossLoop) == Step::kNext)
      numbers.push_back(number);
  }
  return numbers;
}

// By number of the operand: vectors along the plan's loop.
DenseMap<size_t, Values> NestEmitter::transposedOperands(const LaneMask& crossLanes,
                                                         Position vector, const LaneMask& lanes) {
  const int64_t size = plan_.lanes;
  DenseMap<size_t, Values> columns;
  for (const size_t number : transposedNumbers()) {
    const Access& access = accesses_[number];
    Values rows;
    for (int64_t lane = 0; lane < size; ++lane) {
      at_[plan_.loop] = stepFrom(b_, vector, lane, lanes);
      rows.push_back(loadVector(b_, access.buffer, indicesOf(access), size, crossLanes));
    }
    columns[number] = transposeSquare(b_, rows);
  }
  return columns;
}

// `columns` are transposedOperands, of which it takes those of one row.
void NestEmitter::emitRowOfSquare(int64_t row, Position vector,
                                  const DenseMap<size_t, Values>& columns, const LaneMask& lanes) {
  at_[plan_.loop] = vector;
  Values arguments;
  for (size_t number = 0; number < firstOutput_; ++number) {
    const auto column = columns.find(number);
    arguments.push_back(column == columns.end() ? argument(number, lanes) : column->second[row]);
  }
  llvm::append_range(arguments, startOf(lanes));
  store(body_.emit(arguments, at_, lanes), lanes);
}

// Squares side by side along the plan's loop; their rows are written one behind the other.
void NestEmitter::emitSquare(Position cross, const LaneMask& crossLanes, ArrayRef<Position> vectors,
                             const LaneMask& lanes) {
  const int64_t size = plan_.lanes;
  at_[plan_.crossLoop] = cross;
  const auto squares = llvm::map_to_vector(vectors, [&](const Position& vector) {
    return transposedOperands(crossLanes, vector, lanes);
  });
  const auto lastRow = crossLanes.mask ? getConstantIntValue(crossLanes.last) : size - 1;
  for (int64_t row = 0; row <= lastRow.value_or(size - 1); ++row) {
    at_[plan_.crossLoop] = {.base = cross.base, .offset = cross.offset + row};
    const auto emitRow = [&] {
      for (auto [vector, columns] : llvm::zip_equal(vectors, squares))
        emitRowOfSquare(row, vector, columns, lanes);
    };
    if (lastRow) {
      emitRow();
      continue;
    }
    emitIf(b_, b_.lessOrEqual(b_.index(row), crossLanes.last), emitRow);
  }
  at_[plan_.crossLoop] = {};
}

// Whether the rows of a square that is written are lines of one set of the first-level cache, which
// has fewer ways than there are of them.
bool NestEmitter::rowsShareSet() const {
  constexpr int64_t kWays = 8, kElementsOfWay = 1024;
  return plan_.lanes > kWays && llvm::any_of(outputs(), [&](const Access& access) {
           SmallVector<int64_t> strides;
           int64_t offset = 0;
           if (access.type().getElementTypeBitWidth() != 32 ||
               failed(getStridesAndOffset(access.type(), strides, offset)))
             return false;
           for (auto [stride, expr] : llvm::zip_equal(strides, access.map.getResults())) {
             if (expr == getAffineDimExpr(plan_.crossLoop, expr.getContext()))
               return !ShapedType::isDynamic(stride) && stride % kElementsOfWay == 0;
           }
           return false;
         });
}

// Four rows of squares at a time, of so many that each is long, while what is read stays in the
// first-level cache for those that follow.
void NestEmitter::emitQuarters() {
  constexpr int64_t kVectors = 8;
  const int64_t lanes = plan_.lanes;
  strips(plan_.loop, {kVectors * lanes, lanes},
         [&](Position at, int64_t width, const LaneMask& mask) {
           if (mask.mask) return emitSquare({}, {}, at, mask);
           strips(plan_.crossLoop, {kQuarter}, [&](Position cross, int64_t, const LaneMask&) {
             for (int64_t offset = 0; offset < width; offset += lanes)
               emitQuarter(cross, {.base = at.base, .offset = at.offset + offset});
           });
         });
}

// A quarter of a vector is four neighbours of one of the four rows.
void NestEmitter::emitQuarter(Position cross, Position vector) {
  const int64_t size = plan_.lanes;
  at_[plan_.crossLoop] = cross;
  DenseMap<size_t, Values> rows;
  for (const size_t number : transposedNumbers()) {
    const Access& access = accesses_[number];
    const auto type = VectorType::get({size}, access.type().getElementType());
    const Value zero = b_.create<arith::ConstantOp>(b_.getZeroAttr(type));
    Values vectors(kQuarter, zero);
    for (int64_t lane = 0; lane < size; ++lane) {
      at_[plan_.loop] = stepFrom(b_, vector, lane, {});
      const Value four = loadVector(b_, access.buffer, indicesOf(access), kQuarter, {});
      Value& whole = vectors[lane % kQuarter];
      whole = b_.create<vector::InsertStridedSliceOp>(four, whole, lane / kQuarter * kQuarter, 1);
    }
    transposeQuarters(b_, vectors);
    rows[number] = vectors;
  }
  for (int64_t row = 0; row < kQuarter; ++row) {
    at_[plan_.crossLoop] = {.base = cross.base, .offset = cross.offset + row};
    emitRowOfSquare(row, vector, rows, {});
  }
  at_[plan_.crossLoop] = {};
}

}  // namespace tessera::lowering
