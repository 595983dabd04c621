// A pass of a user's own, outside of the tree: it wraps the whole graph in the marks of one target,
// the first step of bringing a code generator in the tutorial of apache/tvm PR 4258.
#include "compiler/ir/tsr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace {

using namespace mlir;
using namespace tessera;

struct WrapGraph : PassWrapper<WrapGraph, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrapGraph)

  WrapGraph() = default;
  WrapGraph(const WrapGraph& other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "wrap-graph"; }
  StringRef getDescription() const override { return "mark the whole graph for one target"; }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) wrap(function.getBody().front());
  }

  void wrap(Block& block) {
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (BlockArgument argument : block.getArguments()) {
      auto begin = builder.create<ir::CompilerBeginOp>(argument.getLoc(), argument.getType(),
                                                       argument, builder.getStringAttr(target));
      argument.replaceAllUsesExcept(begin.getOutput(), begin);
    }
    Operation* end = block.getTerminator();
    builder.setInsertionPoint(end);
    for (OpOperand& operand : end->getOpOperands()) {
      const Value value = operand.get();
      operand.set(builder.create<ir::CompilerEndOp>(value.getLoc(), value.getType(), value,
                                                    builder.getStringAttr(target)));
    }
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("who gets the graph"),
                             llvm::cl::init("native")};
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "wrap_graph", "1", [] { PassRegistration<WrapGraph>(); }};
}
