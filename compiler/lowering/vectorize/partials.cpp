// Vectors along a reduction: partial results, combined at its end.
#include <algorithm>

#include "compiler/lowering/vectorize/combine.h"
#include "compiler/lowering/vectorize/nest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

// The partial results `all`, which are chains * outputs, vector by vector, when those of `chain`
// have the vector at `at` added, which is a step of the block's loop where results are neighbours.
Values NestEmitter::addVector(Position at, size_t chain, const Values& all, const LaneMask& lanes) {
  const size_t numOutputs = outputs().size();
  at_[isSideBySide() ? plan_.blockLoop : plan_.loop] = at;
  const ArrayRef<Value> carried = ArrayRef(all).slice(chain * numOutputs, numOutputs);
  Values arguments;
  for (size_t number = 0; number < firstOutput_; ++number)
    arguments.push_back(argument(number, lanes));
  llvm::append_range(arguments, carried);
  Values next = body_.emit(arguments, at_, lanes);
  for (auto [value, before] : llvm::zip_equal(next, carried)) {
    if (lanes.mask && !isSideBySide())
      value = b_.create<arith::SelectOp>(lanes.mask, value, before);
  }
  Values results = all;
  std::copy(next.begin(), next.end(), results.begin() + chain * numOutputs);
  return results;
}

// One step of partial results over the vectors of the plan's loop.
Values NestEmitter::partialStrips(const Values& start, int64_t chains) {
  const int64_t lanes = plan_.lanes, wide = chains * lanes;
  const Value extent = extents_[plan_.loop];
  const Value wideEnd = b_.mul(b_.floorDiv(extent, wide), wide);
  Values state = start;
  if (getConstantIntValue(wideEnd) != 0) {
    state = emitLoop(b_, b_.index(0), wideEnd, wide, state, [&](Index at, ValueRange before) {
      Values carried(before);
      for (int64_t i = 0; i < chains; ++i)
        carried = addVector({.base = at, .offset = i * lanes}, i, carried, {});
      return carried;
    });
  }
  const Value end = b_.mul(b_.floorDiv(extent, lanes), lanes);
  const auto endsAt = getConstantIntValue(end);
  if (chains > 1 && (!endsAt || endsAt != getConstantIntValue(wideEnd))) {
    state = emitLoop(b_, wideEnd, end, lanes, state, [&](Index at, ValueRange before) {
      return addVector({.base = at, .offset = 0}, 0, Values(before), {});
    });
  }
  const Value rest = b_.sub(extent, end);
  const auto count = getConstantIntValue(rest);
  if (count == 0) return state;
  const Position last = {.base = end, .offset = 0};
  if (count) return addVector(last, 0, state, firstLanes(b_, rest, plan_.lanes));
  return emitIf(
      b_, b_.less(b_.index(0), rest), ValueRange(state).getTypes(),
      [&] { return addVector(last, 0, state, firstLanes(b_, rest, plan_.lanes)); },
      [&] { return state; });
}

// Where the last sums may be reordered, LLVM makes one chain of products and sums of all partial
// results in front of them.
static void keepOrder(Operation* op) {
  auto floats = dyn_cast<arith::ArithFastMathInterface>(op);
  const auto given = floats ? floats.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  if (!given) return;
  const arith::FastMathFlags flags = given.getValue() & ~arith::FastMathFlags::reassoc;
  op->setAttr(floats.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

Value NestEmitter::combine(Operation* combiner, Value a, Value b) {
  if (skipsNan(combiner) && isa<VectorType>(a.getType())) return combineNumbers(b_, combiner, a, b);
  OperationState state(b_.getLoc(), combiner->getName());
  state.addOperands({a, b});
  state.addTypes(a.getType());
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  Operation* combined = b_.create(state);
  keepOrder(combined);
  return combined->getResult(0);
}

// For each output a vector that changes no result.
Values NestEmitter::neutralVectors() {
  return llvm::map_to_vector<6>(combinersOf(op_), [&](Operation* combiner) -> Value {
    const Type element = combiner->getResult(0).getType();
    const TypedAttr value = neutralElement(b_, *combiningKind(combiner), element);
    return b_.create<arith::ConstantOp>(
        DenseElementsAttr::get(VectorType::get({plan_.lanes}, element), Attribute(value)));
  });
}

// The partial results of one vector as one.
Value NestEmitter::combineLanes(Operation* combiner, Value all) {
  if (!skipsNan(combiner))
    return b_.create<vector::ReductionOp>(*combiningKind(combiner), all,
                                          arith::FastMathFlags::reassoc);
  for (int64_t half = plan_.lanes / 2; half > 0; half /= 2) {
    const auto first = llvm::to_vector(llvm::seq<int64_t>(0, half)),
               second = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    all = combine(combiner, b_.create<vector::ShuffleOp>(all, all, first),
                  b_.create<vector::ShuffleOp>(all, all, second));
  }
  return b_.create<vector::ExtractOp>(all, ArrayRef<int64_t>{0});
}

// Of so many vectors as each has lanes, the partial results of each as one: lane i is vector i's.
// Every step takes two vectors' partial results together, first within pieces of 128 bits.
Value NestEmitter::combineVectors(Operation* combiner, Values vectors) {
  const auto lanes = static_cast<int64_t>(vectors.size()), piece = std::min<int64_t>(lanes, 4);
  const auto everyOther = [&](int64_t first, int64_t unit, int64_t group) {
    SmallVector<int64_t> from;
    for (int64_t begin = 0; begin < lanes; begin += group) {
      for (const int64_t vector : {0, 1}) {
        for (int64_t at = first * unit; at < group; at += 2 * unit) {
          for (int64_t i = 0; i < unit; ++i) from.push_back(vector * lanes + begin + at + i);
        }
      }
    }
    return from;
  };
  for (int64_t left = lanes; left > 1; left /= 2) {
    const bool isWithin = lanes / left < piece;
    const int64_t unit = isWithin ? 1 : piece, group = isWithin ? piece : lanes;
    Values next;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      const auto pick = [&](int64_t first) {
        return b_.create<vector::ShuffleOp>(vectors[i], vectors[i + 1],
                                            everyOther(first, unit, group));
      };
      const Value even = pick(0), odd = pick(1);
      next.push_back(combine(combiner, even, odd));
    }
    vectors = next;
  }
  return vectors[0];
}

Values NestEmitter::neutralChains(int64_t chains) {
  Values neutral;
  for (int64_t i = 0; i < chains; ++i) llvm::append_range(neutral, neutralVectors());
  return neutral;
}

// Of each output one vector of the partial results of all chains.
Values NestEmitter::combineChains(const Values& sums) {
  const SmallVector<Operation*> combiners = combinersOf(op_);
  Values ofLine;
  for (auto [i, combiner] : llvm::enumerate(combiners)) {
    Value all = sums[i];
    for (size_t next = i + combiners.size(); next < sums.size(); next += combiners.size())
      all = combine(combiner, all, sums[next]);
    ofLine.push_back(all);
  }
  return ofLine;
}

// What so many chains begin with, and what becomes of them.
Values NestEmitter::startChains(int64_t chains) {
  if (!isSideBySide()) return neutralChains(chains);
  Values state = startOf({});
  llvm::append_range(state, neutralChains(chains - 1));
  return state;
}

void NestEmitter::finishChains(const Values& all) {
  at_[isSideBySide() ? plan_.blockLoop : plan_.loop] = {};
  const Values sums = combineChains(all);
  isSideBySide() ? store(sums, {}) : storeLine(sums);
}

// Of each output a vector of partial results, of the line at which the parallel loops stand.
Values NestEmitter::partialsOfLine() {
  const int64_t chains = plan_.blockLoop == plan_.loop ? plan_.block : 1;
  const Values sums = reduce(0, neutralChains(chains),
                             [&](const Values& state) { return partialStrips(state, chains); });
  at_[plan_.loop] = {};
  return combineChains(sums);
}

void NestEmitter::storeLine(const Values& ofLine) {
  for (auto [i, combiner, access] : llvm::enumerate(combinersOf(op_), outputs())) {
    const Value all = combineLanes(combiner, ofLine[i]);
    const Values place = indicesOf(access);
    Value start = fills_.lookup(firstOutput_ + i);
    if (!start) start = b_.create<memref::LoadOp>(access.buffer, place);
    b_.create<memref::StoreOp>(combine(combiner, start, all), access.buffer, place);
  }
}

// A vector of results, of so many lines from `first` on.
void NestEmitter::emitLines(Index first) {
  const SmallVector<Operation*> combiners = combinersOf(op_);
  SmallVector<Values> partials(combiners.size());
  const Hoisted outside = hoisted_;
  for (int64_t line = 0; line < plan_.lanes; ++line) {
    at_[plan_.blockLoop] = {.base = first, .offset = line};
    hoist(plan_.blockLoop);
    for (auto [i, ofLine] : llvm::enumerate(partialsOfLine())) partials[i].push_back(ofLine);
    hoisted_ = outside;
  }
  at_[plan_.blockLoop] = {.base = first, .offset = 0};
  for (auto [i, combiner, access] : llvm::enumerate(combiners, outputs())) {
    const Value all = combineVectors(combiner, partials[i]);
    const Value fill = fills_.lookup(firstOutput_ + i);
    const Value start = fill ? b_.create<vector::BroadcastOp>(all.getType(), fill)
                             : loadVector(b_, access.buffer, indicesOf(access), plan_.lanes, {});
    storeVector(b_, combine(combiner, start, all), access.buffer, indicesOf(access), {});
  }
  at_[plan_.blockLoop] = {};
}

void NestEmitter::emitPartials() {
  if (plan_.blockLoop == plan_.loop) return storeLine(partialsOfLine());
  const Value count = extents_[plan_.blockLoop];
  const Value whole = b_.mul(b_.floorDiv(count, plan_.lanes), plan_.lanes);
  emitLoop(b_, b_.index(0), whole, plan_.lanes, [&](Index first) { emitLines(first); });
  emitLoop(b_, whole, count, 1, [&](Index line) {
    const Hoisted outside = hoisted_;
    at_[plan_.blockLoop] = {.base = line, .offset = 0};
    hoist(plan_.blockLoop);
    storeLine(partialsOfLine());
    hoisted_ = outside;
    at_[plan_.blockLoop] = {};
  });
}

}  // namespace tessera::lowering
