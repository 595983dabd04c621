// Elements of a row and the sums of another one in the same loop: the loads of the one fill the
// time that the stores of the other leave.
#include "compiler/lowering/vectorize/nest.h"

using namespace mlir;

namespace tessera::lowering {

void NestEmitter::runBeside(NestEmitter& sums) {
  readExtents();
  listLoops();
  sums.readExtents();
  sums.listLoops();
  sums.b_.setInsertionPoint(op_);
  hoist(std::nullopt);
  sums.hoist(std::nullopt);
  besideLines(0, sums);
  op_->erase();
  sums.op_->erase();
}

// Loops that both nests have: each of their places has sums of its own.
void NestEmitter::besideLines(size_t next, NestEmitter& sums) {
  if (next == sums.parallel_.size()) {
    return sums.finishChains(besideLoops(next, sums, sums.startChains(kVectorsInTurn), b_.term(0)));
  }
  const unsigned number = sums.parallel_[next];
  if (known(number) == 1) return besideLines(next + 1, sums);
  emitLoop(b_, extents_[number], [&](Index at) {
    const OpBuilder::InsertionGuard guard(sums.b_);
    sums.b_.restoreInsertionPoint(b_.saveInsertionPoint());
    const Hoisted outside = hoisted_, outsideOfSums = sums.hoisted_;
    at_[number] = sums.at_[number] = {.base = at, .offset = 0};
    hoist(number);
    sums.hoist(number);
    besideLines(next + 1, sums);
    hoisted_ = outside;
    sums.hoisted_ = outsideOfSums;
    at_[number] = sums.at_[number] = {};
  });
}

// Loops of the elements alone. `first`: the number of the element at which they stand, of those
// that are summed up together.
Values NestEmitter::besideLoops(size_t next, NestEmitter& sums, const Values& state, Index first) {
  if (next == parallel_.size()) return besideStrips(sums, state, first);
  const unsigned number = parallel_[next];
  if (known(number) == 1) return besideLoops(next + 1, sums, state, first);
  int64_t inner = *known(plan_.loop);
  for (const unsigned loop : ArrayRef(parallel_).drop_front(next + 1)) inner *= *known(loop);
  return emitLoop(b_, b_.index(0), extents_[number], 1, state, [&](Index at, ValueRange before) {
    const OpBuilder::InsertionGuard guard(sums.b_);
    sums.b_.restoreInsertionPoint(b_.saveInsertionPoint());
    const Hoisted outside = hoisted_;
    at_[number] = {.base = at, .offset = 0};
    hoist(number);
    Values after = besideLoops(next + 1, sums, Values(before), at * inner + first);
    hoisted_ = outside;
    at_[number] = {};
    return after;
  });
}

Values NestEmitter::besideStrips(NestEmitter& sums, const Values& start, Index first) {
  const int64_t lanes = plan_.lanes, unit = isSideBySide() ? 1 : lanes,
                wide = kVectorsInTurn * unit;
  const int64_t extent = *known(isSideBySide() ? plan_.blockLoop : plan_.loop);
  const Hoisted ofRow = hoisted_;
  body_.hoist(at_);
  const auto instanceAt = [&](const Position& at) {
    return isSideBySide() ? Instance{.vector = {}, .block = at, .hoisted = ofRow}
                          : Instance{.vector = at, .block = {}, .hoisted = ofRow};
  };
  const auto emitVectors = [&](Position at, int64_t count, Values state) {
    SmallVector<Instance> instances;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t offset = at.offset + i * unit;
      const Value base = at.base ? b_.add(first, at.base) : Value(first);
      state = sums.addVector({.base = base, .offset = offset}, i, state, {});
      instances.push_back(instanceAt({.base = at.base, .offset = offset}));
    }
    emitInstances(instances, {});
    return state;
  };
  int64_t done = extent / wide * wide;
  Values state =
      emitLoop(b_, b_.index(0), b_.index(done), wide, start, [&](Index at, ValueRange before) {
        const OpBuilder::InsertionGuard guard(sums.b_);
        sums.b_.restoreInsertionPoint(b_.saveInsertionPoint());
        return emitVectors({.base = at, .offset = 0}, kVectorsInTurn, Values(before));
      });
  for (; done + unit <= extent; done += unit)
    state = emitVectors({.base = {}, .offset = done}, 1, state);
  if (done < extent) {
    const LaneMask rest = firstLanes(b_, b_.index(extent - done), lanes);
    state = sums.addVector({.base = first, .offset = done}, 0, state, rest);
    const bool mayOverlap = extent > lanes && mayComputeTwice();
    emitInstances({instanceAt({.base = {}, .offset = mayOverlap ? extent - lanes : done})},
                  mayOverlap ? LaneMask() : rest);
  }
  hoisted_ = ofRow;
  body_.leave();
  return state;
}

}  // namespace tessera::lowering
