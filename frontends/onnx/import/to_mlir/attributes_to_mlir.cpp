#include "frontends/onnx/import/to_mlir/attributes_to_mlir.h"

#include "compiler/ir/io/constants.h"
#include "frontends/onnx/import/to_mlir/types_to_mlir.h"
#include "mlir/IR/Builders.h"

namespace tessera::onnx {

/// What a name in the operator table stands for, in messages.
static const char* kindName(ir::AttributeKind kind) {
  switch (kind) {
    case ir::AttributeKind::kInt:
      return "an int";
    case ir::AttributeKind::kFloat:
      return "a float";
    case ir::AttributeKind::kString:
      return "a string";
    case ir::AttributeKind::kInts:
      return "a list of ints";
    case ir::AttributeKind::kFloats:
      return "a list of floats";
    case ir::AttributeKind::kStrings:
      return "a list of strings";
    case ir::AttributeKind::kTensor:
      return "a tensor";
  }
  return "unknown";
}

static mlir::Attribute floatArray(mlir::Builder& builder, const std::vector<float>& values) {
  return builder.getF32ArrayAttr(llvm::ArrayRef<float>(values));
}

static mlir::Attribute stringArray(mlir::Builder& builder, const std::vector<std::string>& values) {
  const llvm::SmallVector<llvm::StringRef> references(values.begin(), values.end());
  return builder.getStrArrayAttr(references);
}

/// An inline dense attribute; null for types the dialect has no tensors of.
static mlir::Attribute denseTensor(mlir::MLIRContext* context, const TensorData& tensor) {
  Result<mlir::RankedTensorType> type = constantType(context, tensor);
  // Attributes hold single values (ConstantOfShape); a large tensor has no business here.
  if (!type || tensor.bytes.size() > ir::kInlineConstantBytes) return {};
  return ir::constantValue(*type, {.bytes = tensor.bytes, .owner = tensor.owner});
}

/// The attribute as the kind the operator wants; null when it is of another kind.
static mlir::Attribute convertValue(mlir::Builder& builder, const AttributeValue& value,
                                    ir::AttributeKind kind) {
  switch (kind) {
    case ir::AttributeKind::kInt:
      if (const auto* number = std::get_if<int64_t>(&value))
        return builder.getI64IntegerAttr(*number);
      return {};
    case ir::AttributeKind::kFloat:
      if (const auto* number = std::get_if<float>(&value)) return builder.getF32FloatAttr(*number);
      return {};
    case ir::AttributeKind::kString:
      if (const auto* text = std::get_if<std::string>(&value)) return builder.getStringAttr(*text);
      return {};
    case ir::AttributeKind::kInts:
      if (const auto* list = std::get_if<std::vector<int64_t>>(&value))
        return builder.getDenseI64ArrayAttr(*list);
      return {};
    case ir::AttributeKind::kFloats:
      if (const auto* list = std::get_if<std::vector<float>>(&value))
        return floatArray(builder, *list);
      return {};
    case ir::AttributeKind::kStrings:
      if (const auto* list = std::get_if<std::vector<std::string>>(&value))
        return stringArray(builder, *list);
      return {};
    case ir::AttributeKind::kTensor:
      if (const auto* tensor = std::get_if<TensorData>(&value))
        return denseTensor(builder.getContext(), *tensor);
      return {};
  }
  return {};
}

Result<mlir::NamedAttrList> convertAttributes(mlir::MLIRContext* context, const Node& node,
                                              const ir::OpInfo& info) {
  mlir::Builder builder(context);
  mlir::NamedAttrList converted;
  for (const Attribute& attribute : node.attributes) {
    const auto known = std::ranges::find(info.attributes, attribute.name, &ir::AttributeInfo::name);
    if (known == info.attributes.end()) {
      return invalidInput("attribute '" + attribute.name + "' is not defined for " + node.opType +
                          " in opset " + std::to_string(node.fileOpset));
    }
    const mlir::Attribute value = convertValue(builder, attribute.value, known->kind);
    if (!value)
      return invalidInput("attribute '" + attribute.name + "' is expected to be " +
                          kindName(known->kind));
    converted.append(attribute.name, value);
  }
  for (const ir::AttributeInfo& attribute : info.attributes) {
    if (attribute.isRequired && node.findAttribute(attribute.name) == nullptr) {
      return invalidInput("attribute '" + std::string(attribute.name) + "' is missing");
    }
  }
  return converted;
}

static Result<mlir::Attribute> convertCustomTensor(mlir::Builder& builder,
                                                   const TensorData& tensor) {
  if (tensor.type == ElementType::kString) return stringArray(builder, tensor.strings);
  TESSERA_TRY(const mlir::RankedTensorType type, constantType(builder.getContext(), tensor));
  const mlir::Attribute value =
      ir::constantValue(type, {.bytes = tensor.bytes, .owner = tensor.owner});
  if (!llvm::isa<ir::BlobAttr>(value)) return value;
  return mlir::Attribute(
      builder.getDictionaryAttr({builder.getNamedAttr("type", mlir::TypeAttr::get(type)),
                                 builder.getNamedAttr("value", value)}));
}

static Result<mlir::Attribute> convertCustomValue(mlir::Builder& builder,
                                                  const AttributeValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value))
    return mlir::Attribute(builder.getI64IntegerAttr(*number));
  if (const auto* number = std::get_if<float>(&value))
    return mlir::Attribute(builder.getF32FloatAttr(*number));
  if (const auto* text = std::get_if<std::string>(&value))
    return mlir::Attribute(builder.getStringAttr(*text));
  if (const auto* tensor = std::get_if<TensorData>(&value))
    return convertCustomTensor(builder, *tensor);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    return mlir::Attribute(builder.getDenseI64ArrayAttr(*list));
  }
  if (const auto* list = std::get_if<std::vector<float>>(&value)) return floatArray(builder, *list);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    return stringArray(builder, *list);
  if (const auto* list = std::get_if<std::vector<TensorData>>(&value)) {
    llvm::SmallVector<mlir::Attribute> tensors;
    for (const TensorData& tensor : *list) {
      TESSERA_TRY(const mlir::Attribute converted, convertCustomTensor(builder, tensor));
      tensors.push_back(converted);
    }
    return mlir::Attribute(builder.getArrayAttr(tensors));
  }
  if (const auto* type = std::get_if<ValueType>(&value)) {
    const mlir::RankedTensorType ranked =
        rankedType(builder.getContext(), *type, /*keepSymbols=*/false);
    return mlir::Attribute(mlir::TypeAttr::get(ranked ? mlir::Type(ranked)
                                                      : unknownType(builder.getContext(), *type)));
  }
  return invalidInput("operators that Tessera does not know cannot have subgraphs");
}

Result<mlir::DictionaryAttr> convertCustomAttributes(mlir::MLIRContext* context, const Node& node) {
  mlir::Builder builder(context);
  mlir::NamedAttrList converted;
  for (const Attribute& attribute : node.attributes) {
    Result<mlir::Attribute> value = convertCustomValue(builder, attribute.value);
    if (!value) {
      Error error = std::move(value).error();
      error.message = "attribute '" + attribute.name + "': " + error.message;
      return error;
    }
    if (attribute.name.empty()) return invalidInput("an attribute has no name");
    converted.append(attribute.name, *value);
  }
  return converted.getDictionary(context);
}

}  // namespace tessera::onnx
