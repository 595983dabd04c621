// Attributes that became inputs.
#include "frontends/onnx/import/upgrade/upgrade_rules.h"

namespace tessera::onnx {

/// Moves an integer list to input `index` as an i64 vector; nothing happens without the attribute.
static void moveInts(Upgrade& upgrade, std::string_view attribute, size_t index) {
  const std::vector<int64_t>* values = upgrade.node.intsAttribute(attribute);
  if (values == nullptr) return;
  upgrade.node.setInput(index, upgrade.intsBefore(*values));
  upgrade.node.removeAttribute(attribute);
}

Status upgradeReduceAxes(Upgrade& upgrade) {
  const std::vector<int64_t>* axes = upgrade.node.intsAttribute("axes");
  if (axes != nullptr && axes->empty())
    upgrade.node.removeAttribute("axes");  // the same as none: all axes
  moveInts(upgrade, "axes", 1);
  return {};
}

Status upgradeUnsqueeze13(Upgrade& upgrade) {
  if (upgrade.node.intsAttribute("axes") == nullptr)
    return upgrade.error("attribute 'axes' is missing");
  moveInts(upgrade, "axes", 1);
  return {};
}

Status upgradeSlice10(Upgrade& upgrade) {
  for (const char* attribute : {"starts", "ends"}) {
    if (upgrade.node.intsAttribute(attribute) == nullptr) {
      return upgrade.error(std::string("attribute '") + attribute + "' is missing");
    }
  }
  moveInts(upgrade, "starts", 1);
  moveInts(upgrade, "ends", 2);
  moveInts(upgrade, "axes", 3);
  return {};
}

Status upgradeSplit13(Upgrade& upgrade) {
  moveInts(upgrade, "split", 1);
  return {};
}

Status upgradeTopK10(Upgrade& upgrade) {
  const std::optional<int64_t> k = upgrade.node.intAttribute("k");
  if (!k) return upgrade.error("attribute 'k' is missing");
  upgrade.node.setInput(1, upgrade.intsBefore({*k}));
  upgrade.node.removeAttribute("k");
  return {};
}

/// Moves a float attribute to input `index` as a scalar of the data's element type.
static Status moveScalar(Upgrade& upgrade, std::string_view attribute, size_t index) {
  const std::optional<float> value = upgrade.node.floatAttribute(attribute);
  if (!value) return {};
  const ElementType type = upgrade.elementTypeOf(0);
  if (elementSizeBytes(type) == 0)
    return upgrade.error("the element type of input '" + std::string(upgrade.node.input(0)) +
                         "' is not known");
  upgrade.node.setInput(index, upgrade.constantBefore(makeScalar(type, *value)));
  upgrade.node.removeAttribute(attribute);
  return {};
}

Status upgradeClip11(Upgrade& upgrade) {
  TESSERA_TRY_VOID(moveScalar(upgrade, "min", 1));
  return moveScalar(upgrade, "max", 2);
}

Status upgradePad11(Upgrade& upgrade) {
  if (upgrade.node.intsAttribute("pads") == nullptr)
    return upgrade.error("attribute 'pads' is missing");
  moveInts(upgrade, "pads", 1);
  return moveScalar(upgrade, "value", 2);
}

Status upgradeDropout10(Upgrade& upgrade) {
  // The mask had the data's element type; since version 10 it is bool.
  if (!upgrade.node.hasOutput(1)) return {};
  const ElementType type = upgrade.elementTypeOf(0);
  if (type == ElementType::kUndefined)
    return upgrade.error("the element type of the mask is not known");
  std::string mask = upgrade.freshName();
  upgrade.after("Cast", {mask}, upgrade.node.outputs[1],
                {intAttribute("to", static_cast<int64_t>(type))});
  upgrade.node.outputs[1] = std::move(mask);
  return {};
}

Status upgradeDropout12(Upgrade& upgrade) {
  upgrade.node.removeAttribute("ratio");  // matters in training only
  return {};
}

Status upgradeDft20(Upgrade& upgrade) {
  const int64_t axis = upgrade.node.intAttribute("axis").value_or(1);
  upgrade.node.removeAttribute("axis");
  upgrade.node.setInput(
      2, upgrade.constantBefore(makeScalar(ElementType::kI64, static_cast<double>(axis))));
  return {};
}

Status upgradeUpsample9(Upgrade& upgrade) {
  const std::vector<float>* scales = upgrade.node.floatsAttribute("scales");
  if (scales == nullptr) return upgrade.error("attribute 'scales' is missing");
  upgrade.node.setInput(1, upgrade.constantBefore(makeTensor(ElementType::kF32,
                                                             {static_cast<int64_t>(scales->size())},
                                                             std::as_bytes(std::span(*scales)))));
  upgrade.node.removeAttribute("scales");
  return {};
}

}  // namespace tessera::onnx
