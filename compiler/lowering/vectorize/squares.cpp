// Squares that are transposed in registers.
#include "compiler/lowering/transpose_square.h"
#include "compiler/lowering/vectorize/nest.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera::lowering {

// Squares follow each other along what is read: a few lines of it, each to its end.
void NestEmitter::emitSquares() {
  const int64_t lanes = plan_.lanes;
  strips(plan_.loop, lanes, [&](Position vector, int64_t, const LaneMask& mask) {
    strips(plan_.crossLoop, lanes, [&](Position cross, int64_t, const LaneMask& crossLanes) {
      emitSquare(cross, crossLanes, vector, mask);
    });
  });
}

void NestEmitter::emitSquare(Position cross, const LaneMask& crossLanes, Position vector,
                             const LaneMask& lanes) {
  const int64_t size = plan_.lanes;
  DenseMap<size_t, Values> columns;
  at_[plan_.crossLoop] = cross;
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
  at_[plan_.loop] = vector;
  const auto lastRow = crossLanes.mask ? getConstantIntValue(crossLanes.last) : size - 1;
  for (int64_t row = 0; row <= lastRow.value_or(size - 1); ++row) {
    at_[plan_.crossLoop] = {.base = cross.base, .offset = cross.offset + row};
    const auto emitRow = [&] {
      Values arguments;
      for (size_t number = 0; number < firstOutput_; ++number) {
        const auto column = columns.find(number);
        arguments.push_back(column == columns.end() ? argument(number, lanes)
                                                    : column->second[row]);
      }
      llvm::append_range(arguments, startOf(lanes));
      store(body_.emit(arguments, at_, lanes), lanes);
    };
    if (lastRow) {
      emitRow();
      continue;
    }
    const Value isInside = b_.lessOrEqual(b_.index(row), crossLanes.last);
    auto choice = b_.create<scf::IfOp>(isInside, /*withElseRegion=*/false);
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(choice.thenBlock());
    emitRow();
  }
  at_[plan_.crossLoop] = {};
}

}  // namespace tessera::lowering
