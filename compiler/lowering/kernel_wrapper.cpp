#include "compiler/lowering/kernel_wrapper.h"

#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class WrapKernelPass : public PassWrapper<WrapKernelPass, OperationPass<ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrapKernelPass)
  StringRef getArgument() const override { return "tessera-wrap-kernel"; }
  StringRef getDescription() const override { return "give tensor functions the kernel ABI"; }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<LLVM::LLVMDialect, bufferization::BufferizationDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override;
};

}  // namespace

static FailureOr<SmallVector<MemRefType>> bufferTypes(func::FuncOp function, ArrayRef<Type> types) {
  SmallVector<MemRefType> buffers;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getElementType().isInteger(1)) {
      return function.emitError("a kernel takes and returns ranked tensors without i1 elements, found ") << type;
    }
    buffers.push_back(MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  return buffers;
}

// Dimension queries on `value` and what they need move as early as their operands allow, so that the memory of a
// result exists before the loops that compute it.
static void hoistToDefinitions(Value value) {
  Operation* op = value.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() > 0) return;
  for (Value operand : op->getOperands()) hoistToDefinitions(operand);
  Operation* latest = nullptr;
  for (Value operand : op->getOperands()) {
    Operation* definition = operand.getDefiningOp();
    if (!definition || definition->getBlock() != op->getBlock()) continue;
    if (!latest || latest->isBeforeInBlock(definition)) latest = definition;
  }
  if (latest) {
    if (op->getPrevNode() != latest) op->moveAfter(latest);
  } else {
    op->moveBefore(&op->getBlock()->front());
  }
}

// The '?' sizes of a result, computed from the inputs where the operators tell how, before the result itself.
static SmallVector<Value> dynamicSizes(OpBuilder& b, Location loc, Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (type.isDynamicDim(d)) sizes.push_back(b.create<tensor::DimOp>(loc, result, d));
  }
  return sizes;
}

static void resolveDims(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, function.getContext());
  (void)applyPatternsAndFoldGreedily(function, std::move(patterns));
}

static LogicalResult wrap(ModuleOp module, func::FuncOp original) {
  FunctionType type = original.getFunctionType();
  auto inputs = bufferTypes(original, type.getInputs());
  auto outputs = bufferTypes(original, type.getResults());
  if (failed(inputs) || failed(outputs)) return failure();
  if (!original.getBody().hasOneBlock()) return original.emitError("a kernel has one block");
  std::string name = original.getName().str();
  original.setName(name + "_tensors");
  KernelFunction kernel = createKernelFunction(module, name, {*inputs, *outputs});
  OpBuilder b = kernel.bodyBuilder();
  Location loc = original.getLoc();

  Block& body = original.getBody().front();
  SmallVector<Value> arguments;
  for (Value input : kernel.inputs) arguments.push_back(b.create<bufferization::ToTensorOp>(loc, input, /*restrict=*/true));
  auto returnOp = cast<func::ReturnOp>(body.getTerminator());
  SmallVector<Value> results = llvm::to_vector(returnOp.getOperands());
  Block& entry = kernel.function.getBody().front();
  Operation* kernelReturn = entry.getTerminator();
  returnOp->erase();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments)) {
    for (Value& result : results) {
      if (result == argument) result = value;
    }
    argument.replaceAllUsesWith(value);
  }
  entry.getOperations().splice(kernelReturn->getIterator(), body.getOperations());
  original.erase();

  // Sizes first, kept alive with the result by a marker while they are resolved to the inputs' sizes; then memory; then the writes.
  b.setInsertionPoint(kernelReturn);
  SmallVector<Operation*> markers;
  for (auto [result, output] : llvm::zip_equal(results, kernel.outputs)) {
    SmallVector<Value> marked = {result};
    if (!output) marked.append(dynamicSizes(b, loc, result));
    markers.push_back(b.create<UnrealizedConversionCastOp>(loc, b.getIndexType(), marked));
  }
  resolveDims(kernel.function);
  for (auto [i, output] : llvm::enumerate(kernel.outputs)) {
    Value destination = output;
    if (!output) {
      ValueRange sizes = markers[i]->getOperands().drop_front();
      Operation* latest = nullptr;
      for (Value size : sizes) {
        hoistToDefinitions(size);
        Operation* definition = size.getDefiningOp();
        if (definition && (!latest || latest->isBeforeInBlock(definition))) latest = definition;
      }
      b.setInsertionPointAfter(latest);
      destination = buildAllocOutput(b, loc, kernel.function, i, (*outputs)[i], sizes);
    }
    b.setInsertionPoint(kernelReturn);
    b.create<bufferization::MaterializeInDestinationOp>(loc, Type(), markers[i]->getOperand(0), destination, /*restrict=*/true,
                                                        /*writable=*/true);
    markers[i]->erase();
  }
  return success();
}

void WrapKernelPass::runOnOperation() {
  SmallVector<func::FuncOp> functions;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isPublic() && !function.isDeclaration() && !function->hasAttr(kKernelAttr)) functions.push_back(function);
  }
  for (func::FuncOp function : functions) {
    if (failed(wrap(getOperation(), function))) return signalPassFailure();
  }
}

std::unique_ptr<Pass> createWrapKernelPass() { return std::make_unique<WrapKernelPass>(); }

}  // namespace tessera::lowering
