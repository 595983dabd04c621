// Values while a module is evaluated: row-major tensors that share their bytes.
#pragma once

#include <memory>
#include <optional>

#include "compiler/ir/tsr.h"
#include "reference/tensor.h"
#include "tessera/status.h"

namespace tessera::evaluate {

/// A read-only, row-major tensor whatever the layout of the type it stands for.
struct TensorValue {
  ElementType type = ElementType::kUndefined;
  reference::Shape shape;
  const void* data = nullptr;
  /// Shared by all values with these bytes: a tensor made here, or a blob of the constant store.
  std::shared_ptr<const void> owner;

  /// Valid as long as this object.
  reference::TensorView view() const { return {.type = type, .shape = shape, .data = data}; }
};

TensorValue shareTensor(reference::Tensor tensor);
/// A tensor of its own with the same elements.
reference::Tensor copyTensor(const TensorValue& value);

/// The value of a constant: a view of the store's bytes unless they are in another physical order
/// or not aligned to their element size. Errors: the store lacks the bytes.
Result<TensorValue> constantTensor(ir::ConstantOp constant);
/// As above for whatever defines `value`; nothing when that is no constant, or one without bytes.
std::optional<TensorValue> constantTensor(mlir::Value value);

/// Row-major elements as a constant of `type`, in the physical order of `type`; shape and element
/// type agree.
ir::ConstantOp createConstant(mlir::OpBuilder& builder, mlir::Location loc,
                              mlir::RankedTensorType type, reference::Tensor tensor);
/// As above; the type follows from the tensor.
ir::ConstantOp createConstant(mlir::OpBuilder& builder, mlir::Location loc,
                              reference::Tensor tensor);

}  // namespace tessera::evaluate
