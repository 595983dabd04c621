// Vectors along a reduction: partial results, combined at its end.
#include "compiler/lowering/vectorize/combine.h"
#include "compiler/lowering/vectorize/nest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

// One step of partial results over the vectors of the plan's loop: `start` has block * outputs of
// them, vector by vector.
Values NestEmitter::partialStrips(const Values& start) {
  const size_t numOutputs = outputs().size();
  const auto step = [&](Position at, size_t vector, const Values& all, const LaneMask& lanes) {
    at_[plan_.loop] = at;
    const ArrayRef<Value> carried = ArrayRef(all).slice(vector * numOutputs, numOutputs);
    Values arguments;
    for (size_t number = 0; number < firstOutput_; ++number)
      arguments.push_back(argument(number, lanes));
    llvm::append_range(arguments, carried);
    Values next = body_.emit(arguments, at_, lanes);
    for (auto [value, before] : llvm::zip_equal(next, carried)) {
      if (lanes.mask) value = b_.create<arith::SelectOp>(lanes.mask, value, before);
    }
    Values results = all;
    std::copy(next.begin(), next.end(), results.begin() + vector * numOutputs);
    return results;
  };
  const int64_t lanes = plan_.lanes, wide = plan_.block * lanes;
  const Value extent = extents_[plan_.loop];
  const Value wideEnd = b_.mul(b_.floorDiv(extent, wide), wide);
  Values state = start;
  if (getConstantIntValue(wideEnd) != 0) {
    state = emitLoop(b_, b_.index(0), wideEnd, wide, state, [&](Index at, ValueRange before) {
      Values carried(before);
      for (int64_t i = 0; i < plan_.block; ++i)
        carried = step({.base = at, .offset = i * lanes}, i, carried, {});
      return carried;
    });
  }
  const Value end = b_.mul(b_.floorDiv(extent, lanes), lanes);
  const auto endsAt = getConstantIntValue(end);
  if (plan_.block > 1 && (!endsAt || endsAt != getConstantIntValue(wideEnd))) {
    state = emitLoop(b_, wideEnd, end, lanes, state, [&](Index at, ValueRange before) {
      return step({.base = at, .offset = 0}, 0, Values(before), {});
    });
  }
  const Value rest = b_.sub(extent, end);
  const auto count = getConstantIntValue(rest);
  if (count == 0) return state;
  const Position last = {.base = end, .offset = 0};
  if (count) return step(last, 0, state, firstLanes(b_, rest, plan_.lanes));
  auto hasRest = b_.create<scf::IfOp>(ValueRange(state).getTypes(), b_.less(b_.index(0), rest),
                                      /*withElseRegion=*/true);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(hasRest.thenBlock());
  b_.create<scf::YieldOp>(step(last, 0, state, firstLanes(b_, rest, plan_.lanes)));
  b_.setInsertionPointToStart(hasRest.elseBlock());
  b_.create<scf::YieldOp>(state);
  return llvm::to_vector_of<Value>(hasRest.getResults());
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

void NestEmitter::emitPartials() {
  const SmallVector<Operation*> combiners = combinersOf(op_);
  Values neutral;
  for (int64_t i = 0; i < plan_.block; ++i) llvm::append_range(neutral, neutralVectors());
  Values sums = reduce(0, neutral, [&](const Values& state) { return partialStrips(state); });
  at_[plan_.loop] = {};
  for (auto [i, combiner, access] : llvm::enumerate(combiners, outputs())) {
    Value all = sums[i];
    for (size_t vector = 1; vector < static_cast<size_t>(plan_.block); ++vector)
      all = combine(combiner, all, sums[vector * combiners.size() + i]);
    all = b_.create<vector::ReductionOp>(*combiningKind(combiner), all,
                                         arith::FastMathFlags::reassoc);
    const size_t number = firstOutput_ + i;
    const Values place = indicesOf(access);
    Value start = fills_.lookup(number);
    if (!start) start = b_.create<memref::LoadOp>(access.buffer, place);
    b_.create<memref::StoreOp>(combine(combiner, start, all), access.buffer, place);
  }
}

}  // namespace tessera::lowering
