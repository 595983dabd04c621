#include "frontends/onnx/import/import.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/import/test/test_models.h"

namespace tessera::onnx {

class Import : public testing::Test {
 protected:
  /// Null, with the reason in `error_`, when the import fails.
  mlir::ModuleOp import(const ModelProto& proto, const ImportOptions& options = {}) {
    const std::string bytes = proto.SerializeAsString();
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
        importOnnxBytes(context_, test::bytesOf(bytes), nullptr, options);
    error_ = module ? "" : module.error().toString();
    module_ = module ? std::move(*module) : nullptr;
    return module_ ? *module_ : mlir::ModuleOp();
  }
  std::string errorOf(const ModelProto& proto, const ImportOptions& options = {}) {
    import(proto, options);
    return error_;
  }
  mlir::func::FuncOp mainFunction() { return module_->lookupSymbol<mlir::func::FuncOp>("main"); }
  template <typename Op>
  std::vector<Op> all() {
    std::vector<Op> ops;
    module_->walk([&](Op op) { ops.push_back(op); });
    return ops;
  }
  std::string resultType(unsigned index = 0) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    mainFunction().getResultTypes()[index].print(stream);
    return text;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::string error_;
};

TEST_F(Import, BuildsMain) {
  ASSERT_TRUE(import(test::addRelu())) << error_;
  auto adds = all<ir::AddOp>();
  auto relus = all<ir::ReluOp>();
  ASSERT_EQ(adds.size(), 1U);
  ASSERT_EQ(relus.size(), 1U);
  EXPECT_EQ(ir::sourceNames(adds[0].getLoc())[0], "add");
  EXPECT_EQ(resultType(), "tensor<2x3xf32>");
  EXPECT_EQ(mainFunction().getArgAttrOfType<mlir::StringAttr>(0, ir::kValueNameAttribute), "x");
  EXPECT_EQ(mainFunction().getResultAttrOfType<mlir::StringAttr>(0, ir::kValueNameAttribute), "y");
  const auto bytes = ir::constantBytes(adds[0].getB());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(reinterpret_cast<const float*>(bytes->bytes.data())[2], 3.0f);
}

TEST_F(Import, LargeConstantsGoToTheStore) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {1000});
  test::addFloats(graph, "w", {1000}, std::vector<float>(1000, 2.0f));
  test::addNode(graph, "Mul", {"x", "w"}, {"y"}, "mul");
  test::addOutput(graph, "y");
  ASSERT_TRUE(import(model)) << error_;
  EXPECT_TRUE(llvm::isa<ir::BlobAttr>(all<ir::ConstantOp>().at(0).getValue()));
  EXPECT_EQ(context_.getLoadedDialect<ir::TsrDialect>()->constants().sizeBytes(), 4000U);
}

TEST_F(Import, UnusedInitializersAreLeftOut) {
  ModelProto model = test::addRelu();
  test::addFloats(*model.mutable_graph(), "unused", {3}, {1, 2, 3});
  ASSERT_TRUE(import(model)) << error_;
  EXPECT_EQ(all<ir::ConstantOp>().size(), 1U);
}

TEST_F(Import, TheNumberOfEqualPartsIsNotKept) {
  for (const auto& [size, isKept] : std::vector<std::pair<int64_t, bool>>{{6, false}, {7, true}}) {
    ModelProto model = test::makeModel(18);
    GraphProto& graph = *model.mutable_graph();
    test::addInput(graph, "x", {2, size});
    NodeProto& node = test::addNode(graph, "Split", {"x"}, {"a", "b"}, "split");
    test::setAttribute(node, "axis", int64_t{-1});
    test::setAttribute(node, "num_outputs", int64_t{2});
    test::addOutput(graph, "a");
    test::addOutput(graph, "b");
    ASSERT_TRUE(import(model)) << error_;
    EXPECT_EQ(all<ir::SplitOp>().at(0).getNumOutputs().has_value(), isKept) << size;
  }
}

// Binding

static ModelProto dynamicModel() {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {"batch", 3});
  test::addInput(graph, "z", {"batch", "n"});
  test::addNode(graph, "Relu", {"x"}, {"y"}, "relu");
  test::addNode(graph, "Abs", {"z"}, {"a"}, "abs");
  test::addOutput(graph, "y");
  test::addOutput(graph, "a");
  return model;
}

TEST_F(Import, NamesOfDynamicDimensionsAreKept) {
  ASSERT_TRUE(import(dynamicModel())) << error_;
  const auto type = llvm::cast<mlir::RankedTensorType>(mainFunction().getArgumentTypes()[0]);
  EXPECT_TRUE(type.isDynamicDim(0));
  EXPECT_EQ(ir::layoutOf(type).getDims()[0], "batch");
}

TEST_F(Import, BindsDimensions) {
  ASSERT_TRUE(import(dynamicModel(), {.dims = {{"batch", 4}, {"n", 2}}})) << error_;
  EXPECT_EQ(resultType(0), "tensor<4x3xf32>");
  EXPECT_EQ(resultType(1), "tensor<4x2xf32>");
}

TEST_F(Import, AShapeBindsItsSymbolsEverywhere) {
  ASSERT_TRUE(import(dynamicModel(), {.shapes = {{"x", {5, 3}}}, .dims = {{"n", 2}}})) << error_;
  EXPECT_EQ(resultType(0), "tensor<5x3xf32>");
  EXPECT_EQ(resultType(1), "tensor<5x2xf32>");
}

TEST_F(Import, RefusesBindingsThatDoNotFit) {
  EXPECT_EQ(errorOf(dynamicModel(), {.dims = {{"b", 4}}}),
            "no input has a dimension named 'b'; named dimensions: batch, n");
  EXPECT_EQ(errorOf(dynamicModel(), {.shapes = {{"q", {4}}}}),
            "the model has no input 'q'; inputs: x, z");
  EXPECT_EQ(errorOf(dynamicModel(), {.shapes = {{"x", {4}}}}),
            "input 'x' has rank 2, but the given shape has rank 1");
  EXPECT_EQ(errorOf(dynamicModel(), {.shapes = {{"x", {4, 5}}}}),
            "dimension 1 of input 'x' is 3 in the model, but 5 is given");
  EXPECT_EQ(errorOf(dynamicModel(), {.shapes = {{"x", {5, 3}}}, .dims = {{"batch", 4}}}),
            "dimension 'batch' is bound to 4 and to 5");
  EXPECT_EQ(errorOf(dynamicModel(), {.dims = {{"batch", int64_t{1} << 50}}}),
            "input 'x': the shape has more than 2^48 elements");
  EXPECT_EQ(errorOf(dynamicModel(), {.dims = {{"batch", -4}}}),
            "dimension 'batch' is bound to the negative size -4");
}

/// y = reshape x[1, 4] to `target`
static ModelProto reshapeModel(const std::vector<int64_t>& target) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {1, 4});
  test::addInts(graph, "target", {2}, target);
  test::addNode(graph, "Reshape", {"x", "target"}, {"y"}, "flat");
  test::addOutput(graph, "y");
  return model;
}

TEST_F(Import, OpensSizesOfTheFile) {
  ASSERT_TRUE(import(reshapeModel({-1, 2}), {.shapes = {{"x", {kDynamicSize, 4}}}})) << error_;
  EXPECT_EQ(resultType(), "tensor<?x2xf32>");
  ASSERT_TRUE(import(reshapeModel({-1, 2}), {.shapes = {{"x", {kDynamicSize, kDynamicSize}}}}))
      << error_;
  EXPECT_EQ(resultType(), "tensor<?x2xf32>");
}

TEST_F(Import, OpensASizeThatMayOnlyShrink) {
  // y = x[1, 4] + the first entries, as many as x has, of a table of 6
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {1, 4});
  test::addFloats(graph, "table", {6}, {0, 1, 2, 3, 4, 5});
  test::addInts(graph, "zero", {1}, {0});
  NodeProto& shape = test::addNode(graph, "Shape", {"x"}, {"length"}, "shape");
  test::setAttribute(shape, "start", int64_t{1});
  test::addNode(graph, "Slice", {"table", "zero", "length"}, {"part"}, "positions");
  test::addNode(graph, "Add", {"x", "part"}, {"y"}, "sum");
  test::addOutput(graph, "y");
  EXPECT_TRUE(import(model, {.shapes = {{"x", {1, kDynamicSize}}}})) << error_;
}

TEST_F(Import, RefusesToOpenWhatTheGraphFixes) {
  EXPECT_EQ(
      errorOf(reshapeModel({1, 4}), {.shapes = {{"x", {kDynamicSize, 4}}}}),
      "dimension 0 of input 'x' is 1 in the model and cannot be left open; with twice that, "
      "node 'flat (Reshape)': (C3) shapes [2, 4] and [1, 4] have 8 and 4 elements, expected as "
      "many");
  EXPECT_EQ(errorOf(dynamicModel(), {.shapes = {{"x", {kDynamicSize, 3}}}, .dims = {{"batch", 4}}}),
            "dimension 0 of input 'x' is left open, but its name 'batch' is bound to 4");
}

TEST_F(Import, InputsNeedAShape) {
  ModelProto model = test::addRelu();
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(errorOf(model), "graph input 'x' has no shape; give one with --shape");
  EXPECT_TRUE(import(model, {.shapes = {{"x", {2, 3}}}})) << error_;
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(errorOf(model), "graph input 'x' has the type sequence, expected a tensor");
  model = test::addRelu();
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      TensorProto::STRING);
  EXPECT_EQ(errorOf(model), "graph input 'x' has element type string, which is not supported");
}

// Wrong graphs: every message names the node

static ModelProto oneNode(const std::string& opType, const std::vector<std::string>& inputs,
                          int64_t opset = 17) {
  ModelProto model = test::makeModel(opset);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2, 3});
  test::addInput(graph, "scalar", {});
  test::addInput(graph, "ints", {2}, TensorProto::INT64);
  test::addNode(graph, opType, inputs, {"y"}, "node1");
  test::addOutput(graph, "y");
  return model;
}

TEST_F(Import, ErrorsNameTheNode) {
  ModelProto model = oneNode("Concat", {"x", "scalar"});
  test::setAttribute(*model.mutable_graph()->mutable_node(0), "axis", int64_t{0});
  EXPECT_NE(errorOf(model).find("node 'node1 (Concat)': (C1)"), std::string::npos) << error_;
  EXPECT_NE(errorOf(oneNode("Add", {"x", "ints"})).find("node 'node1 (Add)'"), std::string::npos)
      << error_;
  EXPECT_NE(errorOf(oneNode("Sqrt", {"ints"})).find("node 'node1 (Sqrt)'"), std::string::npos)
      << error_;
}

TEST_F(Import, ChecksInputsAndAttributes) {
  EXPECT_EQ(errorOf(oneNode("Add", {"x"})), "node 'node1 (Add)': input 'b' is missing");
  EXPECT_EQ(errorOf(oneNode("Add", {"", "x"})), "node 'node1 (Add)': input 'a' is missing");
  EXPECT_EQ(errorOf(oneNode("Relu", {"x", "x"})),
            "node 'node1 (Relu)': the node has 2 inputs, but Relu has at most 1");
  EXPECT_EQ(errorOf(oneNode("Concat", {"x"})),
            "node 'node1 (Concat)': attribute 'axis' is missing");
  ModelProto model = oneNode("Concat", {"x"});
  test::setAttribute(*model.mutable_graph()->mutable_node(0), "axis", 1.0f);
  EXPECT_EQ(errorOf(model), "node 'node1 (Concat)': attribute 'axis' is expected to be an int");
  model = oneNode("Relu", {"x"});
  test::setAttribute(*model.mutable_graph()->mutable_node(0), "alpha", 1.0f);
  EXPECT_EQ(errorOf(model),
            "node 'node1 (Relu)': attribute 'alpha' is not defined for Relu in opset 17");
  test::setAttribute(*model.mutable_graph()->mutable_node(0), "alpha", 1.0f);
  EXPECT_EQ(errorOf(model), "node 'node1 (Relu)': attribute 'alpha' is given twice");
}

TEST_F(Import, ChecksOutputTypes) {
  ModelProto model = test::addRelu();
  test::setType(*model.mutable_graph()->mutable_output(0), "y", TensorProto::INT64, {2, 3});
  EXPECT_EQ(errorOf(model), "graph output 'y' is declared as i64, but computed as f32");
}

TEST_F(Import, HugeResultsAreRefused) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {1, 1});
  test::addInts(graph, "shape", {2}, {int64_t{1} << 40, int64_t{1} << 40});
  test::addNode(graph, "Expand", {"x", "shape"}, {"y"}, "expand");
  test::addOutput(graph, "y");
  EXPECT_NE(errorOf(model).find("node 'expand (Expand)': has a result of shape"), std::string::npos)
      << error_;
}

// Operators the dialect does not know

TEST_F(Import, UnknownOperatorsBecomeCustom) {
  ModelProto model = test::makeModel(17);
  OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain("com.example");
  opset.set_version(3);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2, 3});
  NodeProto& node = test::addNode(graph, "Magic", {"x", "", "x"}, {"m"}, "magic");
  node.set_domain("com.example");
  test::setAttribute(node, "level", int64_t{9});
  test::setType(*graph.add_value_info(), "m", TensorProto::FLOAT, {4});
  test::addNode(graph, "Relu", {"m"}, {"y"}, "relu");
  test::addOutput(graph, "y");
  ASSERT_TRUE(import(model)) << error_;
  ir::CustomOp custom = all<ir::CustomOp>().at(0);
  EXPECT_EQ(custom.getDomain(), "com.example");
  EXPECT_EQ(custom.getOpType(), "Magic");
  EXPECT_EQ(custom.getOpset(), 3U);
  EXPECT_EQ(custom.getPresent(), (llvm::ArrayRef<bool>{true, false, true}));
  EXPECT_EQ(custom.getOnnxAttributes().getAs<mlir::IntegerAttr>("level").getInt(), 9);
  EXPECT_EQ(resultType(), "tensor<4xf32>");
  graph.clear_value_info();
  EXPECT_NE(errorOf(model).find("node 'relu (Relu)': the type of input 'm' is not known: it comes "
                                "from operator 'Magic', which Tessera does not know"),
            std::string::npos)
      << error_;
}

// Control flow

TEST_F(Import, ListsTheOperatorsOfTheTableAndThoseThatBecomeOneOfThem) {
  const std::vector<std::string> names = importedOperators();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const char* known :
       {"Add", "CastLike", "Constant", "If", "Loop", "Scan", "Scatter", "Upsample"})
    EXPECT_TRUE(std::ranges::binary_search(names, known)) << known;
  // An older version of it is upgraded, to an operator that nobody has.
  EXPECT_FALSE(std::ranges::binary_search(names, "GridSample"));
}

TEST_F(Import, IfBecomesARegionOp) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2, 3});
  test::addInput(graph, "c", {}, TensorProto::BOOL);
  NodeProto& node = test::addNode(graph, "If", {"c"}, {"y"}, "if");
  GraphProto& thenBody = test::addGraphAttribute(node, "then_branch");
  test::addNode(thenBody, "Neg", {"x"}, {"t"});
  test::addOutput(thenBody, "t");
  GraphProto& elseBody = test::addGraphAttribute(node, "else_branch");
  test::addFloats(elseBody, "e", {2, 4}, std::vector<float>(8, 1.0f));
  test::addOutput(elseBody, "e");
  test::addOutput(graph, "y");
  ASSERT_TRUE(import(model)) << error_;
  EXPECT_EQ(resultType(), "tensor<2x?xf32>");
  EXPECT_EQ(all<ir::IfOp>().size(), 1U);
  test::addOutput(thenBody, "x");
  EXPECT_EQ(errorOf(model), "node 'if (If)': then_branch has 2 outputs, else_branch 1");
}

/// y = (If(c): x reduced to a scalar, else to [1]) used by the given operator with `other`.
static ModelProto ifOfTwoRanks(const char* user, const char* other) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "c", {}, TensorProto::BOOL);
  test::addInput(graph, "x", {1});
  test::addInput(graph, "vector", {3});
  test::addFloats(graph, "scalar", {}, {2});
  NodeProto& node = test::addNode(graph, "If", {"c"}, {"m"}, "if");
  GraphProto& first = test::addGraphAttribute(node, "then_branch");
  test::addNode(first, "Squeeze", {"x"}, {"s"}, "squeeze");
  test::addOutput(first, "s");
  GraphProto& second = test::addGraphAttribute(node, "else_branch");
  test::addNode(second, "Neg", {"x"}, {"n"}, "neg");
  test::addOutput(second, "n");
  test::addNode(graph, "Abs", {"m"}, {"a"}, "abs");
  test::addNode(graph, user, {"a", other}, {"y"}, "user");
  test::addOutput(graph, "y");
  return model;
}

TEST_F(Import, IfOfTwoRanksBroadcasts) {
  ASSERT_TRUE(import(ifOfTwoRanks("Mul", "vector")));
  EXPECT_EQ(all<ir::IfOp>()[0].getResult(0).getType(),
            mlir::RankedTensorType::get({1}, mlir::Float32Type::get(&context_)));
  EXPECT_EQ(all<ir::UnsqueezeOp>().size(), 1U);
  const std::string sentence =
      " is 1 or less, whichever branch of an If the data chooses, expected one rank";
  // A scalar gives the product the rank of the branch, and a matrix product looks at it.
  EXPECT_EQ(errorOf(ifOfTwoRanks("Mul", "scalar")), "the rank of 'y'" + sentence);
  EXPECT_EQ(errorOf(ifOfTwoRanks("MatMul", "x")),
            "node 'user (MatMul)': the rank of 'a'" + sentence);
}

TEST_F(Import, IfOnAShapeTakesOneBranch) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {1, 3});
  test::addInts(graph, "one", {1}, {1});
  test::addInts(graph, "zero", {1}, {0});
  NodeProto& shape = test::addNode(graph, "Shape", {"x"}, {"shape"});
  test::setAttribute(shape, "end", int64_t{1});
  test::addNode(graph, "Equal", {"shape", "one"}, {"c"});
  NodeProto& node = test::addNode(graph, "If", {"c"}, {"y"}, "if");
  GraphProto& thenBody = test::addGraphAttribute(node, "then_branch");
  test::addNode(thenBody, "Squeeze", {"x", "zero"}, {"t"}, "squeeze");
  test::addOutput(thenBody, "t");
  GraphProto& elseBody = test::addGraphAttribute(node, "else_branch");
  test::addNode(elseBody, "Identity", {"x"}, {"e"});
  test::addOutput(elseBody, "e");
  test::addOutput(graph, "y");
  ASSERT_TRUE(import(model)) << error_;
  EXPECT_EQ(resultType(), "tensor<3xf32>");
  EXPECT_TRUE(all<ir::IfOp>().empty());
}

static ModelProto loopModel() {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {2, 3});
  test::addInts(graph, "trips", {}, {4});
  NodeProto& node = test::addNode(graph, "Loop", {"trips", "", "x"}, {"last", "steps"}, "loop");
  GraphProto& body = test::addGraphAttribute(node, "body");
  test::addInput(body, "i", {}, TensorProto::INT64);
  test::addInput(body, "go_in", {}, TensorProto::BOOL);
  test::addInput(body, "carried", {2, 3});
  test::addNode(body, "Identity", {"go_in"}, {"go"});
  NodeProto& concat = test::addNode(body, "Concat", {"carried", "x"}, {"longer"}, "grow");
  test::setAttribute(concat, "axis", int64_t{0});
  NodeProto& sum = test::addNode(body, "ReduceMean", {"carried"}, {"mean"});
  test::setAttribute(sum, "keepdims", int64_t{0});
  for (const char* output : {"go", "longer", "mean"}) test::addOutput(body, output);
  test::addOutput(graph, "last");
  test::addOutput(graph, "steps");
  return model;
}

TEST_F(Import, LoopWidensWhatItCarries) {
  ASSERT_TRUE(import(loopModel())) << error_;
  EXPECT_EQ(resultType(0), "tensor<?x3xf32>");
  EXPECT_EQ(resultType(1), "tensor<?xf32>");
  EXPECT_EQ(all<ir::LoopOp>().size(), 1U);
  EXPECT_EQ(all<ir::ConcatOp>().size(), 1U);
}

TEST_F(Import, LoopErrorsNameTheInnerNode) {
  ModelProto model = loopModel();
  GraphProto& body = *model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g();
  body.mutable_node(1)->set_op_type("Add");
  EXPECT_NE(errorOf(model).find("node 'grow (Add)'"), std::string::npos) << error_;
  model = loopModel();
  model.mutable_graph()
      ->mutable_node(0)
      ->mutable_attribute(0)
      ->mutable_g()
      ->mutable_input()
      ->RemoveLast();
  EXPECT_NE(error_ = errorOf(model), "");
}

TEST_F(Import, ScanSlicesAndStacks) {
  ModelProto model = test::makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  test::addInput(graph, "x", {5, 3});
  test::addInput(graph, "s", {3});
  NodeProto& node = test::addNode(graph, "Scan", {"s", "x"}, {"last", "all"}, "scan");
  test::setAttribute(node, "num_scan_inputs", int64_t{1});
  GraphProto& body = test::addGraphAttribute(node, "body");
  test::addInput(body, "state", {3});
  test::addInput(body, "slice", {3});
  test::addNode(body, "Add", {"state", "slice"}, {"next"});
  test::addOutput(body, "next");
  test::addOutput(body, "next");
  test::addOutput(graph, "last");
  test::addOutput(graph, "all");
  ASSERT_TRUE(import(model)) << error_;
  EXPECT_EQ(resultType(0), "tensor<3xf32>");
  EXPECT_EQ(resultType(1), "tensor<5x3xf32>");
  node.mutable_attribute(0)->set_i(3);
  EXPECT_EQ(errorOf(model), "node 'scan (Scan)': num_scan_inputs is 3, but the node has 2 inputs");
}

// Broken bytes

TEST_F(Import, MutatedModelsNeverCrash) {
  std::mt19937 random(11);
  for (const ModelProto& proto : {test::addRelu(), loopModel(), dynamicModel()}) {
    const std::string original = proto.SerializeAsString();
    for (int round = 0; round < 1500; ++round) {
      std::string bytes = original;
      for (int flip = 0; flip < 1 + round % 3; ++flip) {
        char& byte = bytes[random() % bytes.size()];
        byte = static_cast<char>(byte ^ (1 << (random() % 8)));
      }
      const auto module = importOnnxBytes(context_, test::bytesOf(bytes));
      if (!module) {
        EXPECT_NE(module.error().message, "");
      }
    }
  }
}

TEST_F(Import, FileErrorsNameTheFile) {
  const std::string path = testing::TempDir() + "/import_test_bad.onnx";
  const ModelProto model = oneNode("Add", {"x"});
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  const auto module = importOnnxFile(context_, path);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().toString(), path + ": node 'node1 (Add)': input 'b' is missing");
  std::filesystem::remove(path);
}

}  // namespace tessera::onnx
