// Elementwise operators with numpy broadcasting, and those that are elementwise but for their
// parameters.
#include <cmath>

#include "backends/native/compiler/kernel/broadcast.h"
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/kernel/emit_scalar.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tessera::backend_native {

using namespace mlir;

/// Whether an operand of a result whose last block is padded has one element for all channels: it
/// need not be finite, as padding must stay.
static bool isForPaddingToo(Value operand, RankedTensorType result) {
  const ir::LayoutAttr layout = ir::layoutOf(result);
  if (!layout || layout.getBlockDims() != ArrayRef<int64_t>{1} ||
      result.getDimSize(1) % layout.getBlockSizes()[0] == 0 || !ir::isPlain(typeOf(operand)))
    return false;
  const auto known = ir::constantScalar(operand);
  return !known || !std::isfinite(*known);
}

/// Whether the channel at the loops' place is none of the padding's.
static Condition isChannel(KernelBuilder& b, RankedTensorType result) {
  const auto rank = static_cast<uint64_t>(result.getRank());
  const Value block = b.create<linalg::IndexOp>(uint64_t{1}),
              lane = b.create<linalg::IndexOp>(rank);
  const int64_t lanes = ir::layoutOf(result).getBlockSizes()[0];
  return b.less(b.term(block) * lanes + lane, result.getDimSize(1));
}

LogicalResult lowerElementwise(KernelBuilder& b, Operation* op) {
  SmallVector<BroadcastOperand> operands;
  for (const Value operand : op->getOperands()) operands.push_back(operandOf(b, operand));
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<ir::DivOp, ir::ModOp>(op) && type.getElementType().isIntOrIndex()) {
    const auto known = ir::constantInts(op->getOperand(1));
    if (!known || llvm::is_contained(*known, 0))
      requireNonZero(b, b.get(op->getOperand(1)), "an integer is divided by 0");
  }
  if (auto clip = dyn_cast<ir::ClipOp>(op)) {
    for (const Value bound : {Value(clip.getMin()), Value(clip.getMax())}) {
      if (bound) (void)onlyElement(b, bound);
    }
  }
  b.set(op->getResult(0),
        broadcast(b, operands, type, kernelElement(type.getElementType()), [&](Elements elements) {
          SmallVector<Element> own(elements);
          for (auto [element, operand] : llvm::zip_equal(own, op->getOperands())) {
            if (isForPaddingToo(operand, type)) element = select(isChannel(b, type), element, 0);
          }
          return emitScalar(b, op, own);
        }));
  return success();
}

LogicalResult lowerDropout(KernelBuilder& b, Operation* op) {
  auto dropout = cast<ir::DropoutOp>(op);
  const Value data = b.get(dropout.getData());
  b.set(dropout.getOutput(), data);
  if (dropout.getMask())
    b.set(dropout.getMask(), b.filled(b.integer(b.getI1Type(), 1), b.sizes(data)));
  return success();
}

LogicalResult lowerBatchNorm(KernelBuilder& b, Operation* op) {
  auto norm = cast<ir::BatchNormOp>(op);
  const auto type = cast<RankedTensorType>(norm.getX().getType());
  const auto vector = [&](Value value) {
    if (ir::isPlain(type))
      b.requireEqual(b.size(b.get(value), 0), b.size(b.get(norm.getX()), 1),
                     "the number of channels of a parameter");
    return alongAxis(b, b.get(value), type, 1);
  };
  const BroadcastOperand operands[] = {operandOf(b, norm.getX()), vector(norm.getScale()),
                                       vector(norm.getB()), vector(norm.getInputMean()),
                                       vector(norm.getInputVar())};
  const Type element = type.getElementType();
  const double epsilon = norm.getEpsilon().convertToDouble();
  b.set(norm.getY(), broadcast(b, operands, type, element, [&](Elements v) {
          const Element &x = v[0], &scale = v[1], &bias = v[2], &mean = v[3], &variance = v[4];
          const Element factor = scale / sqrt(variance + epsilon);
          return (x - mean) * factor + bias;
        }));
  return success();
}

}  // namespace tessera::backend_native
