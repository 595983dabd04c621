// OpenVINO answers about its own nodes. Those that an ONNX node became are found from the names of
// its outputs backwards, up to the outputs of other ONNX nodes. What OpenVINO's reader cannot read
// leaves everything after it without a type: such nodes are cut out, and the rest is read again.
#include "compile_half/query.h"

#include <algorithm>
#include <map>
#include <set>

#include "compile_half/onnx_graph.h"
#include "openvino/op/util/framework_node.hpp"
#include "shared/openvino_model.h"

namespace tessera_openvino {

using NodePointer = const ov::Node*;

namespace {

/// TensorProto.DataType
enum ElementType : int32_t { kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9 };

/// What OpenVINO made of a model.
struct Reading {
  std::shared_ptr<ov::Model> model;
  std::map<std::string, ov::Output<ov::Node>> outputs;  ///< By tensor name.
};

}  // namespace

/// Of those that OpenVINO is asked about.
static ov::element::Type elementOf(int32_t elementType) {
  switch (elementType) {
    case kFloat:
      return ov::element::f32;
    case kInt32:
      return ov::element::i32;
    case kInt64:
      return ov::element::i64;
    case kBool:
      return ov::element::boolean;
    default:
      return ov::element::dynamic;
  }
}

static Reading readForQuery(const std::string& proto) {
  Reading reading{.model = readPartially(proto), .outputs = {}};
  for (const auto& op : reading.model->get_ordered_ops()) {
    if (ov::is_type<ov::op::v0::Result>(op)) continue;
    for (const ov::Output<ov::Node>& output : op->outputs()) {
      for (const std::string& name : output.get_names()) reading.outputs.try_emplace(name, output);
    }
  }
  return reading;
}

static int64_t numberOf(const OnnxNode& node, const char* name) {
  const auto found = node.numbers.find(name);
  return found == node.numbers.end() ? 0 : found->second;
}

/// Of an LSTM, GRU or RNN: OpenVINO takes the activations of the first direction for both.
static bool hasTwoKindsOfActivations(const OnnxNode& node) {
  const auto found = node.textLists.find("activations");
  const auto direction = node.texts.find("direction");
  if (found == node.textLists.end() || direction == node.texts.end() ||
      direction->second != "bidirectional")
    return false;
  const std::vector<std::string>& names = found->second;
  const auto middle = names.begin() + static_cast<ptrdiff_t>(names.size() / 2);
  return !std::equal(names.begin(), middle, middle, names.end());
}

/// Forms that OpenVINO reads, and then computes other values than ONNX says, or than everybody
/// else gives: found by ONNX's tests of its operators and by `tessera conformance`.
static std::string whyOtherValues(const OnnxNode& node) {
  const std::string what = "OpenVINO computes other values for ";
  if (node.opType == "ArgMax" || node.opType == "ArgMin" || node.opType == "Hardmax")
    return what + "NaN";
  if (node.opType == "LRN" && numberOf(node, "size") % 2 == 0) return what + "an even size";
  constexpr size_t kPeepholes = 7;
  if (node.opType == "LSTM" && node.inputs.size() > kPeepholes && !node.inputs[kPeepholes].empty())
    return what + "peepholes";
  if (numberOf(node, "input_forget") != 0) return what + "input_forget";
  if (hasTwoKindsOfActivations(node)) return what + "two directions with activations of their own";
  if (node.opType == "Range") return what + "a range without elements";
  if (node.opType == "LpPool" && numberOf(node, "ceil_mode") != 0) return what + "ceil_mode";
  if (node.opType == "MaxPool" && numberOf(node, "storage_order") != 0)
    return what + "storage_order";
  if (node.opType.starts_with("Reduce") && numberOf(node, "noop_with_empty_axes") != 0)
    return what + "noop_with_empty_axes";
  if (node.opType != "Resize") return "";
  for (const char* name : {"antialias", "exclude_outside"}) {
    if (numberOf(node, name) != 0) return what + name;
  }
  const auto mode = node.texts.find("coordinate_transformation_mode");
  constexpr size_t kSizes = 3;
  const bool hasScales = node.inputs.size() <= kSizes || node.inputs[kSizes].empty();
  if (hasScales && mode != node.texts.end() && mode->second == "align_corners")
    return what + "align_corners with scales";
  return "";
}

/// Whether the two leading sizes of a Resize's result are those of its input, as far as is known.
static bool keepsImages(const OnnxGraph& graph, const OnnxNode& node) {
  const auto x = graph.types.find(node.inputs.front()), y = graph.types.find(node.outputs.front());
  if (x == graph.types.end() || y == graph.types.end()) return true;
  const std::vector<int64_t>&from = x->second.dims, &to = y->second.dims;
  const size_t numLeading = std::min<size_t>({2, from.size(), to.size()});
  return std::equal(from.begin(), from.begin() + static_cast<ptrdiff_t>(numLeading), to.begin());
}

static bool hasConstantBounds(const OnnxGraph& graph, const OnnxNode& node) {
  return std::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](const std::string& name) {
    return name.empty() || graph.constants.contains(name);
  });
}

static bool hasOpenSizes(const OnnxGraph& graph, const std::string& value) {
  const auto found = graph.types.find(value);
  return found != graph.types.end() && std::ranges::count(found->second.dims, -1) != 0;
}

/// Forms that are others' because of the types of their inputs.
static std::string whyOtherForTypes(const OnnxGraph& graph, const OnnxNode& node) {
  const auto input = graph.types.find(node.inputs.empty() ? "" : node.inputs[0]);
  const bool isFloat = input == graph.types.end() || input->second.elementType == kFloat;
  const std::string& type = node.opType;
  if (!isFloat && (type == "Resize" || type == "TopK" || type == "ReverseSequence"))
    return "OpenVINO computes other values for integers";
  if (isFloat && (type == "GreaterOrEqual" || type == "LessOrEqual"))
    return "OpenVINO computes other values for NaN";
  const bool hasOtherSizes =
      type == "Split" ? numberOf(node, "num_outputs") != 0 && hasOpenSizes(graph, node.inputs[0])
                      : type == "GatherElements" && hasOpenSizes(graph, node.inputs[1]);
  return hasOtherSizes ? "OpenVINO gives other sizes where they are open" : "";
}

/// Why a node is not even shown to OpenVINO; "" where it is.
static std::string whyNotAsked(const OnnxGraph& graph, const OnnxNode& node) {
  const auto check = [&](const std::string& name) -> std::string {
    const auto found = graph.types.find(name);
    if (name.empty() || found == graph.types.end()) return "";
    const ValueType& type = found->second;
    if (std::ranges::find(type.dims, 0) != type.dims.end()) return "'" + name + "' has no elements";
    if (type.elementType != 0 && elementOf(type.elementType) == ov::element::dynamic)
      return "'" + name + "' is neither f32 nor i32, i64 or bool: OpenVINO computes in others";
    return "";
  };
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) {
      if (std::string why = check(name); !why.empty()) return why;
    }
  }
  if (std::string why = whyOtherForTypes(graph, node); !why.empty()) return why;
  if (node.opType == "Resize" && !keepsImages(graph, node))
    return "OpenVINO resizes spatial dimensions only";
  if (node.opType == "Clip" && !hasConstantBounds(graph, node))
    return "OpenVINO computes other values for bounds that are NaN";
  return whyOtherValues(node);
}

/// The OpenVINO nodes that an ONNX node became: from its outputs backwards. Empty: it left nothing.
static std::set<NodePointer> nodesOf(const OnnxNode& node, const Reading& reading,
                                     const std::set<std::string>& values) {
  std::set<NodePointer> found;
  std::vector<ov::Output<ov::Node>> open;
  const auto isOf = [&](const std::string& name) {
    return std::ranges::find(node.outputs, name) != node.outputs.end();
  };
  const auto isBorder = [&](const ov::Output<ov::Node>& output) {
    return std::ranges::any_of(output.get_names(), [&](const std::string& name) {
      return !isOf(name) && values.contains(name);
    });
  };
  for (const std::string& name : node.outputs) {
    const auto output = reading.outputs.find(name);
    if (output != reading.outputs.end()) open.push_back(output->second);
  }
  while (!open.empty()) {
    const ov::Output<ov::Node> output = open.back();
    open.pop_back();
    if (!found.insert(output.get_node()).second) continue;
    for (const ov::Output<ov::Node>& input : output.get_node()->input_values()) {
      if (!isBorder(input)) open.push_back(input);
    }
  }
  return found;
}

/// What OpenVINO infers for a node's outputs and is not as declared; "" where all is. Some forms of
/// operators are read without an error and are then others.
static std::string whyOtherType(const OnnxGraph& graph, const OnnxNode& node,
                                const Reading& reading) {
  for (const std::string& name : node.outputs) {
    const auto output = reading.outputs.find(name);
    const auto type = graph.types.find(name);
    if (output == reading.outputs.end() || type == graph.types.end()) continue;
    if (ov::is_type<ov::op::v0::Parameter>(output->second.get_node()))
      return "OpenVINO leaves it out, and writes no output that is an input";
    if (type->second.elementType == 0) continue;
    const ov::PartialShape declared(
        std::vector<ov::Dimension>(type->second.dims.begin(), type->second.dims.end()));
    const ov::PartialShape& inferred = output->second.get_partial_shape();
    if (!inferred.compatible(declared))
      return "OpenVINO gives '" + name + "' the shape " + inferred.to_string() + ", expected " +
             declared.to_string();
    if (output->second.get_element_type() != elementOf(type->second.elementType))
      return "OpenVINO gives '" + name + "' the type " +
             output->second.get_element_type().to_string();
  }
  return "";
}

static bool isUnknown(NodePointer node) {
  return dynamic_cast<const ov::op::util::FrameworkNode*>(node) != nullptr;
}

/// Nodes that come after one that the reader does not know: they have no types.
static std::set<NodePointer> afterUnknown(const ov::Model& model) {
  std::set<NodePointer> after;
  for (const auto& op : model.get_ordered_ops()) {
    for (const ov::Output<ov::Node>& input : op->input_values()) {
      if (isUnknown(input.get_node()) || after.contains(input.get_node())) after.insert(op.get());
    }
  }
  return after;
}

namespace {

class Query {
 public:
  explicit Query(const std::string& proto) : proto_(proto), graph_(readGraph(proto)) {
    reasons_.resize(graph_.nodes.size());
    for (const OnnxNode& node : graph_.nodes)
      values_.insert(node.outputs.begin(), node.outputs.end());
    values_.insert(graph_.inputs.begin(), graph_.inputs.end());
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      refuse(i, whyNotAsked(graph_, graph_.nodes[i]));
  }

  std::vector<std::string> answers() {
    while (refused_.size() < graph_.nodes.size() && refuseMore()) {
    }
    return std::move(reasons_);
  }

 private:
  void refuse(size_t node, std::string why) {
    if (why.empty() || !refused_.insert(node).second) return;
    reasons_[node] = std::move(why);
  }

  /// Reads what is left and refuses nodes of it; false when there are none to refuse.
  bool refuseMore() {
    const size_t before = refused_.size();
    const Reading reading = readForQuery(withoutNodes(proto_, refused_));
    std::vector<std::set<NodePointer>> parts(graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!refused_.contains(i)) parts[i] = nodesOf(graph_.nodes[i], reading, values_);
    }
    const std::set<NodePointer> after = afterUnknown(*reading.model);
    refuseWhere(parts, "OpenVINO's ONNX reader does not know this form of it",
                [&](NodePointer node) { return isUnknown(node) && !after.contains(node); });
    if (refused_.size() > before) return true;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].empty()) refuse(i, whyOtherType(graph_, graph_.nodes[i], reading));
    }
    const auto supported = core().query_model(reading.model, kDevice, cpuProperties(1));
    refuseWhere(parts, "OpenVINO's CPU device does not support it",
                [&](NodePointer node) { return !supported.contains(node->get_friendly_name()); });
    return refused_.size() > before;
  }

  void refuseWhere(const std::vector<std::set<NodePointer>>& parts, const std::string& why,
                   const std::function<bool(NodePointer)>& isReason) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (std::ranges::any_of(parts[i], isReason)) refuse(i, why);
    }
  }

  const std::string& proto_;
  OnnxGraph graph_;
  std::set<std::string> values_;  ///< What nodes compute or the graph gets.
  std::vector<std::string> reasons_;
  std::set<size_t> refused_;
};

}  // namespace

std::vector<std::string> queryNodes(const std::string& proto) { return Query(proto).answers(); }

}  // namespace tessera_openvino
