#include "compiler/ir/spec/window.h"

namespace tessera::ir::spec {

static llvm::SmallVector<int64_t> valuesOr(std::optional<llvm::ArrayRef<int64_t>> given,
                                           size_t count, int64_t fallback) {
  if (!given || given->empty()) return llvm::SmallVector<int64_t>(count, fallback);
  return llvm::to_vector(*given);
}

WindowAttributes windowAttributes(WindowOpInterface op, size_t rank) {
  const AutoPad autoPad = op.getAutoPad();
  llvm::SmallVector<int64_t> pads = valuesOr(op.getPads(), 2 * rank, 0);
  if (autoPad != AutoPad::NotSet) pads.assign(2 * rank, 0);
  return {.autoPad = autoPad,
          .roundsUp = op.getCeilMode() != 0,
          .strides = valuesOr(op.getStrides(), rank, 1),
          .dilations = valuesOr(op.getDilations(), rank, 1),
          .padsBegin = llvm::to_vector(llvm::ArrayRef(pads).take_front(rank)),
          .padsEnd = llvm::to_vector(llvm::ArrayRef(pads).drop_front(rank))};
}

WindowAttributes windowAttributes(WindowOpInterface op) {
  const auto x = llvm::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  return windowAttributes(op, static_cast<size_t>(x.getRank()) - 2);
}

TransposedAttributes transposedAttributes(ConvTransposeOp op) {
  WindowAttributes window = windowAttributes(op);
  const size_t rank = window.rank();
  return {std::move(window), valuesOr(op.getOutputPadding(), rank, 0),
          llvm::to_vector(op.getOutputShape().value_or(llvm::ArrayRef<int64_t>()))};
}

}  // namespace tessera::ir::spec
