#include "frontends/onnx/export/downgrade/expansion.h"

#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/support/check.h"
#include "frontends/onnx/export/node_draft.h"
#include "frontends/onnx/export/prepare.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tessera::onnx {

Expansion::Expansion(Operation* op, int opset) : op(op), opset(opset), builder_(op) {}

RankedTensorType Expansion::typeOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}

NamedAttribute Expansion::attribute(llvm::StringRef name, Attribute value) {
  return builder_.getNamedAttr(name, value);
}

NamedAttribute Expansion::attribute(llvm::StringRef name, int64_t value) {
  return builder_.getNamedAttr(name, builder_.getI64IntegerAttr(value));
}

NamedAttribute Expansion::operandSegments(llvm::ArrayRef<int32_t> counts) {
  return attribute("operandSegmentSizes", builder_.getDenseI32ArrayAttr(counts));
}

NamedAttribute Expansion::resultSegments(llvm::ArrayRef<int32_t> counts) {
  return attribute("resultSegmentSizes", builder_.getDenseI32ArrayAttr(counts));
}

Operation* Expansion::tryCreate(llvm::StringRef name, ValueRange operands,
                                llvm::ArrayRef<NamedAttribute> attributes, unsigned numResults) {
  OperationState state(op->getLoc(), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  const auto placeholder = RankedTensorType::get({}, builder_.getF32Type());
  state.addTypes(llvm::SmallVector<Type>(numResults, placeholder));
  Operation* made = builder_.create(state);
  const ir::DiagnosticCapture unheard(op->getContext());
  llvm::SmallVector<Type> types;
  const bool fits = succeeded(ir::inferResultTypes(made, types)) && types.size() == numResults;
  for (auto [result, type] : llvm::zip_first(made->getResults(), types)) result.setType(type);
  if (!fits || failed(verify(made, /*verifyRecursively=*/false))) {
    made->erase();
    return nullptr;
  }
  if (const Attribute notes = op->getDiscardableAttr(kNotesAttribute))
    made->setDiscardableAttr(kNotesAttribute, notes);
  return made;
}

Operation* Expansion::create(llvm::StringRef name, ValueRange operands,
                             llvm::ArrayRef<NamedAttribute> attributes, unsigned numResults) {
  Operation* made = tryCreate(name, operands, attributes, numResults);
  TESSERA_CHECK(made != nullptr, "an expansion makes operators that fit");
  return made;
}

Value Expansion::ints(llvm::ArrayRef<int64_t> values) {
  return ir::createIntsConstant(builder_, op->getLoc(), values);
}

Value Expansion::floats(llvm::ArrayRef<float> values) {
  const auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, builder_.getF32Type());
  return builder_.create<ir::ConstantOp>(op->getLoc(), type, DenseElementsAttr::get(type, values));
}

Value Expansion::scalar(Type element, double value) {
  const auto type = RankedTensorType::get({}, element);
  const Attribute number = llvm::isa<FloatType>(element)
                               ? Attribute(FloatAttr::get(element, value))
                               : Attribute(IntegerAttr::get(element, static_cast<int64_t>(value)));
  return builder_.create<ir::ConstantOp>(op->getLoc(), type,
                                         DenseElementsAttr::get(type, llvm::ArrayRef(number)));
}

Value Expansion::cast(Value value, Type element) {
  if (typeOf(value).getElementType() == element) return value;
  return make<ir::CastOp>(value, attribute("to", static_cast<int64_t>(ir::toElementType(element))));
}

Value Expansion::shape(Value value) { return make<ir::ShapeOp>(value); }

Value Expansion::size(Value value, int64_t axis) {
  return make<ir::GatherOp>({shape(value), ints({axis})});
}

Value Expansion::transpose(Value value, llvm::ArrayRef<int64_t> permutation) {
  return make<ir::TransposeOp>(
      value, attribute("perm", Attribute(builder_.getDenseI64ArrayAttr(permutation))));
}

bool Expansion::replaceWith(ValueRange values) const {
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

Error Expansion::refuse(std::string_view opType, const std::string& why) const {
  Error error = invalidInput("operator " + std::string(opType) + " " + why +
                             " has no form in opset " + std::to_string(opset));
  error.node = describe(op, opType);
  return error;
}

}  // namespace tessera::onnx
