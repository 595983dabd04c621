#include "backends/native/compiler/contraction/split_region.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/contraction/channel_moves.h"
#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::backend_native {

using namespace mlir;

ir::SplitOp splitOfChannels(func::FuncOp region, int64_t lanes) {
  ir::SplitOp split;
  for (Operation& op : region.getBody().front().without_terminator()) {
    if (isa<ir::ConstantOp>(op)) continue;
    if (split || !isa<ir::SplitOp>(op)) return {};
    split = cast<ir::SplitOp>(op);
  }
  if (!split || !isa<BlockArgument>(split.getInput())) return {};
  const auto x = cast<RankedTensorType>(split.getInput().getType());
  const auto isPart = [&](Value result) {
    const auto y = cast<RankedTensorType>(result.getType());
    return result.getDefiningOp() == split && isBlockedAlong(y, 1, lanes) &&
           y.getDimSize(0) == x.getDimSize(0) &&
           channelMovesOf(split, cast<OpResult>(result).getResultNumber());
  };
  const auto results = region.getBody().front().getTerminator()->getOperands();
  return isBlockedAlong(x, 1, lanes) && llvm::all_of(results, isPart) ? split : ir::SplitOp();
}

void emitSplitOfChannels(func::FuncOp region, ir::SplitOp split, ModuleOp kernels, StringRef name,
                         const lowering::CpuTarget& cpu) {
  const auto bufferType = [](Type type) {
    const RankedTensorType tensor = kernelType(cast<RankedTensorType>(type));
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  };
  const lowering::KernelSignature signature = {
      .inputs = llvm::map_to_vector(region.getArgumentTypes(), bufferType),
      .outputs = llvm::map_to_vector(region.getResultTypes(), bufferType)};
  lowering::KernelFunction kernel = lowering::createKernelFunction(kernels, name, signature);
  OpBuilder b = kernel.bodyBuilder();
  const Location loc = b.getUnknownLoc();
  const Value input = kernel.inputs[cast<BlockArgument>(split.getInput()).getArgNumber()];
  const auto results = region.getBody().front().getTerminator()->getOperands();
  for (const auto& [i, result] : llvm::enumerate(results)) {
    Value output = kernel.outputs[i];
    if (!output) {
      const Value images = b.create<memref::DimOp>(loc, input, 0);
      output = lowering::buildAllocOutput(b, loc, kernel.function, i, signature.outputs[i], images);
    }
    const auto moves = channelMovesOf(split, cast<OpResult>(result).getResultNumber());
    lowering::emitChannelMoves(b, loc, *moves, input, output, cpu);
  }
}

}  // namespace tessera::backend_native
