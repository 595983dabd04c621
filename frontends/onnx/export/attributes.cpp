#include "frontends/onnx/export/attributes.h"

#include "compiler/ir/tsr.h"
#include "frontends/onnx/export/types.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

using namespace mlir;

namespace tessera::onnx {

/// The type and the value of a tensor as an attribute has it: dense, or {type, value}.
static std::pair<RankedTensorType, Attribute> tensorOf(Attribute value) {
  if (const auto dense = llvm::dyn_cast<DenseElementsAttr>(value))
    return {llvm::dyn_cast<RankedTensorType>(dense.getType()), dense};
  const auto pair = llvm::dyn_cast<DictionaryAttr>(value);
  const auto type = pair ? pair.getAs<TypeAttr>("type") : TypeAttr();
  if (!type || !pair.get("value")) return {};
  return {llvm::dyn_cast<RankedTensorType>(type.getValue()), pair.get("value")};
}

static Error unknownKind(std::string_view name) {
  return invalidInput("attribute '" + std::string(name) + "' is of a kind that ONNX has not");
}

/// A list whose entries are all of the first one's kind.
static Status writeList(AttributeProto& proto, std::string_view name, ArrayAttr list,
                        WeightList& weights) {
  proto.set_type(AttributeProto::FLOATS);
  for (const Attribute entry : list) {
    if (const auto number = llvm::dyn_cast<FloatAttr>(entry)) {
      proto.add_floats(static_cast<float>(number.getValueAsDouble()));
    } else if (const auto text = llvm::dyn_cast<StringAttr>(entry)) {
      proto.set_type(AttributeProto::STRINGS);
      proto.add_strings(text.str());
    } else if (const auto [type, value] = tensorOf(entry); type) {
      proto.set_type(AttributeProto::TENSORS);
      TESSERA_TRY_VOID(writeTensor(*proto.add_tensors(), value, type, weights));
    } else {
      return unknownKind(name);
    }
  }
  return {};
}

Status writeAttribute(AttributeProto& proto, std::string_view name, Attribute value,
                      WeightList& weights) {
  proto.set_name(std::string(name));
  if (const auto number = llvm::dyn_cast<IntegerAttr>(value)) {
    proto.set_type(AttributeProto::INT);
    proto.set_i(number.getValue().getSExtValue());
  } else if (const auto real = llvm::dyn_cast<FloatAttr>(value)) {
    proto.set_type(AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(real.getValueAsDouble()));
  } else if (const auto text = llvm::dyn_cast<StringAttr>(value)) {
    proto.set_type(AttributeProto::STRING);
    proto.set_s(text.str());
  } else if (const auto ints = llvm::dyn_cast<DenseI64ArrayAttr>(value)) {
    proto.set_type(AttributeProto::INTS);
    for (const int64_t entry : ints.asArrayRef()) proto.add_ints(entry);
  } else if (const auto list = llvm::dyn_cast<ArrayAttr>(value)) {
    return writeList(proto, name, list, weights);
  } else if (const auto type = llvm::dyn_cast<TypeAttr>(value)) {
    proto.set_type(AttributeProto::TYPE_PROTO);
    if (!writeType(*proto.mutable_tp(), type.getValue())) return unknownKind(name);
  } else if (const auto [tensorType, tensor] = tensorOf(value); tensorType) {
    proto.set_type(AttributeProto::TENSOR);
    return writeTensor(*proto.mutable_t(), tensor, tensorType, weights);
  } else {
    return unknownKind(name);
  }
  return {};
}

}  // namespace tessera::onnx
