#include "frontends/onnx/import/graph/normalize.h"

#include <gtest/gtest.h>

#include "frontends/onnx/import/test/test_models.h"

namespace tessera::onnx {

static Result<Graph> normalized(const ModelProto& proto) {
  TESSERA_TRY(Model model, test::readModel(proto));
  return normalizeModel(std::move(model));
}

static std::string normalizeError(const ModelProto& proto) {
  Result<Graph> graph = normalized(proto);
  return graph ? "" : graph.error().toString();
}

static std::vector<std::string> nodeNames(const Graph& graph) {
  std::vector<std::string> names;
  names.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

TEST(Normalize, KeepsTheOrderOfSortedNodes) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "Relu", {"x"}, {"a"}, "second_in_name");
  test::addNode(graph, "Abs", {"x"}, {"b"}, "first_in_name");
  test::addNode(graph, "Add", {"b", "a"}, {"y"}, "add");
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result);
  EXPECT_EQ(nodeNames(*result),
            (std::vector<std::string>{"second_in_name", "first_in_name", "add"}));
}

TEST(Normalize, SortsNodes) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "Add", {"b", "a"}, {"y"}, "add");
  test::addNode(graph, "Relu", {"x"}, {"a"}, "relu");
  test::addNode(graph, "Abs", {"a"}, {"b"}, "abs");
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result);
  EXPECT_EQ(nodeNames(*result), (std::vector<std::string>{"relu", "abs", "add"}));
}

TEST(Normalize, SortsALongReversedChain) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "v0", {2});
  constexpr int kLength = 100'000;
  for (int i = kLength; i > 0; --i) {
    test::addNode(graph, "Relu", {"v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
  }
  test::addOutput(graph, "v" + std::to_string(kLength));
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->nodes.front().inputs[0], "v0");
}

TEST(Normalize, NamesACycle) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "Add", {"x", "c"}, {"a"}, "one");
  test::addNode(graph, "Relu", {"a"}, {"b"}, "two");
  test::addNode(graph, "Abs", {"b"}, {"c"}, "three");
  test::addOutput(graph, "c");
  EXPECT_EQ(normalizeError(model),
            "node 'one (Add)': the node is part of a cycle of 3 nodes: two <- three <- one");
}

TEST(Normalize, FindsMissingInputs) {
  ModelProto model = test::makeModel(17);
  test::addNode(*model.mutable_graph(), "Relu", {"nowhere"}, {"y"}, "relu");
  test::addOutput(*model.mutable_graph(), "y");
  EXPECT_EQ(
      normalizeError(model),
      "node 'relu (Relu)': input 'nowhere' is not defined by any node, graph input or initializer");
  model = test::makeModel(17);
  test::addOutput(*model.mutable_graph(), "y");
  EXPECT_EQ(normalizeError(model),
            "graph output 'y' is not defined by any node, graph input or initializer");
}

TEST(Normalize, FindsDuplicates) {
  ModelProto model = test::addRelu();
  test::addNode(*model.mutable_graph(), "Abs", {"x"}, {"sum"}, "abs");
  EXPECT_EQ(
      normalizeError(model),
      "node 'abs (Abs)': output 'sum' is already defined by another node, input or initializer");
  model = test::addRelu();
  test::addInput(*model.mutable_graph(), "x", {1});
  EXPECT_EQ(normalizeError(model), "graph input 'x' is defined twice");
  model = test::addRelu();
  test::addFloats(*model.mutable_graph(), "w", {1}, {1});
  EXPECT_EQ(normalizeError(model), "initializer 'w' is defined twice");
}

static void addConstant(GraphProto& graph, const std::string& name, float value) {
  AttributeProto& attribute = *test::addNode(graph, "Constant", {}, {name}).add_attribute();
  attribute.set_name("value");
  attribute.set_type(AttributeProto::TENSOR);
  test::setRaw<float>(*attribute.mutable_t(), TensorProto::FLOAT, {1}, {value});
}

TEST(Normalize, TheLastOfRepeatedConstantsHolds) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addFloats(graph, "w", {1}, {1});
  test::addFloats(graph, "w", {1}, {2});
  test::addFloats(graph, "v", {1}, {3});
  addConstant(graph, "c", 4);
  test::addNode(graph, "Sum", {"w", "v", "c"}, {"y"});
  addConstant(graph, "c", 5);
  addConstant(graph, "v", 6);
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result) << result.error().toString();
  ASSERT_EQ(result->initializers.size(), 2U);
  EXPECT_EQ(test::floatsOf(result->initializers[0].tensor), std::vector<float>{2});
  EXPECT_EQ(test::floatsOf(result->initializers[1].tensor), std::vector<float>{6});
  ASSERT_EQ(result->nodes.size(), 2U);
  const auto& value = std::get<TensorData>(result->nodes[0].findAttribute("value")->value);
  EXPECT_EQ(test::floatsOf(value), std::vector<float>{5});
}

TEST(Normalize, RepeatedConstantsAreOne) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  for (int i = 0; i < 2; ++i) {
    AttributeProto& value = *test::addNode(graph, "Constant", {}, {"c"}).add_attribute();
    value.set_name("value");
    value.set_type(AttributeProto::TENSOR);
    test::setRaw<float>(*value.mutable_t(), TensorProto::FLOAT, {2}, {1, 2});
  }
  test::addOutput(graph, "c");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result) << result.error().toString();
  EXPECT_EQ(result->nodes.size(), 1U);
  // Another type under the same name is an error.
  TensorProto& second = *graph.mutable_node(1)->mutable_attribute(0)->mutable_t();
  second.clear_dims();
  test::setRaw<float>(second, TensorProto::FLOAT, {1}, {1});
  EXPECT_NE(normalizeError(model).find("output 'c' is already defined"), std::string::npos);
}

TEST(Normalize, InitializersThatAreInputsAreConstants) {
  ModelProto model = test::addRelu();
  model.set_ir_version(3);
  test::addInput(*model.mutable_graph(), "w", {3});
  Result<Graph> graph = normalized(model);
  ASSERT_TRUE(graph);
  ASSERT_EQ(graph->inputs.size(), 1U);
  EXPECT_EQ(graph->inputs[0].name, "x");
}

TEST(Normalize, NamesUnnamedNodes) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addInput(graph, "c", {}, TensorProto::BOOL);
  test::addNode(graph, "Relu", {"x"}, {"a"}, "Abs_1");
  test::addNode(graph, "Abs", {"a"}, {"b"});
  NodeProto& node = test::addNode(graph, "If", {"c"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    GraphProto& body = test::addGraphAttribute(node, branch);
    test::addNode(body, "Neg", {"b"}, {"n"});
    test::addOutput(body, "n");
  }
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result) << result.error().toString();
  EXPECT_EQ(nodeNames(*result), (std::vector<std::string>{"Abs_1", "Abs_1_", "If_2"}));
  EXPECT_EQ(result->nodes[2].graphAttribute("else_branch")->nodes[0].name,
            "If_2/else_branch/Neg_0");
}

TEST(Normalize, SubgraphsCaptureAndOrderTheirProducers) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addInput(graph, "c", {}, TensorProto::BOOL);
  NodeProto& node = test::addNode(graph, "If", {"c"}, {"y"}, "if");
  for (const char* branch : {"then_branch", "else_branch"}) {
    GraphProto& body = test::addGraphAttribute(node, branch);
    test::addNode(body, "Neg", {"late"}, {"n"});
    test::addOutput(body, "n");
  }
  test::addNode(graph, "Relu", {"x"}, {"late"}, "relu");
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result) << result.error().toString();
  EXPECT_EQ(nodeNames(*result), (std::vector<std::string>{"relu", "if"}));
  model.mutable_graph()->mutable_node()->DeleteSubrange(1, 1);
  EXPECT_EQ(normalizeError(model),
            "node 'if/then_branch/Neg_0 (Neg)': input 'late' is not defined by any node, graph "
            "input or initializer");
}

TEST(Normalize, BlanksUnusedOutputs) {
  ModelProto model = test::makeModel(9);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "Dropout", {"x"}, {"y", "mask"}, "drop");
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->nodes[0].hasOutput(1));
}

// Functions

static FunctionProto& addFunction(ModelProto& model, const std::string& name,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs) {
  FunctionProto& function = *model.add_functions();
  function.set_name(name);
  function.set_domain("local");
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  OperatorSetIdProto& opset = *function.add_opset_import();
  opset.set_version(13);
  return function;
}

static NodeProto& addBodyNode(FunctionProto& function, const std::string& opType,
                              const std::string& input, const std::string& output,
                              const std::string& domain = "") {
  NodeProto& node = *function.add_node();
  node.set_op_type(opType);
  node.set_domain(domain);
  node.add_input(input);
  node.add_output(output);
  return node;
}

TEST(Functions, AreInlinedWithAttributesAndOwnOpset) {
  ModelProto model = test::makeModel(17);
  FunctionProto& function = addFunction(model, "Act", {"a"}, {"b"});
  AttributeProto& reference = *addBodyNode(function, "LeakyRelu", "a", "t").add_attribute();
  reference.set_name("alpha");
  reference.set_ref_attr_name("slope");
  addBodyNode(function, "Abs", "t", "b");
  AttributeProto& fallback = *function.add_attribute_proto();
  fallback.set_name("slope");
  fallback.set_type(AttributeProto::FLOAT);
  fallback.set_f(0.5f);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  NodeProto& first = test::addNode(graph, "Act", {"x"}, {"m"}, "act1");
  first.set_domain("local");
  test::setAttribute(first, "slope", 0.25f);
  test::addNode(graph, "Act", {"m"}, {"y"}, "act2").set_domain("local");
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result) << result.error().toString();
  EXPECT_EQ(nodeNames(*result), (std::vector<std::string>{"act1/LeakyRelu_0", "act1/Abs_1",
                                                          "act2/LeakyRelu_0", "act2/Abs_1"}));
  EXPECT_EQ(result->nodes[0].floatAttribute("alpha"), 0.25f);
  EXPECT_EQ(result->nodes[2].floatAttribute("alpha"), 0.5f);
  EXPECT_EQ(result->nodes[0].opset, 13);
  EXPECT_EQ(result->nodes[1].outputs[0], "m");
  EXPECT_EQ(result->nodes[2].inputs[0], "m");
}

TEST(Functions, NestAndPassInputsThrough) {
  ModelProto model = test::makeModel(17);
  FunctionProto& inner = addFunction(model, "Inner", {"a"}, {"b", "a"});
  addBodyNode(inner, "Neg", "a", "b");
  FunctionProto& outer = addFunction(model, "Outer", {"p"}, {"q", "r"});
  NodeProto& call = addBodyNode(outer, "Inner", "p", "q", "local");
  call.add_output("r");
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "Outer", {"x"}, {"y", "same"}, "call").set_domain("local");
  test::addOutput(graph, "y");
  test::addOutput(graph, "same");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result) << result.error().toString();
  ASSERT_EQ(result->nodes.size(), 2U);
  EXPECT_EQ(result->nodes[0].name, "call/Inner_0/Neg_0");
  EXPECT_EQ(result->nodes[1].opType, "Identity");
  EXPECT_EQ(result->nodes[1].inputs[0], "x");
  EXPECT_EQ(result->nodes[1].outputs[0], "same");
}

TEST(Functions, AvoidTheNamesOfTheModel) {
  ModelProto model = test::makeModel(17);
  FunctionProto& function = addFunction(model, "Twice", {"a"}, {"b"});
  addBodyNode(function, "Neg", "a", "t");
  addBodyNode(function, "Abs", "t", "b");
  FunctionProto& outer = addFunction(model, "Outer", {"a"}, {"b"});
  addBodyNode(outer, "Twice", "a", "t", "local").set_name("r");
  addBodyNode(outer, "Abs", "t", "r/t");
  addBodyNode(outer, "Abs", "r/t", "b");
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "Relu", {"x"}, {"q/t"}, "relu");
  test::addNode(graph, "Twice", {"q/t"}, {"m"}, "q").set_domain("local");
  test::addNode(graph, "Outer", {"m"}, {"y"}, "o").set_domain("local");
  test::addOutput(graph, "y");
  Result<Graph> result = normalized(model);
  ASSERT_TRUE(result) << result.error().toString();
  EXPECT_EQ(nodeNames(*result),
            (std::vector<std::string>{"relu", "q_1/Neg_0", "q_1/Abs_1", "o/r_1/Neg_0",
                                      "o/r_1/Abs_1", "o/Abs_1", "o/Abs_2"}));
}

TEST(Functions, MayNotCallThemselves) {
  ModelProto model = test::makeModel(17);
  FunctionProto& function = addFunction(model, "Again", {"a"}, {"b"});
  addBodyNode(function, "Again", "a", "b", "local");
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "Again", {"x"}, {"y"}, "call").set_domain("local");
  test::addOutput(graph, "y");
  EXPECT_EQ(normalizeError(model), "node 'call/Again_0 (Again)': function 'Again' calls itself");
}

TEST(Functions, MayNotExplode) {
  ModelProto model = test::makeModel(17);
  FunctionProto& leaf = addFunction(model, "F0", {"a"}, {"b"});
  addBodyNode(leaf, "Neg", "a", "b");
  for (int level = 1; level < 40; ++level) {
    FunctionProto& function = addFunction(model, "F" + std::to_string(level), {"a"}, {"b"});
    addBodyNode(function, "F" + std::to_string(level - 1), "a", "t", "local");
    addBodyNode(function, "F" + std::to_string(level - 1), "t", "b", "local");
  }
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2});
  test::addNode(graph, "F39", {"x"}, {"y"}, "call").set_domain("local");
  test::addOutput(graph, "y");
  EXPECT_NE(normalizeError(model).find("more than 1000000 nodes"), std::string::npos);
}

}  // namespace tessera::onnx
