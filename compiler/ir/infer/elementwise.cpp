// Elementwise operators and numpy broadcasting.
#include "compiler/ir/infer/common.h"

namespace tessera::ir {

mlir::LogicalResult inferSameAsFirst(mlir::Operation* op, Types& types) {
  const mlir::RankedTensorType type = operandType(op, 0);
  return appendResult(op, type.getElementType(), dimsOf(type), types);
}

/// Appends a result of `element` with the broadcast shape of all operands.
static mlir::LogicalResult broadcastAll(mlir::Operation* op, llvm::StringRef label,
                                        mlir::Type element, Types& types) {
  Dims shape = operandDims(op, 0);
  for (unsigned i = 1; i < op->getNumOperands(); ++i) {
    const Dims next = operandDims(op, i);
    const std::optional<Dims> both = broadcastShapes(shape, next);
    if (!both)
      return op->emitOpError() << label << " shapes " << toText(shape) << " and " << toText(next)
                               << " do not broadcast, expected equal sizes or 1";
    shape = *both;
  }
  return appendResult(op, element, shape, types);
}

mlir::LogicalResult inferBroadcast(mlir::Operation* op, bool boolResult, Types& types) {
  if (op->getNumOperands() == 0)
    return op->emitOpError() << "(C1) has no operand, expected at least one";
  for (const mlir::Value operand : op->getOperands()) {
    if (mlir::failed(expectSameElement(op, "(C1)", op->getOperand(0), operand)))
      return mlir::failure();
  }
  const mlir::Type element = boolResult ? mlir::IntegerType::get(op->getContext(), 1)
                                        : operandType(op, 0).getElementType();
  return broadcastAll(op, "(C2)", element, types);
}

static mlir::LogicalResult inferPredicate(mlir::Operation* op, Types& types) {
  return appendResult(op, mlir::IntegerType::get(op->getContext(), 1), operandDims(op, 0), types);
}
mlir::LogicalResult IsNanOp::inferTypes(Types& types) { return inferPredicate(*this, types); }
mlir::LogicalResult IsInfOp::inferTypes(Types& types) { return inferPredicate(*this, types); }

mlir::LogicalResult CastOp::inferTypes(Types& types) {
  const auto number = static_cast<int64_t>(getTo());
  const mlir::Type element = number >= 0 && number <= 255
                                 ? toMlir(getContext(), static_cast<ElementType>(number))
                                 : mlir::Type();
  if (!element)
    return emitOpError() << "(C1) to is " << number << ", expected an element type of the dialect";
  return appendResult(*this, element, operandDims(*this, 0), types);
}

mlir::LogicalResult PowOp::inferTypes(Types& types) {
  return broadcastAll(*this, "(C1)", operandType(*this, 0).getElementType(), types);
}

mlir::LogicalResult BitShiftOp::inferTypes(Types& types) {
  if (mlir::failed(expectWord<ShiftDirection>(*this, "(C3)", "direction", getDirectionAttr())))
    return mlir::failure();
  return inferBroadcast(*this, /*boolResult=*/false, types);
}

mlir::LogicalResult PreluOp::inferTypes(Types& types) {
  const Dims shape = operandDims(*this, 0);
  if (mlir::failed(expectSameElement(*this, "(C1)", getX(), getSlope()))) return mlir::failure();
  const Dims slope = operandDims(*this, 1);
  const std::optional<Dims> both = broadcastShapes(shape, slope);
  const bool keepsShape = both && both->size() == shape.size() &&
                          llvm::all_of(llvm::zip(shape, *both), [](const auto& pair) {
                            return mergeDims(std::get<0>(pair), std::get<1>(pair)).has_value();
                          });
  if (!keepsShape)
    return emitOpError() << "(C2) slope has shape " << toText(slope)
                         << ", expected one that broadcasts to " << toText(shape);
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult WhereOp::inferTypes(Types& types) {
  if (mlir::failed(expectSameElement(*this, "(C1)", getX(), getY()))) return mlir::failure();
  return broadcastAll(*this, "(C2)", typeOf(getX()).getElementType(), types);
}

mlir::LogicalResult ClipOp::inferTypes(Types& types) {
  for (const mlir::Value bound : {getMin(), getMax()}) {
    if (!bound) continue;
    if (mlir::failed(expectSameElement(*this, "(C1)", getInput(), bound))) return mlir::failure();
    if (!isScalarLike(typeOf(bound)))
      return emitOpError() << "(C1) a bound has shape " << toText(dimsOf(typeOf(bound)))
                           << ", expected a scalar";
  }
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult GeluOp::inferTypes(Types& types) {
  if (mlir::failed(
          expectWord<GeluApproximation>(*this, "(C1)", "approximate", getApproximateAttr())))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

}  // namespace tessera::ir
