// From calls on tensors to a straight line over buffers. Values are already in execution order;
// each gets one buffer.
#include "compiler/codegen/passes.h"
#include "compiler/ir/constants.h"
#include "compiler/ir/types.h"

namespace tessera::codegen {

using namespace mlir;

namespace {

ir::BufferType bufferType(Type tensor) {
  return ir::BufferType::get(tensor.getContext(), cast<RankedTensorType>(tensor));
}

class HostProgram {
 public:
  explicit HostProgram(func::FuncOp entry) : entry_(entry), builder_(entry.getContext()) {}

  LogicalResult build() {
    Block& block = entry_.getBody().front();
    collectOutputs(block.getTerminator());
    for (BlockArgument argument : block.getArguments()) {
      argument.setType(bufferType(argument.getType()));
      buffers_[argument] = argument;
    }
    for (Operation& op : llvm::make_early_inc_range(block.without_terminator())) {
      builder_.setInsertionPoint(&op);
      if (failed(convert(&op))) return failure();
    }
    Operation* terminator = block.getTerminator();
    builder_.setInsertionPoint(terminator);
    SmallVector<Type> resultTypes;
    for (OpOperand& operand : terminator->getOpOperands()) {
      operand.set(ownedOutput(buffers_.lookup(operand.get()), operand.getOperandNumber()));
      resultTypes.push_back(operand.get().getType());
    }
    entry_.setFunctionType(builder_.getFunctionType(block.getArgumentTypes(), resultTypes));
    for (Operation* op : llvm::reverse(converted_)) op->erase();
    return success();
  }

 private:
  /// A value that is exactly one result of the model is written straight into the caller's memory.
  void collectOutputs(Operation* terminator) {
    for (OpOperand& operand : terminator->getOpOperands()) {
      const auto [it, isNew] = outputs_.try_emplace(operand.get(), operand.getOperandNumber());
      if (!isNew) it->second = -1;
    }
  }

  /// What the model returns does not change when the caller reuses the memory of its inputs: those
  /// are copied.
  Value ownedOutput(Value buffer, int64_t index) {
    Value memory = buffer;
    while (auto view = memory.getDefiningOp<ir::ViewOp>()) memory = view.getSource();
    if (!isa<BlockArgument>(memory)) return buffer;
    const auto type = cast<ir::BufferType>(buffer.getType());
    auto copy = builder_.create<ir::AllocOp>(
        entry_.getLoc(), type, /*offset=*/IntegerAttr(),
        builder_.getI64IntegerAttr(ir::physicalSizeBytes(type.getTensor())),
        builder_.getI64IntegerAttr(index));
    builder_.create<ir::CopyBufferOp>(entry_.getLoc(), buffer, copy);
    return copy;
  }

  LogicalResult convert(Operation* op) {
    converted_.push_back(op);
    if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
      buffers_[constant] = builder_.create<ir::GlobalOp>(
          op->getLoc(), bufferType(constant.getType()), constant.getValue());
      return success();
    }
    if (auto call = dyn_cast<func::CallOp>(op)) return convertCall(call);
    if (op->getNumResults() == 1 && op->getNumOperands() >= 1 && !backend_api::ownerOf(op)) {
      // What the partitioner left without an owner renames memory only.
      buffers_[op->getResult(0)] = builder_.create<ir::ViewOp>(
          op->getLoc(), bufferType(op->getResult(0).getType()), buffers_.lookup(op->getOperand(0)));
      return success();
    }
    return op->emitError() << "has no place in a host program: it is in no region";
  }

  LogicalResult convertCall(func::CallOp call) {
    SmallVector<Value> inputs, results;
    for (const Value operand : call.getOperands()) inputs.push_back(buffers_.lookup(operand));
    for (const Value result : call.getResults()) {
      const auto it = outputs_.find(result);
      const bool isOutput = it != outputs_.end() && it->second >= 0;
      const auto type = cast<RankedTensorType>(result.getType());
      auto alloc = builder_.create<ir::AllocOp>(
          call.getLoc(), bufferType(type), /*offset=*/IntegerAttr(),
          builder_.getI64IntegerAttr(ir::physicalSizeBytes(type)),
          isOutput ? builder_.getI64IntegerAttr(it->second) : IntegerAttr());
      buffers_[result] = alloc;
      results.push_back(alloc);
    }
    builder_.create<ir::CallOp>(call.getLoc(), call.getCalleeAttr(), inputs, results);
    return success();
  }

  func::FuncOp entry_;
  OpBuilder builder_;
  DenseMap<Value, Value> buffers_;
  DenseMap<Value, int64_t> outputs_;
  SmallVector<Operation*> converted_;
};

struct BuildHostProgram : PassWrapper<BuildHostProgram, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BuildHostProgram)

  StringRef getArgument() const override { return "tessera-link-build-host-program"; }
  StringRef getDescription() const override {
    return "turn the entry function into calls on buffers";
  }

  void runOnOperation() override {
    auto entry = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!entry) return;
    if (failed(HostProgram(entry).build())) signalPassFailure();
  }
};

}  // namespace

std::unique_ptr<Pass> createBuildHostProgramPass() { return std::make_unique<BuildHostProgram>(); }

}  // namespace tessera::codegen
