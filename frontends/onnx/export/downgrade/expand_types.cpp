// Element types that an older opset does not take, where a wider one gives the same answer.
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/downgrade/rules.h"

using namespace mlir;

namespace tessera::onnx {

Result<bool> expandNarrowArithmetic(Expansion& e) {
  // Integers of 8 and 16 bits: in 32 bits, and the lower bits of that.
  const Type element = e.type().getElementType();
  if (!element.isInteger() || element.getIntOrFloatBitWidth() > 16) return false;
  const Type wide = IntegerType::get(e.op->getContext(), 32);
  const Value result = e.create(e.op->getName().getStringRef(),
                                {e.cast(e.operand(0), wide), e.cast(e.operand(1), wide)})
                           ->getResult(0);
  return e.replaceWith(e.cast(result, element));
}

Result<bool> expandBoolReduction(Expansion& e) {
  const Type element = e.type().getElementType();
  if (!element.isInteger(1)) return false;
  const Type byte = IntegerType::get(e.op->getContext(), 8, IntegerType::Unsigned);
  llvm::SmallVector<Value> operands(e.op->getOperands());
  operands[0] = e.cast(operands[0], byte);
  Operation* reduced =
      e.create(e.op->getName().getStringRef(), operands,
               {e.attribute("keepdims", e.op->getAttr("keepdims")),
                e.attribute("noop_with_empty_axes", e.op->getAttr("noop_with_empty_axes"))});
  return e.replaceWith(e.cast(reduced->getResult(0), element));
}

Result<bool> expandHalfIsInf(Expansion& e) {
  const Type element = e.type().getElementType();
  if (element.getIntOrFloatBitWidth() > 16) return false;
  const Value wide = e.cast(e.operand(0), Float32Type::get(e.op->getContext()));
  return e.replaceWith(e.make<ir::IsInfOp>(
      wide, {e.attribute("detect_negative", e.op->getAttr("detect_negative")),
             e.attribute("detect_positive", e.op->getAttr("detect_positive"))}));
}

Result<bool> expandOutputDtype(Expansion& e) {
  // Before, the zero point alone said the type of the result.
  auto quantize = llvm::cast<ir::QuantizeLinearOp>(e.op);
  if (quantize.getOutputDtype() == 0) return false;
  const Type element = Expansion::typeOf(quantize.getY()).getElementType();
  Value zero = quantize.getYZeroPoint();
  if (!zero) {
    zero = e.scalar(element, 0);
    const RankedTensorType scale = Expansion::typeOf(quantize.getYScale());
    if (scale.getRank() > 0) zero = e.make<ir::ExpandOp>({zero, e.shape(quantize.getYScale())});
  }
  llvm::SmallVector<NamedAttribute> attributes;
  for (const char* name : {"axis", "block_size", "precision", "saturate"})
    attributes.push_back(e.attribute(name, e.op->getAttr(name)));
  return e.replaceWith(
      e.make<ir::QuantizeLinearOp>({quantize.getX(), quantize.getYScale(), zero}, attributes));
}

}  // namespace tessera::onnx
