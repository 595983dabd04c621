// Every value that a region computes becomes a result of the entry function, so that two ways of
// running the same regions can be compared value by value.
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::partition {

using namespace mlir;

namespace {

struct ExposeRegions : PassWrapper<ExposeRegions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExposeRegions)

  StringRef getArgument() const override { return "tessera-partition-expose-regions"; }
  StringRef getDescription() const override {
    return "return what each region computes from the entry function";
  }

  void runOnOperation() override {
    func::FuncOp entry = entryFunction(getOperation());
    if (!entry) return;
    SymbolTable symbols(getOperation());
    const SmallVector<func::CallOp> calls(entry.getOps<func::CallOp>());
    for (func::CallOp call : calls) {
      const auto region = symbols.lookup<func::FuncOp>(call.getCallee());
      const ir::TargetAttr owner = backend_api::ownerOf(region);
      if (!owner) continue;
      for (const Value value : call.getResults()) expose(entry, value, owner, symbols);
    }
  }

  static void expose(func::FuncOp entry, Value value, ir::TargetAttr owner, SymbolTable& symbols) {
    Operation* terminator = entry.getBody().front().getTerminator();
    const auto type = cast<RankedTensorType>(value.getType());
    const Value plain = ir::isPlain(type) ? value : callRelayout(value, owner, symbols);
    entry.insertResult(entry.getNumResults(), plain.getType(), /*resultAttrs=*/{});
    terminator->insertOperands(terminator->getNumOperands(), plain);
  }

  /// A region of the value's owner that brings it into row-major order.
  static Value callRelayout(Value value, ir::TargetAttr owner, SymbolTable& symbols) {
    const auto plain = ir::withBlocks(cast<RankedTensorType>(value.getType()), {}, {});
    OpBuilder builder(value.getContext());
    auto function = func::FuncOp::create(value.getLoc(), "exposed",
                                         builder.getFunctionType(value.getType(), plain));
    function.setPrivate();
    function->setAttr(backend_api::kTargetAttribute, owner);
    symbols.insert(function);
    Block* body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    const Value relayout =
        builder.create<ir::RelayoutOp>(value.getLoc(), plain, body->getArgument(0));
    builder.create<func::ReturnOp>(value.getLoc(), relayout);
    builder.setInsertionPointAfterValue(value);
    return builder.create<func::CallOp>(value.getLoc(), function, value).getResult(0);
  }
};

}  // namespace

std::unique_ptr<Pass> createExposeRegionsPass() { return std::make_unique<ExposeRegions>(); }

}  // namespace tessera::partition
