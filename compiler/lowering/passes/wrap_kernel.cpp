#include "compiler/lowering/passes.h"

#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/passes/hoist_requirements.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_WRAPKERNELPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct WrapKernel : impl::WrapKernelPassBase<WrapKernel> {
  void runOnOperation() override;
};

}  // namespace

static FailureOr<SmallVector<MemRefType>> bufferTypes(func::FuncOp function, ArrayRef<Type> types) {
  SmallVector<MemRefType> buffers;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getElementType().isInteger(1)) {
      return function.emitError(
                 "a kernel takes and returns ranked tensors without i1 elements, found ")
             << type;
    }
    buffers.push_back(MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  return buffers;
}

// The '?' sizes of a result, computed from the inputs where the operators tell how, before the
// result itself.
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

// Destines `result` for `destination`. Reshapes of the result become reshapes of the destination,
// which is contiguous: what computes the value before the reshape then writes straight into it.
static void writeResult(OpBuilder& b, Location loc, Value result, Value destination,
                        Operation* kernelReturn) {
  b.setInsertionPointAfterValue(destination);
  for (;;) {
    if (auto expand = result.getDefiningOp<tensor::ExpandShapeOp>()) {
      destination =
          b.create<memref::CollapseShapeOp>(loc, destination, expand.getReassociationIndices());
      result = expand.getSrc();
    } else if (auto collapse = result.getDefiningOp<tensor::CollapseShapeOp>();
               collapse && collapse.getSrcType().hasStaticShape()) {
      auto type =
          MemRefType::get(collapse.getSrcType().getShape(), collapse.getSrcType().getElementType());
      destination = b.create<memref::ExpandShapeOp>(loc, type, destination,
                                                    collapse.getReassociationIndices());
      result = collapse.getSrc();
    } else {
      break;
    }
  }
  b.setInsertionPoint(kernelReturn);
  auto write = b.create<bufferization::MaterializeInDestinationOp>(loc, result, destination);
  write.setRestrict(true);
  write.setWritable(true);
}

// Destines each result for its output; `types` are those of the outputs.
static void writeResults(KernelFunction& kernel, ArrayRef<Value> results,
                         ArrayRef<MemRefType> types) {
  OpBuilder b = kernel.bodyBuilder();
  const Location loc = kernel.function.getLoc();
  Operation* kernelReturn = kernel.function.getBody().front().getTerminator();
  // The '?' sizes of results are resolved to the inputs' sizes first; meanwhile the return holds on
  // to all that is needed.
  SmallVector<Value> held;
  for (auto [result, output] : llvm::zip_equal(results, kernel.outputs)) {
    held.push_back(result);
    if (output) {
      held.push_back(output);
    } else {
      held.append(dynamicSizes(b, loc, result));
    }
  }
  kernelReturn->insertOperands(1, held);
  resolveDims(kernel.function);
  held = llvm::to_vector(kernelReturn->getOperands().drop_front());
  kernelReturn->eraseOperands(1, held.size());

  Operation* lastRequirement = hoistRequirements(kernel.function);
  auto next = held.begin();
  for (auto [i, type] : llvm::enumerate(types)) {
    const Value result = *next++;
    if (type.hasStaticShape()) {
      writeResult(b, loc, result, *next++, kernelReturn);
      continue;
    }
    const SmallVector<Value> sizes(next, next + type.getNumDynamicDims());
    next += sizes.size();
    Operation* latest = lastRequirement;
    for (const Value size : sizes) {
      hoistToDefinitions(size);
      Operation* definition = size.getDefiningOp();
      if (!latest || latest->isBeforeInBlock(definition)) latest = definition;
    }
    b.setInsertionPointAfter(latest);
    writeResult(b, loc, result, buildAllocOutput(b, loc, kernel.function, i, type, sizes),
                kernelReturn);
  }
}

static LogicalResult wrap(ModuleOp module, func::FuncOp original) {
  const FunctionType type = original.getFunctionType();
  auto inputs = bufferTypes(original, type.getInputs());
  auto outputs = bufferTypes(original, type.getResults());
  if (failed(inputs) || failed(outputs)) return failure();
  if (!original.getBody().hasOneBlock()) return original.emitError("a kernel has one block");
  const std::string name = original.getName().str();
  original.setName(name + "_tensors");
  KernelFunction kernel =
      createKernelFunction(module, name, {.inputs = *inputs, .outputs = *outputs});
  OpBuilder b = kernel.bodyBuilder();
  const Location loc = original.getLoc();

  Block& body = original.getBody().front();
  SmallVector<Value> arguments;
  for (const Value input : kernel.inputs)
    arguments.push_back(b.create<bufferization::ToTensorOp>(loc, input, /*restrict=*/true));
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
  writeResults(kernel, results, *outputs);
  return success();
}

void WrapKernel::runOnOperation() {
  SmallVector<func::FuncOp> functions;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isPublic() && !function.isDeclaration() && !function->hasAttr(kKernelAttr))
      functions.push_back(function);
  }
  for (const func::FuncOp function : functions) {
    if (failed(wrap(getOperation(), function))) return signalPassFailure();
  }
}

}  // namespace tessera::lowering
