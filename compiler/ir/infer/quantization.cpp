// Linear quantisation.
#include "compiler/ir/infer/common.h"

namespace tessera::ir {

/// The dialect's type for an ONNX element type number; `fallback` for 0, null for types it does not
/// have.
static mlir::Type elementOf(mlir::MLIRContext* context, int64_t number, mlir::Type fallback) {
  if (number == 0) return fallback;
  return number > 0 && number <= 255 ? toMlir(context, static_cast<ElementType>(number))
                                     : mlir::Type();
}

/// (C1), (C2): the parameter is one number, one for each slice of the axis, or one for each block
/// of it.
static mlir::LogicalResult checkParameter(mlir::Operation* op, mlir::Value parameter,
                                          llvm::StringRef name, int64_t axis, int64_t blockSize) {
  const Dims x = operandDims(op, 0);
  const Dims found = dimsOf(typeOf(parameter));
  const bool isScalar = found.empty() || (found.size() == 1 && found[0].is(1));
  if (isScalar && blockSize == 0) return mlir::success();
  const std::optional<int64_t> place =
      normalizeAxis(op, "(C2)", axis, static_cast<int64_t>(x.size()));
  if (!place) return mlir::failure();
  if (blockSize == 0) return expectDims(op, "(C1)", parameter, name, x[*place]);
  if (blockSize < 0 || blockSize > kMaxExtent)
    return op->emitOpError() << "(C1) block_size is " << blockSize
                             << ", expected a value in [0, 2^30]";
  Dims expected = x;
  Dim& blocks = expected[*place];
  if (blocks.isStatic())
    blocks.size = blocks.size / blockSize + (blocks.size % blockSize != 0 ? 1 : 0);
  else
    blocks = Dim{};
  return expectDims(op, "(C1)", parameter, name, expected);
}

/// The scale and, where present, the zero point.
static mlir::LogicalResult checkParameters(mlir::Operation* op, mlir::Value scale,
                                           mlir::Value zeroPoint, int64_t axis, int64_t blockSize) {
  if (mlir::failed(checkParameter(op, scale, "scale", axis, blockSize))) return mlir::failure();
  return zeroPoint ? checkParameter(op, zeroPoint, "zero point", axis, blockSize) : mlir::success();
}

mlir::LogicalResult QuantizeLinearOp::inferTypes(Types& types) {
  if (mlir::failed(checkParameters(*this, getYScale(), getYZeroPoint(),
                                   static_cast<int64_t>(getAxis()),
                                   static_cast<int64_t>(getBlockSize()))))
    return mlir::failure();
  const auto dtype = static_cast<int64_t>(getOutputDtype());
  mlir::Type element = elementOf(getContext(), dtype, toMlir(getContext(), ElementType::kU8));
  if (getYZeroPoint()) {
    const mlir::Type zeroPoint = typeOf(getYZeroPoint()).getElementType();
    if (dtype != 0 && element != zeroPoint)
      return emitOpError() << "(C3) output_dtype is " << dtype
                           << " and the zero point has element type " << zeroPoint
                           << ", expected the same";
    element = zeroPoint;
  }
  if (!element)
    return emitOpError() << "(C3) output_dtype is " << dtype
                         << ", expected an integer type of the dialect";
  return appendResult(*this, element, operandDims(*this, 0), types);
}

mlir::LogicalResult DequantizeLinearOp::inferTypes(Types& types) {
  if (mlir::failed(checkParameters(*this, getXScale(), getXZeroPoint(),
                                   static_cast<int64_t>(getAxis()),
                                   static_cast<int64_t>(getBlockSize()))))
    return mlir::failure();
  const auto dtype = static_cast<int64_t>(getOutputDtype());
  const mlir::Type element = elementOf(getContext(), dtype, typeOf(getXScale()).getElementType());
  if (!element || !llvm::isa<mlir::FloatType>(element))
    return emitOpError() << "(C3) output_dtype is " << dtype
                         << ", expected a floating-point type of the dialect";
  if (getXZeroPoint() && mlir::failed(expectSameElement(*this, "(C3)", getX(), getXZeroPoint())))
    return mlir::failure();
  return appendResult(*this, element, operandDims(*this, 0), types);
}

mlir::LogicalResult DynamicQuantizeLinearOp::inferTypes(Types& types) {
  const mlir::Type quantized = toMlir(getContext(), ElementType::kU8);
  if (mlir::failed(appendResult(*this, quantized, operandDims(*this, 0), types)) ||
      mlir::failed(appendResult(*this, mlir::Float32Type::get(getContext()), {}, types)))
    return mlir::failure();
  return appendResult(*this, quantized, {}, types);
}

}  // namespace tessera::ir
