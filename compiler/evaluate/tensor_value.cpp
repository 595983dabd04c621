#include "compiler/evaluate/tensor_value.h"

#include <cstring>

#include "compiler/evaluate/relayout.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"

using namespace mlir;

namespace tessera::evaluate {

TensorValue shareTensor(reference::Tensor tensor) {
  auto owner = std::make_shared<const reference::Tensor>(std::move(tensor));
  return {.type = owner->type(), .shape = owner->shape(), .data = owner->data(), .owner = owner};
}

reference::Tensor copyTensor(const TensorValue& value) {
  reference::Tensor copy(value.type, value.shape);
  if (copy.sizeBytes() > 0) std::memcpy(copy.data(), value.data, copy.sizeBytes());
  return copy;
}

Result<TensorValue> constantTensor(ir::ConstantOp constant) {
  const auto type = cast<RankedTensorType>(constant.getType());
  const ir::Blob blob = ir::constantBytes(constant.getValue(), type, constant.getContext());
  if (static_cast<int64_t>(blob.bytes.size()) != ir::physicalSizeBytes(type)) {
    return invalidInput("the bytes of a constant are missing from the constant store");
  }
  TensorValue value{.type = ir::toElementType(type.getElementType()),
                    .shape = type.getShape().vec(),
                    .data = blob.bytes.data(),
                    .owner = blob.owner};
  const size_t alignment = elementSizeBytes(value.type);
  const bool isAligned = reinterpret_cast<uintptr_t>(value.data) % alignment == 0;
  const ir::LayoutAttr layout = ir::layoutOf(type);
  if (isAligned && (!layout || layout.isPlainOrder())) return value;
  const ir::Blob plain = relayoutBlob(blob.bytes, type, ir::withoutLayout(type));
  value.data = plain.bytes.data();
  value.owner = plain.owner;
  return value;
}

std::optional<TensorValue> constantTensor(Value value) {
  auto constant = value ? value.getDefiningOp<ir::ConstantOp>() : ir::ConstantOp();
  if (!constant) return std::nullopt;
  Result<TensorValue> tensor = constantTensor(constant);
  if (!tensor) return std::nullopt;
  return std::move(tensor).value();
}

ir::ConstantOp createConstant(OpBuilder& builder, Location loc, RankedTensorType type,
                              reference::Tensor tensor) {
  const RankedTensorType plain = ir::withoutLayout(type);
  ir::Blob blob;
  if (ir::physicalType(type) == plain) {
    const auto owner = std::make_shared<const reference::Tensor>(std::move(tensor));
    blob = {.bytes = {static_cast<const std::byte*>(owner->data()), owner->sizeBytes()},
            .owner = owner};
  } else {
    const std::span bytes(static_cast<const std::byte*>(tensor.data()), tensor.sizeBytes());
    blob = relayoutBlob(bytes, plain, type);
  }
  return ir::createConstant(builder, loc, type, std::move(blob));
}

ir::ConstantOp createConstant(OpBuilder& builder, Location loc, reference::Tensor tensor) {
  const auto type =
      RankedTensorType::get(tensor.shape(), ir::toMlir(builder.getContext(), tensor.type()));
  return createConstant(builder, loc, type, std::move(tensor));
}

}  // namespace tessera::evaluate
