// From calls on tensors to a straight line over buffers. Values are already in execution order;
// each gets one buffer. Slices and splits are views of their operand's buffer. The parts of a
// concatenation are computed where they lie in its buffer, through concatenations of concatenations
// as well; a part that cannot be, such as an input of the model, is copied there.
#include "compiler/codegen/copies.h"
#include "compiler/codegen/passes.h"
#include "compiler/ir/host_views.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::codegen {

using namespace mlir;

#define GEN_PASS_DEF_BUILDHOSTPROGRAMPASS
#include "compiler/codegen/passes.h.inc"

namespace {

ir::BufferType bufferType(Type tensor) {
  return ir::BufferType::get(tensor.getContext(), cast<RankedTensorType>(tensor));
}

/// A part of the memory of `whole`, the result of a concatenation or an output.
struct Part {
  Value whole;
  int64_t offset = 0;  ///< Bytes.
};

class HostProgram {
 public:
  HostProgram(func::FuncOp entry, const SymbolTable& symbols)
      : entry_(entry), symbols_(symbols), builder_(entry.getContext()) {}

  LogicalResult build() {
    Block& block = entry_.getBody().front();
    collectOutputs(block.getTerminator());
    collectParts(block);
    collectRenamedOutputs(block.getTerminator());
    for (const BlockArgument argument : block.getArguments()) buffers_[argument] = argument;
    for (Operation& op : llvm::make_early_inc_range(block.without_terminator())) {
      builder_.setInsertionPoint(&op);
      if (failed(convert(&op))) return failure();
    }
    // Not sooner: the operators are asked for the tensors they work on.
    for (BlockArgument argument : block.getArguments())
      argument.setType(bufferType(argument.getType()));
    Operation* terminator = block.getTerminator();
    builder_.setInsertionPoint(terminator);
    SmallVector<Type> resultTypes;
    for (OpOperand& operand : terminator->getOpOperands()) {
      operand.set(ownedOutput(buffers_.lookup(operand.get()), operand.getOperandNumber()));
      resultTypes.push_back(operand.get().getType());
    }
    entry_.setFunctionType(builder_.getFunctionType(block.getArgumentTypes(), resultTypes));
    for (Operation* op : llvm::reverse(converted_)) op->erase();
    for (auto global : llvm::make_early_inc_range(entry_.getOps<ir::GlobalOp>())) {
      if (global.use_empty()) global.erase();  // The shape of a reshape, say.
    }
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

  /// What becomes an output under another type is computed there, unless a concatenation has it.
  void collectRenamedOutputs(Operation* terminator) {
    for (const Value output : terminator->getOperands()) {
      if (outputs_.lookup(output) < 0) continue;
      const Value root = ir::placeableValue(output);
      if (root && root != output) parts_.try_emplace(root, Part{.whole = output, .offset = 0});
    }
  }

  /// The first concatenation that reads a value decides where it lives.
  void collectParts(Block& block) {
    for (auto concat : block.getOps<ir::ConcatOp>()) {
      const auto offsets = ir::contiguousParts(concat);
      if (!offsets || backend_api::ownerOf(concat)) continue;
      for (auto [operand, offset] : llvm::zip_equal(concat.getInputs(), *offsets)) {
        if (const Value part = ir::placeableValue(operand))
          parts_.try_emplace(part, Part{.whole = concat, .offset = offset});
      }
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
    if (backend_api::ownerOf(op))
      return op->emitError() << "has no place in a host program: its region was not made";
    if (isa<ir::CopyOp>(op)) return convertCopy(op), success();
    if (ir::isRename(op)) {
      if (buffers_.contains(op->getResult(0)))
        return success();  // What it names is computed there.
      buffers_[op->getResult(0)] = viewOf(op->getOperand(0), op->getResult(0), /*offset=*/0);
      return success();
    }
    const auto offsets = ir::contiguousParts(op);
    if (op->getNumRegions() > 0)
      return op->emitError() << op->getName().stripDialect()
                             << " chooses or repeats at run time, which no target takes; "
                             << "--targets reference evaluates it";
    if (!offsets)
      return op->emitError() << "has no place in a host program: it is in no region and no view";
    if (auto concat = dyn_cast<ir::ConcatOp>(op)) {
      convertConcat(concat, *offsets);
    } else {
      for (auto [result, offset] : llvm::zip_equal(op->getResults(), *offsets))
        buffers_[result] = viewOf(op->getOperand(0), result, offset);
    }
    return success();
  }

  /// Parts that no region computes in place are copied.
  void convertConcat(ir::ConcatOp concat, ArrayRef<int64_t> offsets) {
    memoryOf(concat);
    for (auto [operand, offset] : llvm::zip_equal(concat.getInputs(), offsets)) {
      const Value value = ir::placeableValue(operand);
      const Part part = value ? parts_.lookup(value) : Part();
      if (part.whole == concat.getResult() && part.offset == offset) continue;
      builder_.create<ir::CopyBufferOp>(concat.getLoc(), buffers_.lookup(operand),
                                        viewOf(concat, operand, offset));
    }
  }

  /// The buffer of `value` as a part of the buffer of `whole`.
  Value viewOf(Value whole, Value value, int64_t offset) {
    return builder_.create<ir::ViewOp>(value.getLoc(), bufferType(value.getType()),
                                       buffers_.lookup(whole), offset);
  }

  /// The buffer into which `value` is computed; made when it is asked for first.
  Value memoryOf(Value value) {
    if (const Value known = buffers_.lookup(value)) return known;
    Value buffer;
    if (const Part part = parts_.lookup(value); part.whole) {
      memoryOf(part.whole);
      buffer = viewOf(part.whole, value, part.offset);
    } else {
      const auto it = outputs_.find(value);
      const bool isOutput = it != outputs_.end() && it->second >= 0;
      const auto type = cast<RankedTensorType>(value.getType());
      buffer = builder_.create<ir::AllocOp>(
          value.getLoc(), bufferType(type), /*offset=*/IntegerAttr(),
          builder_.getI64IntegerAttr(ir::physicalSizeBytes(type)),
          isOutput ? builder_.getI64IntegerAttr(it->second) : IntegerAttr());
    }
    buffers_[value] = buffer;
    return buffer;
  }

  /// Of a `tsr.copy`, or of a call of a region that is one. A constant is there from the beginning.
  void convertCopy(Operation* op) {
    const Value source = buffers_.lookup(op->getOperand(0)), result = op->getResult(0);
    auto global = source.getDefiningOp<ir::GlobalOp>();
    if (!global || outputs_.contains(result) || parts_.contains(result)) {
      builder_.create<ir::CopyBufferOp>(op->getLoc(), source, memoryOf(result));
      return;
    }
    const ir::BufferType type = bufferType(result.getType());
    Value& placed = placed_[{global.getValue(), type}];
    if (!placed) placed = builder_.create<ir::GlobalOp>(global.getLoc(), type, global.getValue());
    buffers_[result] = placed;
  }

  LogicalResult convertCall(func::CallOp call) {
    if (copyOf(symbols_.lookup<func::FuncOp>(call.getCallee())))
      return convertCopy(call), success();
    SmallVector<Value> inputs, results;
    for (const Value operand : call.getOperands()) inputs.push_back(buffers_.lookup(operand));
    for (const Value result : call.getResults()) results.push_back(memoryOf(result));
    builder_.create<ir::CallOp>(call.getLoc(), call.getCalleeAttr(), inputs, results,
                                workspaceOf(call), /*waits=*/DenseI32ArrayAttr(),
                                /*signal=*/IntegerAttr());
    return success();
  }

  /// Scratch memory for whichever implementation of the region runs; null when none asks for any.
  Value workspaceOf(func::CallOp call) {
    int64_t bytes = 0;
    const auto region = symbols_.lookup<func::FuncOp>(call.getCallee());
    const auto implementations =
        region ? region->getAttrOfType<ArrayAttr>(kImplementations) : ArrayAttr();
    if (!implementations) return {};
    for (const auto implementation : implementations.getAsRange<ir::ImplementationAttr>())
      bytes = std::max(bytes, implementation.getWorkspaceBytes());
    if (bytes == 0) return {};
    const auto type =
        RankedTensorType::get({bytes}, builder_.getIntegerType(8, /*isSigned=*/false));
    return builder_.create<ir::AllocOp>(call.getLoc(), bufferType(type), /*offset=*/IntegerAttr(),
                                        builder_.getI64IntegerAttr(bytes),
                                        /*output=*/IntegerAttr());
  }

  func::FuncOp entry_;
  const SymbolTable& symbols_;
  OpBuilder builder_;
  DenseMap<Value, Value> buffers_;
  DenseMap<Value, int64_t> outputs_;
  DenseMap<Value, Part> parts_;
  DenseMap<std::pair<Attribute, Type>, Value> placed_;  ///< Constants of other spaces.
  SmallVector<Operation*> converted_;
};

struct BuildHostProgram : impl::BuildHostProgramPassBase<BuildHostProgram> {
  void runOnOperation() override {
    auto entry = ir::entryFunction(getOperation());
    if (!entry) return;
    if (failed(HostProgram(entry, SymbolTable(getOperation())).build())) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::codegen
