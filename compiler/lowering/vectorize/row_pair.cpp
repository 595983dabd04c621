// Elements of a row and the sums of another one in the same loop: the loads of the one fill the
// time that the stores of the other leave.
#include "compiler/lowering/vectorize/nest.h"

using namespace mlir;

namespace tessera::lowering {

// Vectors of either row side by side: as many as need no more registers than AVX2 has.
static constexpr int64_t kVectors = 2;

void NestEmitter::runBeside(NestEmitter& sums) {
  readExtents();
  listLoops();
  sums.readExtents();
  sums.b_.setInsertionPoint(op_);
  hoist(std::nullopt);
  sums.hoist(std::nullopt);
  const Values all = besideLoops(0, sums, sums.neutralChains(kVectors), b_.term(0));
  sums.at_[sums.plan_.loop] = {};
  sums.storeLine(sums.combineChains(all));
  op_->erase();
  sums.op_->erase();
}

// `first`: the number of the element of the row at which the loops stand.
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
  const int64_t lanes = plan_.lanes, wide = kVectors * lanes, extent = *known(plan_.loop);
  const Hoisted ofRow = hoisted_;
  body_.hoist(at_);
  const auto emitVectors = [&](Position at, int64_t count, Values state) {
    SmallVector<Instance> instances;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t offset = at.offset + i * lanes;
      const Value base = at.base ? b_.add(first, at.base) : Value(first);
      state = sums.addVector({.base = base, .offset = offset}, i, state, {});
      instances.push_back(
          {.vector = {.base = at.base, .offset = offset}, .block = {}, .hoisted = ofRow});
    }
    emitInstances(instances, {});
    return state;
  };
  int64_t done = extent / wide * wide;
  Values state =
      emitLoop(b_, b_.index(0), b_.index(done), wide, start, [&](Index at, ValueRange before) {
        const OpBuilder::InsertionGuard guard(sums.b_);
        sums.b_.restoreInsertionPoint(b_.saveInsertionPoint());
        return emitVectors({.base = at, .offset = 0}, kVectors, Values(before));
      });
  for (; done + lanes <= extent; done += lanes)
    state = emitVectors({.base = {}, .offset = done}, 1, state);
  if (done < extent) {
    const LaneMask rest = firstLanes(b_, b_.index(extent - done), lanes);
    state = sums.addVector({.base = first, .offset = done}, 0, state, rest);
    const bool mayOverlap = mayComputeTwice();
    const int64_t from = mayOverlap ? extent - lanes : done;
    emitInstances({{.vector = {.base = {}, .offset = from}, .block = {}, .hoisted = ofRow}},
                  mayOverlap ? LaneMask() : rest);
  }
  hoisted_ = ofRow;
  body_.leave();
  return state;
}

}  // namespace tessera::lowering
