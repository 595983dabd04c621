// Operators whose meaning changed under the same name.
#include <algorithm>
#include <cstring>

#include "compiler/ir/spec/axes.h"
#include "frontends/onnx/import/upgrade/upgrade_rules.h"

namespace tessera::onnx {

Status upgradeBatchNormalization9(Upgrade& upgrade) {
  const int64_t spatial = upgrade.node.intAttribute("spatial").value_or(1);
  upgrade.node.removeAttribute("spatial");
  if (spatial != 0) return {};
  // Statistics for each feature, shape [C, D1, ..., Dn], which broadcasts against [N, C, D1, ...,
  // Dn]: y = (x - mean) / sqrt(var + epsilon) * scale + b
  Node& node = upgrade.node;
  if (node.inputs.size() != 5)
    return upgrade.error("5 inputs are expected, found " + std::to_string(node.inputs.size()));
  const ElementType type = upgrade.elementTypeOf(0);
  if (!isFloat(type))
    return upgrade.error("the element type of input '" + node.inputs[0] + "' is not known");
  const std::string epsilon =
      upgrade.constantBefore(makeScalar(type, node.floatAttribute("epsilon").value_or(1e-5f)));
  const std::string centred = upgrade.before("Sub", {node.inputs[0], node.inputs[3]});
  const std::string variance = upgrade.before("Add", {node.inputs[4], epsilon});
  const std::string deviation = upgrade.before("Sqrt", {variance});
  const std::string normal = upgrade.before("Div", {centred, deviation});
  const std::string scaled = upgrade.before("Mul", {normal, node.inputs[1]});
  std::string shift = node.inputs[2];
  node.opType = "Add";
  node.inputs = {scaled, std::move(shift)};
  node.attributes.clear();
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.hasOutput(i)) return upgrade.error("outputs of the training mode are not supported");
  }
  node.outputs.resize(1);
  return {};
}

Status upgradeBatchNormalization14(Upgrade& upgrade) {
  // Outputs mean, var, saved_mean and saved_var existed in training only.
  for (size_t i = 1; i < upgrade.node.outputs.size(); ++i) {
    if (upgrade.node.hasOutput(i))
      return upgrade.error("outputs of the training mode are not supported");
  }
  upgrade.node.outputs.resize(std::min<size_t>(upgrade.node.outputs.size(), 1));
  return {};
}

Status upgradeSoftmax13(Upgrade& upgrade) {
  // Before: the input as a matrix, dimensions before `axis` (default 1) by dimensions from `axis`
  // on, row by row. Since: along `axis` alone (default -1).
  Node& node = upgrade.node;
  int64_t axis = node.intAttribute("axis").value_or(1);
  const std::optional<int64_t> rank = upgrade.rankOf(0);
  if (rank) {
    if (axis != *rank && !ir::spec::isAxis(axis, *rank)) {
      return upgrade.error("axis " + std::to_string(axis) + " is outside the input's rank " +
                           std::to_string(*rank));
    }
    axis = ir::spec::normalizedAxis(axis, *rank);
    // A row with one dimension larger than 1 is that dimension.
    const std::vector<Dimension> shape = *upgrade.typeOf(node.input(0))->shape;
    int64_t numLarge = 0;
    int64_t largeAxis = axis;
    for (int64_t i = axis; i < *rank; ++i) {
      if (shape[static_cast<size_t>(i)].size == 1) continue;
      ++numLarge;
      largeAxis = i;
    }
    if (numLarge <= 1 && axis < *rank) {
      node.setAttribute("axis", largeAxis);
      return {};
    }
  } else if (axis == -1) {
    node.setAttribute("axis", int64_t{-1});
    return {};
  }
  const std::string data = node.inputs.at(0);
  const std::string shape = upgrade.before("Shape", {data});
  node.inputs[0] = upgrade.before("Flatten", {data}, {intAttribute("axis", axis)});
  node.setAttribute("axis", int64_t{-1});
  std::string rows = upgrade.freshName();
  // A size of 0 in the shape is one of the input, not a size to copy.
  upgrade.after("Reshape", {rows, shape}, node.outputs.at(0), {intAttribute("allowzero", 1)});
  node.outputs[0] = std::move(rows);
  return {};
}

/// The scales above 1 (`enlarge`) or below 1, 1 elsewhere; nothing when there is none such.
static std::optional<std::vector<float>> scalesOneWay(const std::vector<float>& scales,
                                                      bool enlarge) {
  std::vector<float> selected;
  bool isAny = false;
  for (const float scale : scales) {
    const bool isSelected = enlarge ? scale > 1 : scale < 1;
    selected.push_back(isSelected ? scale : 1.0f);
    isAny = isAny || isSelected;
  }
  return isAny ? std::optional(std::move(selected)) : std::nullopt;
}

static std::string floatsBefore(Upgrade& upgrade, const std::vector<float>& values) {
  return upgrade.constantBefore(makeTensor(ElementType::kF32, {static_cast<int64_t>(values.size())},
                                           std::as_bytes(std::span(values))));
}

Status upgradeResize11(Upgrade& upgrade) {
  // Version 10: inputs x, scales; coordinate x_in = x_out / scale. Mode nearest took the element
  // below when enlarging and the element above when shrinking, each dimension by itself.
  Node& node = upgrade.node;
  if (node.inputs.size() != 2)
    return upgrade.error("2 inputs are expected, found " + std::to_string(node.inputs.size()));
  if (const std::string* mode = node.stringAttribute("mode");
      mode != nullptr && *mode == "bilinear") {
    node.setAttribute("mode", std::string("linear"));
  }
  node.setAttribute("coordinate_transformation_mode", std::string("asymmetric"));
  node.setAttribute("nearest_mode", std::string("floor"));
  const std::optional<TensorData> constant = upgrade.constantOf(node.inputs[1]);
  node.inputs = {node.inputs[0], "", node.inputs[1]};
  if (!constant || constant->type != ElementType::kF32) return {};
  std::vector<float> scales(static_cast<size_t>(constant->count()));
  if (scales.empty()) return {};
  std::memcpy(scales.data(), constant->bytes.data(), constant->bytes.size());
  const auto smaller = scalesOneWay(scales, /*enlarge=*/false);
  if (!smaller) return {};
  if (const auto larger = scalesOneWay(scales, /*enlarge=*/true)) {
    node.inputs[0] = upgrade.before("Resize", {node.inputs[0], "", floatsBefore(upgrade, *larger)},
                                    node.attributes);
    node.inputs[2] = floatsBefore(upgrade, *smaller);
  }
  node.setAttribute("nearest_mode", std::string("ceil"));
  return {};
}

Status upgradeResize13(Upgrade& upgrade) {
  // tf_half_pixel_for_nn, (x_out + 0.5) / scale, is gone. Rounded down it is half_pixel, which is
  // 0.5 less, rounded to the nearest, halves up.
  Node& node = upgrade.node;
  const std::string* transformation = node.stringAttribute("coordinate_transformation_mode");
  if (transformation == nullptr || *transformation != "tf_half_pixel_for_nn") return {};
  const std::string* rounding = node.stringAttribute("nearest_mode");
  const std::string* mode = node.stringAttribute("mode");
  if (rounding == nullptr || *rounding != "floor" || (mode != nullptr && *mode != "nearest")) {
    return upgrade.error(
        "tf_half_pixel_for_nn is supported with mode nearest and nearest_mode floor only");
  }
  node.setAttribute("coordinate_transformation_mode", std::string("half_pixel"));
  node.setAttribute("nearest_mode", std::string("round_prefer_ceil"));
  return {};
}

Status upgradeRoiAlign16(Upgrade& upgrade) {
  upgrade.node.setAttribute("coordinate_transformation_mode", std::string("output_half_pixel"));
  return {};
}

Status upgradeGridSample20(Upgrade& upgrade) {
  const std::string* mode = upgrade.node.stringAttribute("mode");
  if (mode == nullptr) return {};
  if (*mode == "bilinear")
    upgrade.node.setAttribute("mode", std::string("linear"));
  else if (*mode == "bicubic")
    upgrade.node.setAttribute("mode", std::string("cubic"));
  return {};
}

Status upgradeGroupNormalization21(Upgrade& upgrade) {
  // Scale and bias had one entry for each group; since version 21 one for each channel: repeat each
  // entry C / G times.
  Node& node = upgrade.node;
  const std::optional<int64_t> numGroups = node.intAttribute("num_groups");
  if (!numGroups || *numGroups <= 0)
    return upgrade.error("attribute 'num_groups' is missing or not positive");
  if (node.inputs.size() != 3)
    return upgrade.error("3 inputs are expected, found " + std::to_string(node.inputs.size()));
  const std::string channels =
      upgrade.before("Shape", {node.inputs[0]}, {intAttribute("start", 1), intAttribute("end", 2)});
  const std::string repeats = upgrade.before("Div", {channels, upgrade.intsBefore({*numGroups})});
  const std::string target =
      upgrade.before("Concat", {upgrade.intsBefore({1}), repeats}, {intAttribute("axis", 0)});
  const std::string column = upgrade.intsBefore({1});
  const std::string flat = upgrade.intsBefore({-1});
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const std::string matrix = upgrade.before("Unsqueeze", {node.inputs[i], column});
    const std::string repeated = upgrade.before("Expand", {matrix, target});
    node.inputs[i] = upgrade.before("Reshape", {repeated, flat});
  }
  return {};
}

Status upgradeScan9(Upgrade& upgrade) {
  // Version 8 had a batch dimension in front of everything and lengths of the sequences as first
  // input.
  Node& node = upgrade.node;
  if (!node.input(0).empty())
    return upgrade.error("sequence lengths of Scan version 8 are not supported");
  if (node.inputs.size() < 2) return upgrade.error("Scan has no inputs");
  node.inputs.erase(node.inputs.begin());
  const std::string batchAxis = upgrade.intsBefore({0});
  for (std::string& input : node.inputs) {
    const std::optional<ValueType> type = upgrade.typeOf(input);
    if (!type || !type->shape || type->shape->empty() || type->shape->front().size != 1) {
      return upgrade.error("Scan version 8 is supported for batch size 1 only, which input '" +
                           input + "' has not");
    }
    input = upgrade.before("Squeeze", {input, batchAxis});
  }
  for (std::string& output : node.outputs) {
    if (output.empty()) continue;
    std::string inner = upgrade.freshName();
    upgrade.after("Unsqueeze", {inner, batchAxis}, output);
    output = std::move(inner);
  }
  if (const std::vector<int64_t>* directions = node.intsAttribute("directions")) {
    node.setAttribute("scan_input_directions", std::vector<int64_t>(*directions));
    node.removeAttribute("directions");
  }
  return {};
}

}  // namespace tessera::onnx
