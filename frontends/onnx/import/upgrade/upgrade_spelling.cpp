// Forms that exist in every version, brought to one spelling.
#include "frontends/onnx/import/upgrade/upgrade_rules.h"

namespace tessera::onnx {

/// The constant's tensor from whichever attribute holds it; kUndefined when there is none.
static TensorData constantTensor(const Node& node) {
  for (const Attribute& attribute : node.attributes) {
    if (const auto* tensor = std::get_if<TensorData>(&attribute.value)) {
      if (attribute.name == "value" || attribute.name == "sparse_value") return *tensor;
    }
  }
  if (const std::optional<float> value = node.floatAttribute("value_float")) {
    return makeTensor(ElementType::kF32, {}, std::as_bytes(std::span(&*value, 1)));
  }
  if (const std::vector<float>* values = node.floatsAttribute("value_floats")) {
    return makeTensor(ElementType::kF32, {static_cast<int64_t>(values->size())},
                      std::as_bytes(std::span(*values)));
  }
  if (const std::optional<int64_t> value = node.intAttribute("value_int")) {
    return makeI64Tensor({}, std::span(&*value, 1));
  }
  if (const std::vector<int64_t>* values = node.intsAttribute("value_ints")) {
    return makeI64Tensor({static_cast<int64_t>(values->size())}, *values);
  }
  return {};
}

Status canonicalizeConstant(Upgrade& upgrade) {
  TensorData tensor = constantTensor(upgrade.node);
  if (tensor.type == ElementType::kUndefined)
    return upgrade.error("the constant has no value that is a numeric tensor");
  upgrade.node.attributes.clear();
  upgrade.node.setAttribute("value", std::move(tensor));
  return {};
}

Status canonicalizeCastLike(Upgrade& upgrade) {
  Node& node = upgrade.node;
  if (node.inputs.size() != 2)
    return upgrade.error("2 inputs are expected, found " + std::to_string(node.inputs.size()));
  const ElementType type = upgrade.elementTypeOf(1);
  if (type == ElementType::kUndefined)
    return upgrade.error("the element type of input '" + node.inputs[1] + "' is not known");
  node.inputs.resize(1);
  node.setAttribute("to", static_cast<int64_t>(type));
  return {};
}

Status canonicalizeResize(Upgrade& upgrade) {
  // Exporters of versions 11 and 12 had to give every input and gave empty tensors for the absent
  // ones.
  for (size_t i = 1; i < upgrade.node.inputs.size(); ++i) {
    const std::optional<ValueType> type = upgrade.typeOf(upgrade.node.inputs[i]);
    if (type && type->shape && type->shape->size() == 1 && type->shape->front().size == 0)
      upgrade.node.inputs[i].clear();
  }
  return {};
}

}  // namespace tessera::onnx
