#include "frontends/onnx/import/upgrade/upgrade.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "frontends/onnx/import/test/test_models.h"

namespace tessera::onnx {

namespace {

class TestValues final : public KnownValues {
 public:
  explicit TestValues(std::map<std::string, ValueType, std::less<>> types,
                      std::map<std::string, TensorData, std::less<>> constants = {})
      : types_(std::move(types)), constants_(std::move(constants)) {}
  std::optional<ValueType> typeOf(std::string_view name) const override {
    return find(types_, name);
  }
  std::optional<TensorData> constantOf(std::string_view name) const override {
    return find(constants_, name);
  }

 private:
  template <typename Map>
  static std::optional<typename Map::mapped_type> find(const Map& map, std::string_view name) {
    const auto found = map.find(name);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, ValueType, std::less<>> types_;
  std::map<std::string, TensorData, std::less<>> constants_;
};

}  // namespace

static ValueType tensorType(const std::vector<int64_t>& shape,
                            ElementType element = ElementType::kF32) {
  ValueType type{.element = element, .shape = std::vector<Dimension>(), .otherKind = {}};
  for (const int64_t size : shape) type.shape->push_back({.size = size, .symbol = {}});
  return type;
}

static Node makeNode(const std::string& opType, int64_t opset,
                     const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs = {"y"}) {
  Node node;
  node.opType = opType;
  node.opset = opset;
  node.name = "n";
  node.inputs = inputs;
  node.outputs = outputs;
  return node;
}

/// The upgraded nodes; "x" is a [2, 3, 4] tensor of f32.
static std::vector<Node> upgraded(const Node& node, const std::vector<int64_t>& shape = {2, 3, 4}) {
  const std::vector<float> mixed{2, 0.5f, 1};
  const TestValues types(
      {{"x", tensorType(shape)},
       {"empty", tensorType({0})},
       {"i64", tensorType({1}, ElementType::kI64)}},
      {{"mixed", makeTensor(ElementType::kF32, {3}, std::as_bytes(std::span(mixed)))}});
  Result<std::vector<Node>> nodes = upgradeNode(node, types);
  EXPECT_TRUE(nodes) << nodes.error().toString();
  return nodes ? *nodes : std::vector<Node>();
}

static std::string upgradeError(const Node& node) {
  Result<std::vector<Node>> nodes = upgradeNode(node, TestValues({{"x", tensorType({2, 3, 4})}}));
  return nodes ? "" : nodes.error().toString();
}

/// The tensor that a Constant among `nodes` gives to input `index` of the last node with operator
/// `opType`.
static TensorData constantInput(const std::vector<Node>& nodes, const std::string& opType,
                                size_t index) {
  for (const Node& node : nodes) {
    if (node.opType != opType) continue;
    for (const Node& constant : nodes) {
      if (constant.opType == "Constant" && constant.outputs[0] == node.input(index)) {
        return std::get<TensorData>(constant.findAttribute("value")->value);
      }
    }
  }
  return {};
}

static std::vector<int64_t> constantInts(const std::vector<Node>& nodes, const std::string& opType,
                                         size_t index) {
  return integerValues(constantInput(nodes, opType, index)).value_or(std::vector<int64_t>{-999});
}

static std::vector<std::string> opTypes(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const Node& node : nodes) names.push_back(node.opType);
  return names;
}

TEST(Upgrade, LeavesUnchangedOperatorsAlone) {
  const std::vector<Node> nodes = upgraded(makeNode("Relu", 7, {"x"}));
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].opset, 23);
  Node custom = makeNode("Clip", 1, {"x"});
  custom.domain = "com.example";
  EXPECT_EQ(upgraded(custom)[0].opset, 1);
}

TEST(Upgrade, EveryNewNodeCarriesTheName) {
  Node node = makeNode("Unsqueeze", 11, {"x"});
  node.setAttribute("axes", std::vector<int64_t>{0});
  for (const Node& part : upgraded(node)) EXPECT_EQ(part.name, "n");
}

TEST(Upgrade, AxesBecomeInputs) {
  for (const auto& [opType, lastOld] :
       std::vector<std::pair<std::string, int64_t>>{{"Squeeze", 12},
                                                    {"Unsqueeze", 12},
                                                    {"ReduceSum", 12},
                                                    {"ReduceMean", 17},
                                                    {"ReduceMax", 13},
                                                    {"ReduceMin", 7},
                                                    {"ReduceProd", 11},
                                                    {"ReduceL1", 17},
                                                    {"ReduceL2", 17},
                                                    {"ReduceLogSum", 17},
                                                    {"ReduceLogSumExp", 17},
                                                    {"ReduceSumSquare", 17}}) {
    Node node = makeNode(opType, lastOld, {"x"});
    node.setAttribute("axes", std::vector<int64_t>{0, 2});
    const std::vector<Node> nodes = upgraded(node);
    EXPECT_EQ(constantInts(nodes, opType, 1), (std::vector<int64_t>{0, 2})) << opType;
    EXPECT_EQ(nodes.back().findAttribute("axes"), nullptr) << opType;
  }
  EXPECT_EQ(upgraded(makeNode("ReduceMean", 13, {"x"})).back().inputs.size(), 1U);  // all axes
  EXPECT_EQ(upgradeError(makeNode("Unsqueeze", 11, {"x"})),
            "node 'n (Unsqueeze)': attribute 'axes' is missing");
}

TEST(Upgrade, Slice) {
  Node node = makeNode("Slice", 9, {"x"});
  node.setAttribute("starts", std::vector<int64_t>{1});
  node.setAttribute("ends", std::vector<int64_t>{3});
  node.setAttribute("axes", std::vector<int64_t>{2});
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(constantInts(nodes, "Slice", 1), (std::vector<int64_t>{1}));
  EXPECT_EQ(constantInts(nodes, "Slice", 2), (std::vector<int64_t>{3}));
  EXPECT_EQ(constantInts(nodes, "Slice", 3), (std::vector<int64_t>{2}));
  EXPECT_EQ(upgradeError(makeNode("Slice", 9, {"x"})),
            "node 'n (Slice)': attribute 'starts' is missing");
}

TEST(Upgrade, Split) {
  Node node = makeNode("Split", 11, {"x"}, {"a", "b"});
  EXPECT_FALSE(upgraded(node)[0].intAttribute("num_outputs"));  // The parts must be equal.
  node.setAttribute("split", std::vector<int64_t>{1, 2});
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(constantInts(nodes, "Split", 1), (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(nodes.back().intAttribute("num_outputs"));
}

TEST(Upgrade, Clip) {
  Node node = makeNode("Clip", 6, {"x"});
  node.setAttribute("max", 6.0f);
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_TRUE(nodes.back().input(1).empty());
  const TensorData max = constantInput(nodes, "Clip", 2);
  EXPECT_EQ(max.type, ElementType::kF32);
  EXPECT_TRUE(max.shape.empty());
  EXPECT_EQ(test::floatsOf(max), (std::vector<float>{6}));
  node.inputs = {"unknown"};
  EXPECT_EQ(upgradeError(node),
            "node 'n (Clip)': the element type of input 'unknown' is not known");
}

TEST(Upgrade, Pad) {
  Node node = makeNode("Pad", 10, {"x"});
  node.setAttribute("pads", std::vector<int64_t>{0, 0, 1, 0, 0, 2});
  node.setAttribute("value", 2.5f);
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(constantInts(nodes, "Pad", 1), (std::vector<int64_t>{0, 0, 1, 0, 0, 2}));
  EXPECT_EQ(test::floatsOf(constantInput(nodes, "Pad", 2)), (std::vector<float>{2.5f}));
  EXPECT_EQ(upgradeError(makeNode("Pad", 10, {"x"})),
            "node 'n (Pad)': attribute 'pads' is missing");
}

TEST(Upgrade, TopK) {
  Node node = makeNode("TopK", 9, {"x"}, {"v", "i"});
  node.setAttribute("k", int64_t{3});
  EXPECT_EQ(constantInts(upgraded(node), "TopK", 1), (std::vector<int64_t>{3}));
  EXPECT_EQ(upgradeError(makeNode("TopK", 9, {"x"})), "node 'n (TopK)': attribute 'k' is missing");
}

TEST(Upgrade, Dropout) {
  Node node = makeNode("Dropout", 7, {"x"}, {"y", "mask"});
  node.setAttribute("ratio", 0.3f);
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(opTypes(nodes), (std::vector<std::string>{"Dropout", "Cast"}));
  EXPECT_EQ(nodes[0].findAttribute("ratio"), nullptr);
  EXPECT_EQ(nodes[1].outputs[0], "mask");
  EXPECT_EQ(nodes[1].intAttribute("to"), 1);
  node.opset = 10;  // the mask is bool already
  EXPECT_EQ(opTypes(upgraded(node)), (std::vector<std::string>{"Dropout"}));
}

TEST(Upgrade, UpsampleBecomesResize) {
  Node node = makeNode("Upsample", 7, {"x"});
  node.setAttribute("scales", std::vector<float>{1, 1, 2});
  node.setAttribute("mode", std::string("nearest"));
  std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(nodes.back().opType, "Resize");
  EXPECT_EQ(test::floatsOf(constantInput(nodes, "Resize", 2)), (std::vector<float>{1, 1, 2}));
  EXPECT_TRUE(nodes.back().input(1).empty());
  EXPECT_EQ(*nodes.back().stringAttribute("coordinate_transformation_mode"), "asymmetric");
  EXPECT_EQ(*nodes.back().stringAttribute("nearest_mode"), "floor");
  EXPECT_EQ(*nodes.back().stringAttribute("mode"), "nearest");
  nodes = upgraded(makeNode("Upsample", 9, {"x", "s"}));
  EXPECT_EQ(nodes.back().inputs, (std::vector<std::string>{"x", "", "s"}));
}

TEST(Upgrade, Resize) {
  std::vector<Node> nodes = upgraded(makeNode("Resize", 10, {"x", "s"}));
  EXPECT_EQ(nodes.back().inputs, (std::vector<std::string>{"x", "", "s"}));
  EXPECT_EQ(*nodes.back().stringAttribute("coordinate_transformation_mode"), "asymmetric");
  // Empty tensors stand for absent inputs.
  nodes = upgraded(makeNode("Resize", 11, {"x", "empty", "empty", "i64"}));
  EXPECT_EQ(nodes.back().inputs, (std::vector<std::string>{"x", "", "", "i64"}));
  EXPECT_EQ(nodes.back().stringAttribute("coordinate_transformation_mode"), nullptr);
}

TEST(Upgrade, Resize10RoundsByDirection) {
  const std::vector<Node> nodes = upgraded(makeNode("Resize", 10, {"x", "mixed"}));
  EXPECT_EQ(opTypes(nodes), (std::vector<std::string>{"Constant", "Resize", "Constant", "Resize"}));
  EXPECT_EQ(*nodes[1].stringAttribute("nearest_mode"), "floor");
  EXPECT_EQ(test::floatsOf(constantInput({nodes[0], nodes[1]}, "Resize", 2)),
            (std::vector<float>{2, 1, 1}));
  EXPECT_EQ(*nodes[3].stringAttribute("nearest_mode"), "ceil");
  EXPECT_EQ(test::floatsOf(constantInput({nodes[2], nodes[3]}, "Resize", 2)),
            (std::vector<float>{1, 0.5f, 1}));
}

TEST(Upgrade, ResizeTfHalfPixel) {
  Node node = makeNode("Resize", 11, {"x", "", "s"});
  node.setAttribute("coordinate_transformation_mode", std::string("tf_half_pixel_for_nn"));
  EXPECT_EQ(upgradeError(node),
            "node 'n (Resize)': tf_half_pixel_for_nn is supported with mode nearest and "
            "nearest_mode floor only");
  node.setAttribute("nearest_mode", std::string("floor"));
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(*nodes[0].stringAttribute("coordinate_transformation_mode"), "half_pixel");
  EXPECT_EQ(*nodes[0].stringAttribute("nearest_mode"), "round_prefer_ceil");
}

TEST(Upgrade, SoftmaxAlongTheLastAxisStays) {
  for (const char* opType : {"Softmax", "LogSoftmax", "Hardmax"}) {
    Node node = makeNode(opType, 11, {"x"});
    node.setAttribute("axis", int64_t{2});
    const std::vector<Node> nodes = upgraded(node);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].intAttribute("axis"), 2);
  }
  Node node = makeNode("Softmax", 11, {"unknown"});
  node.setAttribute("axis", int64_t{-1});
  EXPECT_EQ(upgraded(node).size(), 1U);
}

TEST(Upgrade, SoftmaxOverOneLargeDimensionStays) {
  const std::vector<Node> nodes = upgraded(makeNode("Softmax", 9, {"x"}), {1, 1000, 1, 1});
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].intAttribute("axis"), 1);
}

TEST(Upgrade, SoftmaxOverManyDimensionsFlattens) {
  const std::vector<Node> nodes = upgraded(makeNode("Softmax", 12, {"x"}));
  EXPECT_EQ(opTypes(nodes), (std::vector<std::string>{"Shape", "Flatten", "Softmax", "Reshape"}));
  EXPECT_EQ(nodes[1].intAttribute("axis"), 1);
  EXPECT_EQ(nodes[2].intAttribute("axis"), -1);
  EXPECT_EQ(nodes[3].outputs[0], "y");
  EXPECT_EQ(nodes[3].intAttribute("allowzero"), 1);
  EXPECT_EQ(upgraded(makeNode("Softmax", 13, {"x"})).size(), 1U);
  Node node = makeNode("Softmax", 12, {"x"});
  node.setAttribute("axis", int64_t{4});
  EXPECT_EQ(upgradeError(node), "node 'n (Softmax)': axis 4 is outside the input's rank 3");
}

TEST(Upgrade, BatchNormalization) {
  const std::vector<std::string> inputs{"x", "scale", "b", "mean", "var"};
  Node node = makeNode("BatchNormalization", 7, inputs, {"y", "", "", "", ""});
  node.setAttribute("spatial", int64_t{1});
  std::vector<Node> nodes = upgraded(node);
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].outputs, (std::vector<std::string>{"y"}));
  EXPECT_EQ(nodes[0].findAttribute("spatial"), nullptr);
  node.setAttribute("spatial", int64_t{0});
  EXPECT_EQ(opTypes(upgraded(node)),
            (std::vector<std::string>{"Constant", "Sub", "Add", "Sqrt", "Div", "Mul", "Add"}));
  node = makeNode("BatchNormalization", 9, inputs, {"y", "mean_out"});
  EXPECT_EQ(upgradeError(node),
            "node 'n (BatchNormalization)': outputs of the training mode are not supported");
}

TEST(Upgrade, BatchNormalizationInTrainingIsWrittenOut) {
  Node node = makeNode("BatchNormalization", 15, {"x", "scale", "b", "mean", "var"},
                       {"y", "running_mean", "running_var"});
  node.setAttribute("training_mode", int64_t{1});
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(constantInts(nodes, "ReduceMean", 1), (std::vector<int64_t>{0, 2}));
  std::vector<std::string> outputs;
  for (const Node& part : nodes)
    outputs.insert(outputs.end(), part.outputs.begin(), part.outputs.end());
  for (const char* output : {"y", "running_mean", "running_var"}) {
    EXPECT_EQ(std::ranges::count(outputs, output), 1) << output;
  }
  node.inputs[0] = "unknown";
  EXPECT_EQ(
      upgradeError(node),
      "node 'n (BatchNormalization)': an input of rank 2 or more and a float type is expected");
}

TEST(Upgrade, GroupNormalization) {
  Node node = makeNode("GroupNormalization", 18, {"x", "scale", "bias"});
  node.setAttribute("num_groups", int64_t{2});
  const std::vector<Node> nodes = upgraded(node);
  EXPECT_EQ(nodes.back().opType, "GroupNormalization");
  EXPECT_NE(nodes.back().inputs[1], "scale");
  EXPECT_EQ(constantInts(nodes, "Div", 1), (std::vector<int64_t>{2}));
  node.opset = 21;
  EXPECT_EQ(upgraded(node).size(), 1U);
}

TEST(Upgrade, Constant) {
  auto constant = [](const std::string& name, AttributeValue value) {
    Node node = makeNode("Constant", 13, {});
    node.setAttribute(name, std::move(value));
    const std::vector<Node> nodes = upgraded(node);
    return std::get<TensorData>(nodes.at(0).findAttribute("value")->value);
  };
  EXPECT_EQ(test::floatsOf(constant("value_float", 1.5f)), (std::vector<float>{1.5f}));
  EXPECT_EQ(constant("value_floats", std::vector<float>{1, 2}).shape, (std::vector<int64_t>{2}));
  EXPECT_EQ(integerValues(constant("value_int", int64_t{7})), (std::vector<int64_t>{7}));
  EXPECT_TRUE(constant("value_int", int64_t{7}).shape.empty());
  EXPECT_EQ(constant("value_ints", std::vector<int64_t>{1, 2, 3}).shape, (std::vector<int64_t>{3}));
  EXPECT_EQ(upgradeError(makeNode("Constant", 13, {})),
            "node 'n (Constant)': the constant has no value that is a numeric tensor");
}

TEST(Upgrade, OtherSpellings) {
  EXPECT_EQ(upgraded(makeNode("Scatter", 9, {"x", "i", "u"}))[0].opType, "ScatterElements");
  Node node = makeNode("GridSample", 16, {"x", "g"});
  node.setAttribute("mode", std::string("bilinear"));
  EXPECT_EQ(*upgraded(node)[0].stringAttribute("mode"), "linear");
  EXPECT_EQ(*upgraded(makeNode("RoiAlign", 10, {"x", "r", "b"}))[0].stringAttribute(
                "coordinate_transformation_mode"),
            "output_half_pixel");
  EXPECT_EQ(constantInts(upgraded(makeNode("DFT", 17, {"x"})), "DFT", 2),
            (std::vector<int64_t>{1}));
  const Node castLike = upgraded(makeNode("CastLike", 15, {"x", "i64"}))[0];
  EXPECT_EQ(castLike.opType, "Cast");
  EXPECT_EQ(castLike.intAttribute("to"), 7);
}

TEST(Upgrade, ScanLosesItsBatch) {
  Node node = makeNode("Scan", 8, {"", "x"}, {"y"});
  node.setAttribute("num_scan_inputs", int64_t{1});
  node.setAttribute("directions", std::vector<int64_t>{1});
  const std::vector<Node> nodes = upgraded(node, {1, 3, 4});
  EXPECT_EQ(opTypes(nodes), (std::vector<std::string>{"Constant", "Squeeze", "Scan", "Unsqueeze"}));
  EXPECT_NE(nodes[2].intsAttribute("scan_input_directions"), nullptr);
  EXPECT_EQ(upgradeError(node),
            "node 'n (Scan)': Scan version 8 is supported for batch size 1 only, which input 'x' "
            "has not");
}

}  // namespace tessera::onnx
