// BatchNormalization in training mode, which the dialect has no operator for, by its definition in
// opset 14:
//
//   mean, var = over all dimensions but the channels (population variance)
//   y = (x - mean) / sqrt(var + epsilon) * scale + b
//   running_mean = input_mean * momentum + mean * (1 - momentum), running_var likewise
#include "frontends/onnx/import/upgrade/upgrade_rules.h"

namespace tessera::onnx {

/// `old * momentum + current * (1 - momentum)` as the node's output `index`.
static void addRunningValue(Upgrade& upgrade, size_t index, const std::string& old,
                            const std::string& current, const std::string& momentum,
                            const std::string& rest) {
  if (!upgrade.node.hasOutput(index)) return;
  const std::string kept = upgrade.before("Mul", {old, momentum});
  const std::string added = upgrade.before("Mul", {current, rest});
  upgrade.after("Add", {kept, added}, upgrade.node.outputs[index]);
}

Status expandTrainingBatchNormalization(Upgrade& upgrade) {
  Node& node = upgrade.node;
  if (node.intAttribute("training_mode").value_or(0) == 0) return {};
  const std::optional<int64_t> rank = upgrade.rankOf(0);
  const ElementType type = upgrade.elementTypeOf(0);
  if (node.inputs.size() != 5)
    return upgrade.error("5 inputs are expected, found " + std::to_string(node.inputs.size()));
  if (!rank || *rank < 2 || !isFloat(type))
    return upgrade.error("an input of rank 2 or more and a float type is expected");
  const float momentumValue = node.floatAttribute("momentum").value_or(0.9f);
  const std::string momentum = upgrade.constantBefore(makeScalar(type, momentumValue));
  const std::string rest = upgrade.constantBefore(makeScalar(type, 1.0f - momentumValue));
  const std::string epsilon =
      upgrade.constantBefore(makeScalar(type, node.floatAttribute("epsilon").value_or(1e-5f)));
  std::vector<int64_t> reduced{0};
  std::vector<int64_t> perChannel{-1};
  for (int64_t axis = 2; axis < *rank; ++axis) {
    reduced.push_back(axis);
    perChannel.push_back(1);
  }
  const std::string axes = upgrade.intsBefore(reduced);
  const std::string column = upgrade.intsBefore(perChannel);
  const std::string flat = upgrade.intsBefore({-1});

  const std::string mean = upgrade.before("ReduceMean", {node.inputs[0], axes});
  const std::string centred = upgrade.before("Sub", {node.inputs[0], mean});
  const std::string squared = upgrade.before("Mul", {centred, centred});
  const std::string variance = upgrade.before("ReduceMean", {squared, axes});
  const std::string deviation =
      upgrade.before("Sqrt", {upgrade.before("Add", {variance, epsilon})});
  const std::string normal = upgrade.before("Div", {centred, deviation});
  const std::string scale = upgrade.before("Reshape", {node.inputs[1], column});
  const std::string shift = upgrade.before("Reshape", {node.inputs[2], column});
  const std::string scaled = upgrade.before("Mul", {normal, scale});
  addRunningValue(upgrade, 1, node.inputs[3], upgrade.before("Reshape", {mean, flat}), momentum,
                  rest);
  addRunningValue(upgrade, 2, node.inputs[4], upgrade.before("Reshape", {variance, flat}), momentum,
                  rest);

  node.opType = "Add";
  node.inputs = {scaled, shift};
  node.outputs.resize(1);
  node.attributes.clear();
  return {};
}

}  // namespace tessera::onnx
