// Vectors of neighbouring results: in strips, as many whole ones as there are, then one whose
// last lanes do not count. Sums stay in registers, or in memory where those of all vectors are
// wanted at a time.
#include "compiler/lowering/prefetch.h"
#include "compiler/lowering/vectorize/nest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tessera::lowering {

void NestEmitter::emitBlocks() {
  if (plan_.blockLoop == plan_.loop) return emitStrips(1, {});
  if (isReduction(plan_.blockLoop)) return emitChains();
  const int64_t extent = *known(plan_.blockLoop), whole = extent / plan_.block * plan_.block;
  if (whole == plan_.block) {
    emitStrips(plan_.block, {});
  } else {
    emitLoop(b_, b_.index(0), b_.index(whole), plan_.block,
             [&](Index at) { emitStrips(plan_.block, {.base = at, .offset = 0}); });
  }
  if (whole < extent) emitStrips(extent - whole, {.base = {}, .offset = whole});
}

// What the operands of each block have to give before the vectors' loop.
SmallVector<Hoisted> NestEmitter::hoistBlocks(int64_t numBlocks, Position block) {
  if (plan_.blockLoop == plan_.loop) return {hoisted_};
  SmallVector<Hoisted> blocks;
  const Hoisted outside = hoisted_;
  for (int64_t i = 0; i < numBlocks; ++i) {
    at_[plan_.blockLoop] = {.base = block.base ? block.base : b_.index(0),
                            .offset = block.offset + i};
    hoist(plan_.blockLoop);
    blocks.push_back(hoisted_);
    hoisted_ = outside;
  }
  at_[plan_.blockLoop] = {};
  return blocks;
}

// Whether two operands have no memory in common. The caller may give one memory for an operand and
// a result; what goes through loops and branches may be any.
static bool areApart(const Access& a, const Access& b) {
  if (a.isScalar()) return true;
  const Value first = wholeOf(a.buffer), second = wholeOf(b.buffer);
  const auto isOwn = [](Value whole) { return bool(whole.getDefiningOp<memref::AllocOp>()); };
  const auto isKnown = [&](Value whole) { return isOwn(whole) || isCallers(whole); };
  return first != second && isKnown(first) && isKnown(second) && (isOwn(first) || isOwn(second));
}

// Whether results may be computed and written twice: from what this writes none is made, nor from
// places of lanes.
bool NestEmitter::mayComputeTwice() {
  if (op_.getNumReductionLoops() > 0 || isStreamed_) return false;
  const auto isPlace = [](Operation& op) { return isa<linalg::IndexOp, memref::LoadOp>(op); };
  if (llvm::any_of(*op_.getBlock(), isPlace)) return false;
  const auto inputs = ArrayRef(accesses_).take_front(firstOutput_);
  for (auto [output, init] : llvm::zip_equal(outputs(), op_.getDpsInitsMutable())) {
    const auto isApart = [&](const Access& input) { return areApart(input, output); };
    if (!llvm::all_of(inputs, isApart) || op_.payloadUsesValueFromOperand(&init)) return false;
  }
  return true;
}

void NestEmitter::emitStrips(int64_t numBlocks, Position block) {
  const int64_t lanes = plan_.lanes;
  const Hoisted outside = hoisted_;
  const SmallVector<Hoisted> blocks = hoistBlocks(numBlocks, block);
  body_.hoist(at_);
  SmallVector<int64_t> widths;
  if (plan_.blockLoop == plan_.loop && plan_.block > 1) widths.push_back(plan_.block * lanes);
  widths.push_back(lanes);
  strips(
      plan_.loop, widths,
      [&](Position at, int64_t width, const LaneMask& mask) {
        SmallVector<Instance> instances;
        for (int64_t offset = 0; offset < width; offset += lanes) {
          for (int64_t i = 0; i < numBlocks; ++i)
            instances.push_back({.vector = {.base = at.base, .offset = at.offset + offset},
                                 .block = {.base = block.base, .offset = block.offset + i},
                                 .hoisted = blocks[i]});
        }
        emitInstances(instances, mask);
      },
      mayComputeTwice());
  hoisted_ = outside;  // What the strips read is not there behind them.
  body_.leave();
}

void NestEmitter::stand(const Instance& instance) {
  at_[plan_.loop] = instance.vector;
  if (plan_.blockLoop != plan_.loop) at_[plan_.blockLoop] = instance.block;
  hoisted_ = instance.hoisted;
}

void NestEmitter::prefetch() {
  for (const Prefetch& each : plan_.prefetches)
    lowering::prefetch(b_, b_.getLoc(), each.place.buffer, indicesOf(each.place),
                       each.isWrite ? PrefetchUse::kWrite : PrefetchUse::kRead);
}

void NestEmitter::emitInstances(ArrayRef<Instance> instances, const LaneMask& lanes) {
  Values state;
  for (const Instance& instance : instances) {
    stand(instance);
    llvm::append_range(state, startOf(lanes));
  }
  const size_t numOutputs = outputs().size();
  state = reduce(0, state, [&](const Values& carried) {
    Values results;
    for (auto [i, instance] : llvm::enumerate(instances)) {
      stand(instance);
      prefetch();
      Values arguments;
      for (size_t number = 0; number < firstOutput_; ++number)
        arguments.push_back(argument(number, lanes));
      llvm::append_range(arguments, ArrayRef(carried).slice(i * numOutputs, numOutputs));
      llvm::append_range(results, body_.emit(arguments, at_, lanes));
    }
    return results;
  });
  for (auto [i, instance] : llvm::enumerate(instances)) {
    stand(instance);
    store(Values(ArrayRef(state).slice(i * numOutputs, numOutputs)), lanes);
  }
}

// One vector of results: each step of the block's loop is added to the next of so many partial
// results.
void NestEmitter::emitChains() {
  const int64_t extent = *known(plan_.blockLoop), whole = extent / plan_.block * plan_.block;
  strips(plan_.loop, plan_.lanes, [&](Position vector, int64_t, const LaneMask& lanes) {
    at_[plan_.loop] = vector;
    const auto addSteps = [&](Value base, int64_t first, int64_t count, Values state) {
      for (int64_t step = 0; step < count; ++step)
        state = addVector({.base = base, .offset = first + step}, step, state, lanes);
      at_[plan_.blockLoop] = {};
      return state;
    };
    Values state = startOf(lanes);
    llvm::append_range(state, neutralChains(plan_.block - 1));
    state = reduce(0, state, [&](const Values& before) {
      const Values added = emitLoop(b_, b_.index(0), b_.index(whole), plan_.block, before,
                                    [&](Index at, ValueRange carried) {
                                      return addSteps(at, 0, plan_.block, Values(carried));
                                    });
      return addSteps({}, whole, extent - whole, added);
    });
    store(combineChains(state), lanes);
  });
}

// Sums in memory: a few steps of the reduction at a time, each along all of the vectors' loop.
void NestEmitter::emitSums() {
  constexpr int64_t kSteps = 4;
  const int64_t extent = *known(reductions_.front()), whole = extent / kSteps * kSteps;
  addSteps({}, std::min(kSteps, extent), /*isFirst=*/true);
  if (whole > kSteps) {
    emitLoop(b_, b_.index(kSteps), b_.index(whole), kSteps,
             [&](Index at) { addSteps({.base = at, .offset = 0}, kSteps, /*isFirst=*/false); });
  }
  if (whole < extent && extent > kSteps)
    addSteps({.base = {}, .offset = whole}, extent - whole, /*isFirst=*/false);
}

void NestEmitter::addSteps(Position from, int64_t numSteps, bool isFirst) {
  const unsigned reduction = reductions_.front();
  strips(plan_.loop, plan_.lanes, [&](Position vector, int64_t, const LaneMask& lanes) {
    at_[plan_.loop] = vector;
    Values state;
    if (isFirst) state = startOf(lanes);
    for (const Access& access : outputs()) {
      if (!isFirst)
        state.push_back(loadVector(b_, access.buffer, indicesOf(access), plan_.lanes, lanes));
    }
    for (int64_t step = 0; step < numSteps; ++step) {
      at_[reduction] = {.base = from.base, .offset = from.offset + step};
      Values arguments;
      for (size_t number = 0; number < firstOutput_; ++number)
        arguments.push_back(argument(number, lanes));
      llvm::append_range(arguments, state);
      state = body_.emit(arguments, at_, lanes);
    }
    at_[reduction] = {};
    store(state, lanes);
  });
}

}  // namespace tessera::lowering
