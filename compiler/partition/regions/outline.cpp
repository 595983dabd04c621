#include "compiler/partition/regions/outline.h"

#include <algorithm>

#include "compiler/partition/host_blocks.h"
#include "compiler/partition/inline_constants.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"

namespace tessera::partition {

using namespace mlir;

namespace {

/// Values that operations read: constants that their owner wants inside, and all others.
struct Inputs {
  llvm::SetVector<Value> arguments;
  llvm::SetVector<Operation*> inlined;
};

}  // namespace

static bool isInside(OpOperand& operand, const backend_api::RegionRules& rules, Binding binding) {
  const bool isConstant = operand.get().getDefiningOp<ir::ConstantOp>() != nullptr;
  if (binding == Binding::kByRules || !isConstant) return isInlineConstant(operand, rules);
  return binding == Binding::kAll;
}

static Inputs collectInputs(ArrayRef<Operation*> operations, const backend_api::RegionRules& rules,
                            Binding binding) {
  const llvm::DenseSet<Operation*> members(operations.begin(), operations.end());
  Inputs inputs;
  for (Operation* op : operations) {
    forEachOutsideOperand(op, [&](OpOperand& operand) {
      Operation* producer = operand.get().getDefiningOp();
      if (producer && members.contains(producer)) return;
      if (isInside(operand, rules, binding))
        inputs.inlined.insert(producer);
      else
        inputs.arguments.insert(operand.get());
    });
  }
  // A constant that one member wants inside and another outside is an argument for both.
  inputs.inlined.remove_if(
      [&](Operation* op) { return inputs.arguments.contains(op->getResult(0)); });
  return inputs;
}

static SmallVector<Value> collectResults(ArrayRef<Operation*> operations) {
  const llvm::DenseSet<Operation*> members(operations.begin(), operations.end());
  Block* block = operations.front()->getBlock();
  SmallVector<Value> results;
  for (Operation* op : operations) {
    for (const Value result : op->getResults()) {
      const bool leaves = llvm::any_of(result.getUsers(), [&](Operation* user) {
        return !members.contains(block->findAncestorOpInBlock(*user));
      });
      if (leaves) results.push_back(result);
    }
  }
  if (results.empty())
    results.push_back(operations.back()->getResult(0));  // Dead code that was not removed.
  return results;
}

static void fillBody(func::FuncOp function, ArrayRef<Operation*> operations, const Inputs& inputs,
                     ArrayRef<Value> results) {
  Block* body = function.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  IRMapping mapping;
  mapping.map(inputs.arguments.getArrayRef(), body->getArguments());
  for (Operation* constant : inputs.inlined) builder.clone(*constant, mapping);
  for (Operation* op : operations) {
    Operation* copy = builder.clone(*op, mapping);
    copy->removeAttr(backend_api::kTargetAttribute);
    copy->removeAttr(kRegionNumber);
    copy->walk([](Operation* op) { op->removeAttr(kWillingAttribute); });
  }
  SmallVector<Value> returned;
  for (const Value result : results) returned.push_back(mapping.lookup(result));
  builder.create<func::ReturnOp>(function.getLoc(), returned);
}

ExtractedRegion extractRegion(ArrayRef<Operation*> operations, StringRef name,
                              const backend_api::Owner& owner, const OwnerIndex& owners,
                              Binding binding) {
  const Inputs inputs = collectInputs(operations, owners.rules(owner), binding);
  ExtractedRegion region;
  region.arguments.assign(inputs.arguments.begin(), inputs.arguments.end());
  region.results = collectResults(operations);
  SmallVector<Location> locations;
  for (Operation* op : operations) locations.push_back(op->getLoc());
  MLIRContext* context = operations.front()->getContext();
  const auto type = FunctionType::get(context, TypeRange(ValueRange(region.arguments)),
                                      TypeRange(ValueRange(region.results)));
  auto function = func::FuncOp::create(FusedLoc::get(context, locations), name, type);
  function.setPrivate();
  function->setAttr(backend_api::kTargetAttribute, owners.attribute(owner));
  fillBody(function, operations, inputs, region.results);
  region.function = function;
  return region;
}

func::CallOp outlineRegion(ArrayRef<Operation*> operations, StringRef name,
                           const backend_api::Owner& owner, const OwnerIndex& owners,
                           SymbolTable& symbols, Binding binding) {
  ExtractedRegion region = extractRegion(operations, name, owner, owners, binding);
  func::FuncOp function = region.function.release();
  symbols.insert(function);
  Operation* last = operations.front();
  for (Operation* op : operations) last = last->isBeforeInBlock(op) ? op : last;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  auto call = builder.create<func::CallOp>(function.getLoc(), function, region.arguments);
  for (auto [old, replacement] : llvm::zip_equal(region.results, call.getResults()))
    old.replaceAllUsesWith(replacement);
  for (Operation* op : llvm::reverse(operations)) op->erase();
  return call;
}

/// A kind's name may hold what no symbol of a program can.
static std::string symbolOf(StringRef kind) {
  std::string symbol = kind.str();
  std::ranges::replace_if(symbol, [](char letter) { return !llvm::isAlnum(letter); }, '_');
  return symbol;
}

std::string RegionNames::next(StringRef kind) {
  const std::string symbol = symbolOf(kind);
  std::string name;
  do {
    name = symbol + "_" + std::to_string(count_[symbol]++);
  } while (symbols_.lookup(name));
  return name;
}

}  // namespace tessera::partition
