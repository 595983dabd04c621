// Operators that make tensors from a few numbers, order elements, or work along one axis with a
// constant of their own: constant_of_shape, range, one_hot, eye_like, trilu, cumsum,
// reverse_sequence, top_k, nonzero, dropout.
#include <cmath>

#include "compiler/ir/infer/common.h"
#include "compiler/ir/infer/known_dims.h"

namespace tessera::ir {

static mlir::Type int64Type(mlir::Operation* op) {
  return mlir::IntegerType::get(op->getContext(), 64);
}

mlir::LogicalResult ConstantOfShapeOp::inferTypes(Types& types) {
  const std::optional<Dims> shape = shapeOperand(*this, getInput(), "input");
  if (!shape) return mlir::failure();
  for (const Dim& dim : *shape) {
    if (dim.isStatic() && dim.size < 0)
      return emitOpError() << "(C3) input is " << toText(*shape) << ", expected no negative size";
  }
  mlir::Type element = mlir::Float32Type::get(getContext());
  if (getValueAttr()) {
    const auto type = llvm::dyn_cast<mlir::RankedTensorType>(getValueAttr().getType());
    if (!type || !type.hasStaticShape() || staticProduct(dimsOf(type)) != 1 ||
        toElementType(type.getElementType()) == ElementType::kUndefined)
      return emitOpError() << "(C2) value has type " << getValueAttr().getType()
                           << ", expected a tensor of one element";
    element = type.getElementType();
  }
  return appendResult(*this, element, *shape, types);
}

/// ceil((limit - start) / delta), at least 0; nothing when an operand is not known.
static std::optional<Dim> rangeLength(RangeOp op) {
  const std::optional<Dims> start = knownDims(op.getStart()), limit = knownDims(op.getLimit()),
                            delta = knownDims(op.getDelta());
  const bool isCount = start && limit && delta && start->size() == 1 && limit->size() == 1 &&
                       delta->size() == 1 && (*start)[0].is(0) && (*delta)[0].is(1);
  if (isCount && (*limit)[0].symbol) return (*limit)[0];
  const auto number = [](mlir::Value value,
                         const std::optional<Dims>& dims) -> std::optional<double> {
    if (dims && dims->size() == 1 && (*dims)[0].isStatic())
      return static_cast<double>((*dims)[0].size);
    return constantScalar(value);
  };
  const auto from = number(op.getStart(), start), to = number(op.getLimit(), limit),
             step = number(op.getDelta(), delta);
  if (!from || !to || !step || *step == 0) return std::nullopt;
  const double count = std::ceil((*to - *from) / *step);
  // Also false for not-a-number; beyond 2^52 the quotient is not exact.
  if (!(count < static_cast<double>(int64_t{1} << 52))) return std::nullopt;
  return Dim{.size = count > 0 ? static_cast<int64_t>(count) : 0};
}

mlir::LogicalResult RangeOp::inferTypes(Types& types) {
  for (const mlir::Value operand : getOperands()) {
    if (mlir::failed(expectSameElement(*this, "(C1)", getStart(), operand))) return mlir::failure();
    if (!isScalarLike(typeOf(operand)))
      return emitOpError() << "(C1) an operand has shape " << toText(dimsOf(typeOf(operand)))
                           << ", expected a scalar";
  }
  if (constantScalar(getDelta()) == 0.0)
    return emitOpError() << "(C2) delta is 0, expected another value";
  return appendResult(*this, operandType(*this, 0).getElementType(),
                      rangeLength(*this).value_or(Dim{}), types);
}

/// The axis is one of the result, which has one dimension more.
int64_t OneHotOp::getAxisRank() { return operandType(*this, 0).getRank() + 1; }

mlir::LogicalResult OneHotOp::inferTypes(Types& types) {
  Dims result = operandDims(*this, 0);
  if (!isScalarLike(typeOf(getDepth())))
    return emitOpError() << "(C1) depth has shape " << toText(operandDims(*this, 1))
                         << ", expected one element";
  if (mlir::failed(expectDims(*this, "(C2)", getValues(), "values", Dim{.size = 2})))
    return mlir::failure();
  const std::optional<int64_t> axis = normalizeAxis(*this, "(C3)", static_cast<int64_t>(getAxis()),
                                                    static_cast<int64_t>(result.size()) + 1);
  if (!axis) return mlir::failure();
  Dim depth;
  if (const std::optional<Dims> known = knownDims(getDepth()); known && known->size() == 1) {
    depth = (*known)[0];
  } else if (const std::optional<double> number = constantScalar(getDepth());
             number && std::abs(*number) < static_cast<double>(kMaxTensorBytes)) {
    depth.size = static_cast<int64_t>(*number);
  }
  if (depth.isStatic() && depth.size < 0)
    return emitOpError() << "(C1) depth is " << depth.size << ", expected 0 or more";
  result.insert(result.begin() + *axis, depth);
  return appendResult(*this, typeOf(getValues()).getElementType(), result, types);
}

mlir::LogicalResult EyeLikeOp::inferTypes(Types& types) {
  if (mlir::failed(expectRank(*this, "(C1)", getInput(), "input", 2))) return mlir::failure();
  mlir::Type element = operandType(*this, 0).getElementType();
  if (getDtype()) {
    const auto number = static_cast<int64_t>(*getDtype());
    element = number >= 0 && number <= 255 ? toMlir(getContext(), static_cast<ElementType>(number))
                                           : mlir::Type();
    if (!element)
      return emitOpError() << "(C2) dtype is " << number
                           << ", expected an element type of the dialect";
  }
  return appendResult(*this, element, operandDims(*this, 0), types);
}

mlir::LogicalResult TriluOp::inferTypes(Types& types) {
  if (operandType(*this, 0).getRank() < 2)
    return emitOpError() << "(C1) input has rank " << operandType(*this, 0).getRank()
                         << ", expected 2 or more";
  if (getK() && !isScalarLike(typeOf(getK())))
    return emitOpError() << "(C2) k has shape " << toText(dimsOf(typeOf(getK())))
                         << ", expected a scalar";
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult CumsumOp::inferTypes(Types& types) {
  if (!isScalarLike(typeOf(getAxis())))
    return emitOpError() << "(C1) axis has shape " << toText(operandDims(*this, 1))
                         << ", expected a scalar";
  const Numbers axis = knownNumbers(getAxis());
  if (axis.at(0) && !normalizeAxis(*this, "(C1)", *axis.at(0), operandType(*this, 0).getRank()))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult ReverseSequenceOp::inferTypes(Types& types) {
  const Dims input = operandDims(*this, 0);
  const auto batch = static_cast<int64_t>(getBatchAxis()),
             time = static_cast<int64_t>(getTimeAxis());
  if (input.size() < 2)
    return emitOpError() << "(C1) input has rank " << input.size() << ", expected 2 or more";
  if (batch < 0 || batch > 1 || time != 1 - batch)
    return emitOpError() << "(C1) batch_axis is " << batch << " and time_axis " << time
                         << ", expected 0 and 1 in some order";
  if (mlir::failed(expectDims(*this, "(C2)", getSequenceLens(), "sequence_lens", input[batch])))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult TopKOp::inferTypes(Types& types) {
  Dims result = operandDims(*this, 0);
  const std::optional<int64_t> axis = normalizeAxis(*this, "(C1)", static_cast<int64_t>(getAxis()),
                                                    static_cast<int64_t>(result.size()));
  if (!axis) return mlir::failure();
  if (!isScalarLike(typeOf(getK())))
    return emitOpError() << "(C2) k has shape " << toText(operandDims(*this, 1))
                         << ", expected one element";
  const std::optional<Dims> known = knownDims(getK());
  const Dim k = known && known->size() == 1 ? (*known)[0] : Dim{};
  const Dim& size = result[*axis];
  if (k.isStatic() && (k.size < 0 || (size.isStatic() && k.size > size.size)))
    return emitOpError() << "(C2) k is " << k.size << ", expected 0 to the size of the axis, "
                         << toText(size);
  result[*axis] = k;
  const mlir::LogicalResult values =
      appendResult(*this, operandType(*this, 0).getElementType(), result, types);
  return mlir::failed(values) ? values : appendResult(*this, int64Type(*this), result, types);
}

mlir::LogicalResult NonzeroOp::inferTypes(Types& types) {
  return appendResult(*this, int64Type(*this),
                      {Dim{.size = operandType(*this, 0).getRank()}, Dim{}}, types);
}

mlir::LogicalResult DropoutOp::inferTypes(Types& types) {
  const bool isTraining = getTrainingMode() && constantScalar(getTrainingMode()) != 0.0;
  if (isTraining && !(getRatio() && constantScalar(getRatio()) == 0.0)) {
    const bool isConstant = constantBytes(getTrainingMode()).has_value();
    return emitOpError() << "(C1) training_mode is " << (isConstant ? "true" : "not constant")
                         << ", which drops elements at random: expected constant false, or a "
                            "constant ratio of 0";
  }
  if (mlir::failed(inferSameAsFirst(*this, types))) return mlir::failure();
  if (!getMask()) return mlir::success();
  return appendResult(*this, mlir::IntegerType::get(getContext(), 1), operandDims(*this, 0), types);
}

}  // namespace tessera::ir
