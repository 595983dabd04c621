#include "shared/special_values.h"

#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "openvino/op/ops.hpp"

namespace tessera_openvino {

using Value = ov::Output<ov::Node>;

template <typename Op, typename... Operands>
static Value make(Operands&&... operands) {
  return std::make_shared<Op>(std::forward<Operands>(operands)...)->output(0);
}

static Value number(float value) {
  return make<ov::op::v0::Constant>(ov::element::f32, ov::Shape{}, value);
}

/// Whatever its shape was made: the reader brings biases to the rank of what they are added to.
static bool isConstant(const Value& value) {
  const ov::Node* node = value.get_node();
  while (ov::is_type<ov::op::v1::Reshape>(node) || ov::is_type<ov::op::v0::Unsqueeze>(node) ||
         ov::is_type<ov::op::v0::Squeeze>(node) || ov::is_type<ov::op::v3::Broadcast>(node))
    node = node->get_input_node_ptr(0);
  return ov::is_type<ov::op::v0::Constant>(node);
}

/// Whether a convolution or product computes the value, but for constants added, multiplied or
/// compared: the reader makes a maximum and a minimum of a Clip by values.
static bool isOfProduct(Value value) {
  for (;;) {
    const ov::Node* node = value.get_node();
    if (ov::is_type<ov::op::v1::Convolution>(node) ||
        ov::is_type<ov::op::v1::GroupConvolution>(node) ||
        ov::is_type<ov::op::v1::ConvolutionBackpropData>(node) ||
        ov::is_type<ov::op::v1::GroupConvolutionBackpropData>(node) ||
        ov::is_type<ov::op::v0::MatMul>(node))
      return true;
    if (!ov::is_type<ov::op::v1::Add>(node) && !ov::is_type<ov::op::v1::Multiply>(node) &&
        !ov::is_type<ov::op::v1::Maximum>(node) && !ov::is_type<ov::op::v1::Minimum>(node))
      return false;
    const Value a = node->input_value(0), b = node->input_value(1);
    if (!isConstant(a) && !isConstant(b)) return false;
    value = isConstant(a) ? b : a;
  }
}

/// `otherwise`, or `value` where that is NaN.
static Value orNan(const Value& value, const Value& otherwise) {
  return make<ov::op::v1::Select>(make<ov::op::v1::NotEqual>(value, value), value, otherwise);
}

/// All readers of `node` but those made since read `value`.
static void replace(const std::shared_ptr<ov::Node>& node, const Value& value,
                    const std::set<ov::Input<ov::Node>>& readers) {
  value.get_node()->set_friendly_name(node->get_friendly_name());
  for (ov::Input<ov::Node> reader : readers) reader.replace_source_output(value);
}

static bool isHalf(const Value& exponent) {
  const auto* constant = ov::as_type<ov::op::v0::Constant>(exponent.get_node());
  if (constant == nullptr || ov::shape_size(constant->get_shape()) != 1) return false;
  return std::abs(constant->cast_vector<float>().front()) == 0.5F;
}

/// The value that takes the node's place; none where it is right as it is.
static std::optional<Value> kept(const std::shared_ptr<ov::Node>& node) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kGreatest = std::numeric_limits<float>::max();
  const Value y = node->output(0), x = node->input_value(0);
  if (const auto clamp = ov::as_type_ptr<ov::op::v0::Clamp>(node)) {
    if (isOfProduct(x)) return std::nullopt;
    // Without a bound the reader writes the greatest number.
    if (clamp->get_min() <= -kGreatest) clamp->set_min(-kInfinity);
    if (clamp->get_max() >= kGreatest) clamp->set_max(kInfinity);
    return orNan(x, y);
  }
  if (ov::is_type<ov::op::v1::Maximum>(node) || ov::is_type<ov::op::v1::Minimum>(node)) {
    const Value other = node->input_value(1);
    if (isOfProduct(x) || isOfProduct(other)) return std::nullopt;
    const Value both = orNan(x, orNan(other, y));
    return both;
  }
  if (ov::is_type<ov::op::v1::Power>(node) && isHalf(node->input_value(1))) {
    // A square root keeps the sign of zero and has none of -infinity.
    const Value isOdd = make<ov::op::v1::LogicalOr>(
        make<ov::op::v1::Equal>(x, number(0)),
        make<ov::op::v1::Equal>(x, number(-std::numeric_limits<float>::infinity())));
    const Value base = make<ov::op::v1::Select>(isOdd, make<ov::op::v0::Abs>(x), x);
    return make<ov::op::v1::Power>(base, node->input_value(1));
  }
  return std::nullopt;
}

void keepSpecialValues(ov::Model& model) {
  for (const auto& node : model.get_ordered_ops()) {
    if (node->get_output_size() != 1 || node->get_input_size() == 0 ||
        node->get_output_element_type(0) != ov::element::f32)
      continue;
    const std::set<ov::Input<ov::Node>> readers = node->output(0).get_target_inputs();
    if (const std::optional<Value> value = kept(node)) replace(node, *value, readers);
  }
}

}  // namespace tessera_openvino
