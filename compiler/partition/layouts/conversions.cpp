#include "compiler/partition/layouts/conversions.h"

#include "compiler/ir/types.h"
#include "compiler/partition/exclusions.h"

namespace tessera::partition {

using namespace mlir;
using backend_api::Owner;

/// The one operator between two types that differ in order or in space, not in both.
static Operation* createConversion(OpBuilder& builder, Location loc, Value value,
                                   RankedTensorType to) {
  const auto from = cast<RankedTensorType>(value.getType());
  if (ir::spaceOf(from) == ir::spaceOf(to)) return builder.create<ir::RelayoutOp>(loc, to, value);
  return builder.create<ir::CopyOp>(loc, to, value);
}

/// The ways from one type to another, each the types on it in turn: order first, space first,
/// through the host's memory.
static SmallVector<SmallVector<RankedTensorType>> waysBetween(RankedTensorType from,
                                                              RankedTensorType to) {
  const StringRef here = ir::spaceOf(from), there = ir::spaceOf(to);
  const RankedTensorType orderedHere = ir::inSpace(to, here), movedFirst = ir::inSpace(from, there);
  SmallVector<SmallVector<RankedTensorType>> ways = {{orderedHere, to}};
  if (here == there) return ways;
  ways.push_back({movedFirst, to});
  if (!here.empty() && !there.empty())
    ways.push_back({ir::inSpace(from, ""), ir::inSpace(to, ""), to});
  return ways;
}

const Owner* Conversions::producerOf(Value value) const {
  Operation* producer = value.getDefiningOp();
  if (!producer) return nullptr;
  if (auto call = dyn_cast<func::CallOp>(producer)) {
    Operation* callee = symbols_.lookup(call.getCallee());
    return callee ? owners_.of(callee) : nullptr;
  }
  return owners_.of(producer);
}

/// Asked with a region that holds the conversion alone, so that an exclusion of one counts.
bool Conversions::takes(const Owner& owner, RankedTensorType from, RankedTensorType to) {
  const auto key = std::tuple(from.getAsOpaquePointer(), to.getAsOpaquePointer(), &owner);
  const auto [it, isNew] = answers_.try_emplace(key, false);
  if (!isNew) return it->second;
  OpBuilder builder(module_.getContext());
  OwningOpRef<func::FuncOp> region =
      func::FuncOp::create(module_.getLoc(), "conversion", builder.getFunctionType(from, to));
  Block* body = region->addEntryBlock();
  builder.setInsertionPointToEnd(body);
  Operation* op = createConversion(builder, module_.getLoc(), body->getArgument(0), to);
  builder.create<func::ReturnOp>(module_.getLoc(), op->getResults());
  const bool isExcluded = module_->hasAttr(ir::kExclusionsAttribute) &&
                          whyExcluded(module_, regionClass(*region), owners_.attribute(owner));
  it->second = !isExcluded && backend_api::isSupported(owner.backend->supports(op, owner.target));
  return it->second;
}

SmallVector<const Owner*> Conversions::candidatesOf(const Owner* consumer, const Owner* producer) {
  SmallVector<const Owner*> candidates;
  for (const Owner* owner : {consumer, producer, owners_.host()}) {
    if (owner && !llvm::is_contained(candidates, owner)) candidates.push_back(owner);
  }
  for (size_t i = 0; i < owners_.size(); ++i) {
    if (!llvm::is_contained(candidates, &owners_[i])) candidates.push_back(&owners_[i]);
  }
  return candidates;
}

std::optional<Conversions::Steps> Conversions::plan(RankedTensorType from, RankedTensorType to,
                                                    ArrayRef<const Owner*> candidates) {
  for (const auto& way : waysBetween(from, to)) {
    Steps steps;
    RankedTensorType at = from;
    const bool isWhole = llvm::all_of(way, [&](RankedTensorType next) {
      if (ir::isSameLayout(at, next)) return true;
      const auto* const taker =
          llvm::find_if(candidates, [&](const Owner* owner) { return takes(*owner, at, next); });
      if (taker == candidates.end()) return false;
      steps.push_back({.to = next, .owner = *taker});
      at = next;
      return true;
    });
    if (isWhole) return steps;
  }
  return std::nullopt;
}

std::optional<Conversions::Steps> Conversions::planFor(Value value, RankedTensorType to,
                                                       const Owner* consumer) {
  const auto from = cast<RankedTensorType>(value.getType());
  if (auto steps = plan(from, to, candidatesOf(consumer, producerOf(value)))) return steps;
  const bool folds = value.getDefiningOp<ir::ConstantOp>() && ir::spaceOf(from) == ir::spaceOf(to);
  if (folds) return Steps{{.to = to, .owner = nullptr}};
  return std::nullopt;
}

bool Conversions::isPossible(RankedTensorType from, RankedTensorType to, const Owner* consumer,
                             const Owner* producer) {
  return plan(from, to, candidatesOf(consumer, producer)).has_value();
}

bool Conversions::isPossible(Value value, RankedTensorType to, const Owner* consumer) {
  return planFor(value, to, consumer).has_value();
}

Value Conversions::insert(Value value, const Step& step) {
  Value& converted = made_[{value, step.to}];
  if (!converted) {
    OpBuilder builder(module_.getContext());
    builder.setInsertionPointAfterValue(value);
    converted = createConversion(builder, value.getLoc(), value, step.to)->getResult(0);
  }
  // Of several that would take it the most preferred does, whoever came first.
  Operation* op = converted.getDefiningOp();
  const Owner* present = owners_.of(op);
  if (step.owner && (!present || owners_.indexOf(*step.owner) < owners_.indexOf(*present)))
    op->setAttr(backend_api::kTargetAttribute, owners_.attribute(*step.owner));
  return converted;
}

Value Conversions::convert(Value value, RankedTensorType to, const Owner* consumer) {
  const auto from = cast<RankedTensorType>(value.getType());
  // Sizes and their names are the value's own.
  const auto steps = planFor(value, ir::inLayoutOf(from, to), consumer);
  if (!steps) return {};
  for (const Step& step : *steps) value = insert(value, step);
  return value;
}

}  // namespace tessera::partition
