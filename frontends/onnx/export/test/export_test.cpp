// What a function becomes: names, types, borders, composites, layouts, calls.
#include "frontends/onnx/export/export.h"

#include <cstring>

#include "compiler/ir/io/constants.h"
#include "frontends/onnx/export/test/exported.h"

namespace tessera::onnx::test {

using testing::Test;
using Names = std::vector<std::string>;

static const char* const kTwoConvs = R"(
module @net {
  func.func @main(%x: tensor<1x3x8x8xf32> {tessera.name = "image"}) -> (tensor<1x4x8x8xf32> {tessera.name = "y"}) {
    %w = tsr.constant dense<0.5> : tensor<4x3x1x1xf32> -> tensor<4x3x1x1xf32>
    %b = tsr.constant dense<1.0> : tensor<4xf32> -> tensor<4xf32>
    %c = tsr.conv %x, %w, %b : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32> loc("conv")
    %r = tsr.relu %c : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> loc("act")
    %d = tsr.add %r, %c : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> loc(fused["conv", "residual"])
    %s = tsr.abs %d : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> loc("image")
    return %s : tensor<1x4x8x8xf32>
  }
})";

TEST_F(Export, NamesComeFromTheModelAndAreUnique) {
  const ExportedModel model = exported(kTwoConvs);
  const GraphProto& graph = model.proto->graph();
  ASSERT_EQ(error_, "");
  EXPECT_EQ(graph.name(), "net");
  EXPECT_EQ(graph.input(0).name(), "image");
  EXPECT_EQ(graph.output(0).name(), "y");
  ASSERT_EQ(opTypes(graph), (Names{"Conv", "Relu", "Add", "Abs"}));
  EXPECT_EQ(inputsOf(graph.node(0)), (Names{"image", "conv.w", "conv.b"}));
  EXPECT_EQ(inputsOf(graph.node(2)), (Names{"act", "conv"}));
  // The second operation of node `conv`; all the nodes it comes from are said beside it.
  EXPECT_EQ(graph.node(2).name(), "conv_2");
  EXPECT_EQ(noteOf(graph.node(2), "tessera.source_nodes"), "conv, residual");
  EXPECT_EQ(noteOf(graph.node(0), "tessera.source_nodes"), "");
  // Nodes and values have names of their own: the value `image` does not rename the node.
  EXPECT_EQ(graph.node(3).name(), "image");
  EXPECT_EQ(graph.node(3).output(0), "y");
  EXPECT_EQ(graph.initializer(0).name(), "conv.w");
}

TEST_F(Export, IsTheSameEachTimeAndLeavesTheModuleAlone) {
  const mlir::ModuleOp module = parse(kTwoConvs);
  const std::string before = ir::test::toText(module);
  const std::string first = exportModule(module, {.opset = 13})->proto->SerializeAsString();
  EXPECT_EQ(exportModule(module, {.opset = 13})->proto->SerializeAsString(), first);
  EXPECT_EQ(ir::test::toText(module), before);
}

TEST_F(Export, OneFunctionHasInputsAndOutputsByNumber) {
  mlir::ModuleOp module = parse(R"(
    func.func @region_7(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %s = tsr.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %s, %s : tensor<2xf32>, tensor<2xf32>
    })");
  const auto model = exportFunction(module.lookupSymbol<mlir::func::FuncOp>("region_7"));
  ASSERT_TRUE(model);
  const GraphProto& graph = model->proto->graph();
  EXPECT_EQ(graph.name(), "region_7");
  EXPECT_EQ(inputsOf(graph.node(0)), (Names{"input_0", "input_1"}));
  // An operation without a name is called as its operator; a value returned twice is copied.
  EXPECT_EQ(graph.node(0).name(), "Add");
  EXPECT_EQ(opTypes(graph), (Names{"Add", "Identity"}));
  EXPECT_EQ(graph.node(1).input(0), "output_0");
  EXPECT_EQ(graph.node(1).output(0), "output_1");
}

TEST_F(Export, InputsAndConstantsCanBeOutputs) {
  const ExportedModel model = exported(R"(
    func.func @main(%x: tensor<2xf32> {tessera.name = "x"})
        -> (tensor<2xf32> {tessera.name = "x"}, tensor<2xf32> {tessera.name = "y"}, tensor<f32> {tessera.name = "z"}) {
      %c = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>
      return %x, %x, %c : tensor<2xf32>, tensor<2xf32>, tensor<f32>
    })");
  ASSERT_EQ(error_, "");
  const GraphProto& graph = model.proto->graph();
  EXPECT_EQ(graph.output(0).name(), "x");
  ASSERT_EQ(opTypes(graph), (Names{"Identity", "Identity"}));
  EXPECT_EQ(graph.node(0).input(0), "x");
  EXPECT_EQ(graph.node(1).output(0), "z");
}

TEST_F(Export, OpenDimensionsKeepTheirNames) {
  const ExportedModel model = exported(R"(
    func.func @main(%x: tensor<?x3x?xf32, #tsr.layout<dims = ["batch", "", ""]>>)
        -> tensor<?x3x?xf32, #tsr.layout<dims = ["batch", "", ""]>> {
      %y = tsr.relu %x : (tensor<?x3x?xf32, #tsr.layout<dims = ["batch", "", ""]>>)
          -> tensor<?x3x?xf32, #tsr.layout<dims = ["batch", "", ""]>>
      return %y : tensor<?x3x?xf32, #tsr.layout<dims = ["batch", "", ""]>>
    })");
  ASSERT_EQ(error_, "");
  for (const ValueInfoProto* info :
       {&model.proto->graph().input(0), &model.proto->graph().output(0)}) {
    const TensorShapeProto& shape = info->type().tensor_type().shape();
    EXPECT_EQ(shape.dim(0).dim_param(), "batch");
    EXPECT_EQ(shape.dim(1).dim_value(), 3);
    EXPECT_EQ(shape.dim(2).value_case(), TensorShapeProto::Dimension::VALUE_NOT_SET);
  }
}

static const char* const kGelu = R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = tsr.composite "gelu"(%x) {approximate = "none"} : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %half = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
        %e = tsr.erf %a : (tensor<4xf32>) -> tensor<4xf32> loc("erf")
        %m = tsr.mul %e, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> loc("mul")
        tsr.yield %m : tensor<4xf32>
    } loc(fused["erf", "mul"])
    return %y : tensor<4xf32>
  })";

TEST_F(Export, CompositesBecomeTheirOperatorOrTheirBody) {
  EXPECT_EQ(opTypes(exported(kGelu, {.opset = 20}).proto->graph()), Names{"Gelu"});
  const ExportedModel body = exported(kGelu, {.opset = 19});
  EXPECT_EQ(opTypes(body.proto->graph()), (Names{"Erf", "Mul"}));
  EXPECT_EQ(body.proto->graph().node(1).name(), "mul");
}

TEST_F(Export, ACompositeThatItsOperatorDoesNotFitBecomesItsBody) {
  // The scale of a LayerNormalization broadcasts to the normalised dimensions: this one does not.
  const ExportedModel model = exported(R"(
    func.func @main(%x: tensor<2x4xf32>, %s: tensor<3xf32>) -> tensor<2x4xf32> {
      %y = tsr.composite "layer_norm"(%x, %s, %s) {axis = 1 : i64, epsilon = 1.0e-5 : f32} :
          (tensor<2x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x4xf32> {
        ^bb0(%a: tensor<2x4xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>):
          %e = tsr.relu %a : (tensor<2x4xf32>) -> tensor<2x4xf32>
          tsr.yield %e : tensor<2x4xf32>
      }
      return %y : tensor<2x4xf32>
    })");
  EXPECT_EQ(opTypes(model.proto->graph()), Names{"Relu"}) << error_;
}

TEST_F(Export, LayoutsDoNotShow) {
  // 0 1 2 3 in blocks of two columns: rows of the memory are columns of the matrix.
  const ExportedModel model = exported(R"(
    func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %c = tsr.constant dense<0.0> : tensor<2x2xf32> -> tensor<2x2xf32>
      %p = tsr.relayout %x : (tensor<2x2xf32>) -> tensor<2x2xf32, #tsr.layout<order = [1, 0]>>
      %q = tsr.relu %p : (tensor<2x2xf32, #tsr.layout<order = [1, 0]>>)
          -> tensor<2x2xf32, #tsr.layout<order = [1, 0]>>
      %r = tsr.relayout %q : (tensor<2x2xf32, #tsr.layout<order = [1, 0]>>) -> tensor<2x2xf32>
      %s = tsr.copy %r : (tensor<2x2xf32>) -> tensor<2x2xf32, #tsr.layout<space = "far">>
      %t = tsr.copy %s : (tensor<2x2xf32, #tsr.layout<space = "far">>) -> tensor<2x2xf32>
      return %t : tensor<2x2xf32>
    })");
  EXPECT_EQ(opTypes(model.proto->graph()), Names{"Relu"}) << error_;
}

TEST_F(Export, AConstantInAnotherOrderBecomesRowMajor) {
  const auto columns = std::make_shared<std::vector<float>>(
      std::initializer_list<float>{0, 2, 1, 3});  // of [[0, 1], [2, 3]]
  const std::string hash =
      context_.constants().add({.bytes = std::as_bytes(std::span(*columns)), .owner = columns});
  const ExportedModel model = exported(R"(
    func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %c = tsr.constant #tsr.blob<")" + hash +
                                       R"("> -> tensor<2x2xf32, #tsr.layout<order = [1, 0]>>
      %y = tsr.add %x, %c : (tensor<2x2xf32>, tensor<2x2xf32, #tsr.layout<order = [1, 0]>>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })");
  ASSERT_EQ(error_, "");
  const std::string& raw = model.proto->graph().initializer(0).raw_data();
  std::vector<float> rows(4);
  ASSERT_EQ(raw.size(), 16U);
  std::memcpy(rows.data(), raw.data(), raw.size());
  EXPECT_EQ(rows, (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(Export, RegionsStandInPlaceOfTheirCalls) {
  const std::string text = R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = call @part(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %b = call @part(%a) : (tensor<2xf32>) -> tensor<2xf32>
      return %b : tensor<2xf32>
    }
    func.func private @part(%x: tensor<2xf32>) -> tensor<2xf32> attributes {who = "someone"} {
      %y = tsr.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc("act")
      return %y : tensor<2xf32>
    })";
  const ExportedModel model =
      exported(text, {.notes = [](mlir::Operation* op) -> NodeNotes {
                 auto who = op->getParentOp()->getAttrOfType<mlir::StringAttr>("who");
                 return who ? NodeNotes{{"owner", who.str()}} : NodeNotes{};
               }});
  const GraphProto& graph = model.proto->graph();
  ASSERT_EQ(opTypes(graph), (Names{"Relu", "Relu"})) << error_;
  EXPECT_EQ(graph.node(1).name(), "act_2");
  EXPECT_EQ(noteOf(graph.node(0), "owner"), "someone");
  EXPECT_EQ(noteOf(graph.node(1), "owner"), "someone");
}

TEST_F(Export, WhatARuleMakesHasTheNotesOfWhatItReplaces) {
  const ExportedModel model = exported(
      R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        %y = tsr.mish %x : (tensor<2xf32>) -> tensor<2xf32> loc("act")
        return %y : tensor<2xf32>
      })",
      {.opset = 13, .notes = [](mlir::Operation*) { return NodeNotes{{"owner", "someone"}}; }});
  const GraphProto& graph = model.proto->graph();
  ASSERT_EQ(opTypes(graph), (Names{"Softplus", "Tanh", "Mul"}));
  for (const NodeProto& node : graph.node()) EXPECT_EQ(noteOf(node, "owner"), "someone");
  EXPECT_EQ(graph.node(0).name(), "act");
}

TEST_F(Export, SaysItsVersions) {
  for (const auto& [opset, irVersion] :
       {std::pair<int, int>{13, 7}, {15, 8}, {19, 9}, {21, 10}, {23, 11}}) {
    const ExportedModel model = exported(kTwoConvs, {.opset = opset});
    EXPECT_EQ(model.proto->ir_version(), irVersion);
    EXPECT_EQ(model.proto->opset_import(0).version(), opset);
  }
}

// Refusals

TEST_F(Export, RefusesOpsetsOutOfRange) {
  EXPECT_EQ(refusal(kTwoConvs, 12), "opset 12 is not among those that can be written, 13 to 23");
  EXPECT_EQ(refusal(kTwoConvs, 24), "opset 24 is not among those that can be written, 13 to 23");
}

static std::string unary(const std::string& op, const std::string& type) {
  return "func.func @main(%x: " + type + ") -> " + type + " {\n%y = tsr." + op + " %x : (" + type +
         ") -> " + type + " loc(\"n\")\nreturn %y : " + type + "\n}";
}

TEST_F(Export, RefusesOperatorsThatTheOpsetLacks) {
  EXPECT_EQ(refusal(unary("bitwise_not", "tensor<2xi32>"), 17),
            "node 'n (BitwiseNot)': operator BitwiseNot came with opset 18 and has no other form "
            "in opset 17");
  EXPECT_EQ(refusal(unary("bitwise_not", "tensor<2xi32>"), 18), "");
}

TEST_F(Export, RefusesElementTypesThatTheOpsetLacks) {
  EXPECT_EQ(refusal(unary("sin", "tensor<2xbf16>"), 21),
            "node 'n (Sin)': operator Sin of opset 21 has no bf16 as input 0");
  EXPECT_EQ(refusal(unary("sin", "tensor<2xbf16>"), 22), "");
}

TEST_F(Export, RefusesAttributesThatTheOpsetLacks) {
  const std::string text = R"(func.func @main(%x: tensor<1x1x5xf32>) -> tensor<1x1x3xf32> {
    %y = tsr.average_pool %x {dilations = array<i64: 2>, kernel_shape = array<i64: 2>} :
        (tensor<1x1x5xf32>) -> tensor<1x1x3xf32> loc("p")
    return %y : tensor<1x1x3xf32>
  })";
  EXPECT_EQ(
      refusal(text, 18),
      "node 'p (AveragePool)': operator AveragePool of opset 18 has no attribute 'dilations'");
  EXPECT_EQ(refusal(text, 19), "");
}

TEST_F(Export, RefusesAxesThatAreKnownAtRunTimeOnly) {
  const std::string text = R"(
    func.func @main(%x: tensor<2x3xf32>, %a: tensor<1xi64>) -> tensor<?x?xf32> {
      %y = tsr.reduce_max %x, %a : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?x?xf32> loc("m")
      return %y : tensor<?x?xf32>
    })";
  EXPECT_EQ(refusal(text, 17),
            "node 'm (ReduceMax)': operator ReduceMax with axes that are known at run time only "
            "has no form in opset 17");
  EXPECT_EQ(refusal(text, 18), "");
}

TEST_F(Export, RefusesBordersInOtherLayouts) {
  EXPECT_EQ(
      refusal(unary("relu", "tensor<2x2xf32, #tsr.layout<order = [1, 0]>>")),
      "input 0 has another layout than row-major order in host memory, which is all that ONNX has");
  EXPECT_EQ(
      refusal(unary("relu", "tensor<2xf32, #tsr.layout<space = \"far\">>")),
      "input 0 has another layout than row-major order in host memory, which is all that ONNX has");
}

TEST_F(Export, RefusesWhatIsNoTensorProgram) {
  EXPECT_EQ(refusal("func.func @main(%x: i64) { return }"),
            "input 0 is no tensor, as in a module that is past phase post_partition");
  EXPECT_EQ(refusal("module {}"), "the module has no function 'main'");
  EXPECT_EQ(refusal(R"(func.func @main() {
              tsr.alloc {size = 4 : i64} : !tsr.buffer<tensor<1xf32>>
              return
            })"),
            "node 'tsr.alloc': operation 'tsr.alloc' has no form in ONNX");
}

TEST_F(Export, RefusesCallsThatNeverEnd) {
  EXPECT_EQ(refusal(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
              %y = call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>
              return %y : tensor<2xf32>
            })"),
            "function 'main' calls itself");
}

}  // namespace tessera::onnx::test
