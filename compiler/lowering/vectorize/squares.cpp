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

// By number of the operand: vectors along the plan's loop, of operands that lie along the other.
DenseMap<size_t, Values> NestEmitter::transposedOperands(const LaneMask& crossLanes,
                                                         Position vector, const LaneMask& lanes) {
  const int64_t size = plan_.lanes;
  DenseMap<size_t, Values> columns;
  for (size_t number = 0; number < firstOutput_; ++number) {
    const Access& access = accesses_[number];
    const Step step = access.step(plan_.loop);
    if (step == Step::kNone || step == Step::kNext || access.step(plan_.crossLoop) != Step::kNext)
      continue;
    Values rows;
    for (int64_t lane = 0; lane < size; ++lane) {
      at_[plan_.loop] = stepFrom(b_, vector, lane, lanes);
      rows.push_back(loadVector(b_, access.buffer, indicesOf(access), size, crossLanes));
    }
    columns[number] = transposeSquare(b_, rows);
  }
  return columns;
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
      for (auto [vector, columns] : llvm::zip_equal(vectors, squares)) {
        at_[plan_.loop] = vector;
        Values arguments;
        for (size_t number = 0; number < firstOutput_; ++number) {
          const auto column = columns.find(number);
          arguments.push_back(column == columns.end() ? argument(number, lanes)
                                                      : column->second[row]);
        }
        llvm::append_range(arguments, startOf(lanes));
        store(body_.emit(arguments, at_, lanes), lanes);
      }
    };
    if (lastRow) {
      emitRow();
      continue;
    }
    emitIf(b_, b_.lessOrEqual(b_.index(row), crossLanes.last), emitRow);
  }
  at_[plan_.crossLoop] = {};
}

}  // namespace tessera::lowering
