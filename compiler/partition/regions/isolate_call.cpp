// One call of a region alone, as a module of its own, so that the region's code can run beside
// whatever evaluates the rest.
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/layouts/conversions.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/regions/outline.h"

namespace tessera::partition {

#define GEN_PASS_DEF_ISOLATECALLPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;

static RankedTensorType plainTypeOf(Value value) {
  return ir::plainType(cast<RankedTensorType>(value.getType()));
}

namespace {

struct IsolateCall : impl::IsolateCallPassBase<IsolateCall> {
  using Base = impl::IsolateCallPassBase<IsolateCall>;
  using Base::Base;

  void runOnOperation() override {
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp each) { calls.push_back(each); });
    if (call >= calls.size()) {
      getOperation().emitError() << "found " << calls.size() << " calls, expected more than "
                                 << call;
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    if (failed(isolate(calls[call], symbols, *owners))) return signalPassFailure();
  }

 private:
  LogicalResult isolate(func::CallOp original, SymbolTable& symbols, const OwnerIndex& owners) {
    auto region = symbols.lookup<func::FuncOp>(original.getCallee());
    const backend_api::Owner* owner = region ? owners.of(region) : nullptr;
    if (!owner) return original.emitError() << "calls no region";
    func::FuncOp entry = makeEntry(original);
    Conversions conversions(getOperation(), symbols, owners);
    if (failed(fill(entry, original, *owner, conversions))) {
      entry.erase();
      return failure();
    }
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function != region && function != entry) symbols.erase(function);
    }
    entry.setName(ir::kEntryFunction);
    RegionNames names(symbols);
    for (Operation& op : llvm::make_early_inc_range(entry.getBody().front())) {
      if (const backend_api::Owner* converter = owners.of(&op))
        outlineRegion(&op, names.next(kBorderRegionPrefix.drop_back()), *converter, owners,
                      symbols);
    }
    return success();
  }

  /// A function of what the call reads, but for constants, and gives, row-major in host memory.
  func::FuncOp makeEntry(func::CallOp original) {
    SmallVector<Type> inputs, results;
    for (const Value operand : original.getOperands()) {
      if (!operand.getDefiningOp<ir::ConstantOp>()) inputs.push_back(plainTypeOf(operand));
    }
    for (const Value result : original.getResults()) results.push_back(plainTypeOf(result));
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto entry = builder.create<func::FuncOp>(original.getLoc(), "isolated",
                                              builder.getFunctionType(inputs, results));
    entry.addEntryBlock();
    const auto name = [&](StringRef kind, size_t index) {
      return builder.getStringAttr(kind + std::to_string(index));
    };
    for (size_t i = 0; i < inputs.size(); ++i)
      entry.setArgAttr(i, ir::kValueNameAttribute, name("input", i));
    for (size_t i = 0; i < results.size(); ++i)
      entry.setResultAttr(i, ir::kValueNameAttribute, name("output", i));
    return entry;
  }

  LogicalResult fill(func::FuncOp entry, func::CallOp original, const backend_api::Owner& owner,
                     Conversions& conversions) {
    OpBuilder builder = OpBuilder::atBlockEnd(&entry.getBody().front());
    SmallVector<Value> operands;
    unsigned next = 0;
    for (const Value operand : original.getOperands()) {
      if (auto constant = operand.getDefiningOp<ir::ConstantOp>()) {
        operands.push_back(builder.clone(*constant)->getResult(0));
        continue;
      }
      operands.push_back(entry.getArgument(next++));
    }
    auto called = builder.create<func::CallOp>(original.getLoc(), original.getCallee(),
                                               original.getResultTypes(), operands);
    SmallVector<Value> results(called.getResults());
    auto returned = builder.create<func::ReturnOp>(original.getLoc(), results);
    for (OpOperand& operand : called->getOpOperands()) {
      const auto type =
          cast<RankedTensorType>(original.getOperand(operand.getOperandNumber()).getType());
      if (failed(convert(operand, type, &owner, conversions))) return failure();
    }
    for (OpOperand& operand : returned->getOpOperands()) {
      if (failed(convert(operand, plainTypeOf(operand.get()), nullptr, conversions)))
        return failure();
    }
    return success();
  }

  static LogicalResult convert(OpOperand& operand, RankedTensorType type,
                               const backend_api::Owner* consumer, Conversions& conversions) {
    if (operand.get().getType() == type) return success();
    const Value converted = conversions.convert(operand.get(), type, consumer);
    if (!converted)
      return operand.getOwner()->emitError()
             << "nobody makes " << type << " of " << operand.get().getType();
    operand.set(converted);
    return success();
  }
};

}  // namespace

}  // namespace tessera::partition
