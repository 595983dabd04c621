#include "compiler/lowering/vectorize/body.h"

#include "compiler/lowering/lanes.h"
#include "compiler/lowering/vectorize/combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

Value valueOf(IndexBuilder& b, const Position& position) {
  if (!position.base) return b.index(position.offset);
  return b.add(position.base, position.offset);
}

LaneMask firstLanes(IndexBuilder& b, Value count, int64_t lanes) {
  const Value mask = lanesBelow(b, b.getLoc(), lanes, count);
  return {.mask = mask, .last = b.sub(count, 1)};
}

Value loadVector(IndexBuilder& b, Value buffer, ValueRange indices, int64_t lanes,
                 const LaneMask& mask) {
  return loadMasked(b, b.getLoc(), buffer, indices, lanes, mask.mask);
}

void storeVector(IndexBuilder& b, Value vector, Value buffer, ValueRange indices,
                 const LaneMask& mask, bool isStreamed) {
  if (mask.mask)
    b.create<vector::MaskedStoreOp>(buffer, indices, mask.mask, vector);
  else
    b.create<vector::StoreOp>(vector, buffer, indices, /*nontemporal=*/isStreamed);
}

SmallVector<Value> VectorBody::emit(ValueRange arguments, ArrayRef<Position> at,
                                    const LaneMask& lanes) {
  scalars_ = hoisted_;
  vectors_.clear();
  Block* block = op_.getBlock();
  for (auto [parameter, argument] : llvm::zip_equal(block->getArguments(), arguments)) {
    auto& values = isa<VectorType>(argument.getType()) ? vectors_ : scalars_;
    values[parameter] = argument;
  }
  for (Operation& op : block->without_terminator()) {
    if (hoisted_.contains(op.getResult(0))) continue;
    const Variation variation = variations_.lookup(op.getResult(0));
    // Partial results are vectors although they do not change along the loop.
    const bool hasVectors = llvm::any_of(op.getOperands(), [&](Value operand) {
      return operand.getParentBlock() == block && !scalars_.contains(operand);
    });
    if (variation.kind == Variation::kVarying || hasVectors)
      emitVector(op, lanes);
    else
      emitScalar(op, at);
  }
  return llvm::map_to_vector(block->getTerminator()->getOperands(),
                             [&](Value value) { return vectorOf(value, lanes); });
}

Value VectorBody::scalarOf(Value value) {
  const Value scalar = scalars_.lookup(value);
  return scalar ? scalar : value;  // From outside of the body.
}

Value VectorBody::constantVector(Type element, function_ref<int64_t(int64_t)> entry) {
  SmallVector<Attribute> entries;
  for (int64_t lane = 0; lane < plan_.lanes; ++lane)
    entries.push_back(b_.getIntegerAttr(element, entry(lane)));
  return b_.create<arith::ConstantOp>(
      DenseElementsAttr::get(VectorType::get({plan_.lanes}, element), entries));
}

// Lanes behind the last one that counts are like it.
Value VectorBody::laneNumbers(Type element, const LaneMask& lanes) {
  Value numbers = constantVector(element, [](int64_t lane) { return lane; });
  if (!lanes.mask) return numbers;
  Value last = lanes.last;
  if (!element.isIndex()) last = b_.create<arith::IndexCastOp>(element, last);
  return b_.create<arith::MinSIOp>(numbers,
                                   b_.create<vector::BroadcastOp>(numbers.getType(), last));
}

// first, first + factor, ...
Value VectorBody::linearVector(Value first, int64_t factor, const LaneMask& lanes) {
  const Type element = first.getType();
  Value steps = laneNumbers(element, lanes);
  if (factor != 1)
    steps =
        b_.create<arith::MulIOp>(steps, constantVector(element, [&](int64_t) { return factor; }));
  return b_.create<arith::AddIOp>(b_.create<vector::BroadcastOp>(steps.getType(), first), steps);
}

// first, ..., first + 1, ...
Value VectorBody::repeatedVector(Value first, const Variation& variation, const LaneMask& lanes) {
  const Type element = first.getType();
  const auto all = [&](int64_t number) {
    return constantVector(element, [&](int64_t) { return number; });
  };
  const Value moved = b_.create<arith::AddIOp>(laneNumbers(element, lanes), all(*variation.shift));
  const Value steps = b_.create<arith::DivUIOp>(moved, all(variation.divisor));
  return b_.create<arith::AddIOp>(b_.create<vector::BroadcastOp>(steps.getType(), first), steps);
}

Value VectorBody::vectorOf(Value value, const LaneMask& lanes) {
  if (const Value known = vectors_.lookup(value)) return known;
  const Value scalar = scalarOf(value);
  const Variation variation = variations_.lookup(value);
  Value vector;
  if (variation.kind == Variation::kLinear)
    vector = linearVector(scalar, variation.factor, lanes);
  else if (variation.kind == Variation::kRepeated)
    vector = repeatedVector(scalar, variation, lanes);
  else
    vector =
        b_.create<vector::BroadcastOp>(VectorType::get({plan_.lanes}, scalar.getType()), scalar);
  vectors_[value] = vector;
  return vector;
}

// The same at lane 0.
void VectorBody::emitScalar(Operation& op, ArrayRef<Position> at) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    scalars_[index] = valueOf(b_, at[index.getDim()]);
    return;
  }
  IRMapping mapping;
  for (const Value operand : op.getOperands()) mapping.map(operand, scalarOf(operand));
  Operation* copy = b_.clone(op, mapping);
  scalars_[op.getResult(0)] = copy->getResult(0);
}

// Elements of another type lie in memory of their own.
bool VectorBody::isHoistable(Operation& op, ArrayRef<Position> at) {
  if (variations_.lookup(op.getResult(0)).kind != Variation::kUniform) return false;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return at[index.getDim()].base || op_.getStaticLoopRanges()[index.getDim()] == 1;
  const bool areOperandsHere = llvm::all_of(op.getOperands(), [&](Value operand) {
    return operand.getParentBlock() != op_.getBlock() || hoisted_.contains(operand);
  });
  if (!areOperandsHere) return false;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return llvm::none_of(op_.getRegionOutputArgs(),
                         [&](BlockArgument output) { return output.getType() == load.getType(); });
  return isSpeculatable(&op);
}

void VectorBody::hoist(ArrayRef<Position> at) {
  scalars_.clear();
  for (Operation& op : op_.getBlock()->without_terminator()) {
    if (!isHoistable(op, at)) continue;
    emitScalar(op, at);
    hoisted_[op.getResult(0)] = scalars_.lookup(op.getResult(0));
  }
}

// Each element that some lane needs is read once, no other one, and then repeated.
Value VectorBody::emitRepeatedLoad(Value buffer, ValueRange indices, const Variation& variation,
                                   const LaneMask& lanes) {
  const auto placeOf = [&](int64_t lane) { return (lane + *variation.shift) / variation.divisor; };
  const Value last = lanes.mask ? lanes.last : b_.index(plan_.lanes - 1);
  const Value count = b_.term(b_.floorDiv(b_.add(last, *variation.shift), variation.divisor)) + 1;
  const Value few =
      loadVector(b_, buffer, indices, plan_.lanes, firstLanes(b_, count, plan_.lanes));
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < plan_.lanes; ++lane) places.push_back(placeOf(lane));
  return b_.create<vector::ShuffleOp>(few, few, places);
}

Value VectorBody::emitLoad(memref::LoadOp load, const LaneMask& lanes) {
  const Value buffer = scalarOf(load.getMemRef());
  const Variation place = placeVariation(load, variations_);
  if (place.kind == Variation::kLinear || place.kind == Variation::kRepeated) {
    const auto indices =
        llvm::map_to_vector(load.getIndices(), [&](Value index) { return scalarOf(index); });
    if (place.kind == Variation::kRepeated) return emitRepeatedLoad(buffer, indices, place, lanes);
    return loadVector(b_, buffer, indices, plan_.lanes, lanes);
  }
  const auto type = VectorType::get({plan_.lanes}, load.getType());
  Value vector = b_.create<arith::ConstantOp>(b_.getZeroAttr(type));
  for (int64_t lane = 0; lane < plan_.lanes; ++lane) {
    SmallVector<Value> indices;
    for (const Value index : load.getIndices()) {
      const bool isUniform = variations_.lookup(index).kind == Variation::kUniform;
      indices.push_back(isUniform ? scalarOf(index)
                                  : Value(b_.create<vector::ExtractOp>(vectorOf(index, lanes),
                                                                       ArrayRef<int64_t>{lane})));
    }
    const Value element = b_.create<memref::LoadOp>(buffer, indices);
    vector = b_.create<vector::InsertOp>(element, vector, ArrayRef<int64_t>{lane});
  }
  return vector;
}

void VectorBody::emitVector(Operation& op, const LaneMask& lanes) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    vectors_[load] = emitLoad(load, lanes);
    return;
  }
  const auto isOutput = [&](Value value) {
    return llvm::is_contained(op_.getRegionOutputArgs(), value);
  };
  if (skipsNan(&op) && llvm::any_of(op.getOperands(), isOutput)) {
    const unsigned before = isOutput(op.getOperand(0)) ? 0 : 1;
    vectors_[op.getResult(0)] = combineNumbers(b_, &op, vectorOf(op.getOperand(before), lanes),
                                               vectorOf(op.getOperand(1 - before), lanes));
    return;
  }
  OperationState state(b_.getLoc(), op.getName());
  for (const Value operand : op.getOperands()) state.addOperands(vectorOf(operand, lanes));
  for (const Type type : op.getResultTypes()) state.addTypes(VectorType::get({plan_.lanes}, type));
  state.addAttributes(op.getAttrs());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  vectors_[op.getResult(0)] = b_.create(state)->getResult(0);
}

}  // namespace tessera::lowering
