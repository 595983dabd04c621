// Constants and composites.
#include "backends/native/compiler/channel_shuffle.h"
#include "backends/native/compiler/contraction/attention_plan.h"
#include "backends/native/compiler/kernel/emit_scalar.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"

namespace tessera::backend_native {

using namespace mlir;

LogicalResult lowerConstant(KernelBuilder& b, Operation* op) {
  auto constant = cast<ir::ConstantOp>(op);
  const std::optional<ir::Blob> blob = ir::constantBytes(op->getResult(0));
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const RankedTensorType memory = kernelType(type);
  if (!blob || static_cast<int64_t>(blob->bytes.size()) != ir::physicalSizeBytes(type))
    return op->emitError("the bytes of this constant are missing");
  DenseElementsAttr value;
  if (memory.getElementType().isInteger(1)) {
    SmallVector<bool> bits;
    for (const std::byte byte : blob->bytes) bits.push_back(byte != std::byte{0});
    value = DenseElementsAttr::get(memory, ArrayRef<bool>(bits));
  } else {
    const ArrayRef<char> raw(reinterpret_cast<const char*>(blob->bytes.data()), blob->bytes.size());
    value = DenseElementsAttr::getFromRawBuffer(memory, raw);
  }
  b.set(constant.getOutput(), b.constant(value));
  return success();
}

LogicalResult lowerComposite(KernelBuilder& b, Operation* op) {
  Block& body = op->getRegion(0).front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands()))
    b.set(argument, b.get(operand));
  for (Operation& inner : body.without_terminator()) {
    if (failed(lowerOperation(b, &inner))) return failure();
  }
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    b.set(result, b.get(value));
  return success();
}

/// A composite stays together where its loops gain from that. Products run better alone, and
/// elementwise operators fuse with more than themselves.
std::optional<std::string> refuseComposite(Operation* op) {
  if (cast<ir::CompositeOp>(op).getName() == kAttentionComposite) {
    const auto plan = planAttention(op->getRegion(0).front());
    const auto* declined = std::get_if<backend_api::Declined>(&plan);
    return declined ? std::optional(declined->reason) : std::nullopt;
  }
  if (cast<ir::CompositeOp>(op).getName() == kShuffleComposite) return std::nullopt;
  bool isElementwise = true;
  for (Operation& inner : op->getRegion(0).front().without_terminator()) {
    if (isContraction(&inner)) return "its products are kernels of their own";
    isElementwise &= isa<ir::ConstantOp>(inner) || isScalarOp(&inner);
  }
  if (isElementwise) return "its elementwise operators are fused one by one";
  for (Operation& inner : op->getRegion(0).front().without_terminator()) {
    if (auto reason = whyDeclined(&inner)) return reason;
  }
  return std::nullopt;
}

}  // namespace tessera::backend_native
