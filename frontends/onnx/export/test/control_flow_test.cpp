// If, Loop, Scan and operators that the dialect does not know, there and back.
#include "frontends/onnx/export/test/canonical_text.h"
#include "frontends/onnx/export/test/exported.h"
#include "frontends/onnx/import/import.h"

namespace tessera::onnx::test {

using Names = std::vector<std::string>;

class RoundTrip : public Export {
 protected:
  /// The module's text, and what it is after export and import; empty after an error.
  std::pair<std::string, std::string> thereAndBack(const std::string& text) {
    const mlir::ModuleOp module = parse(text);
    Result<ExportedModel> model = exportModule(module);
    EXPECT_TRUE(model) << model.error().toString();
    if (!model) return {};
    proto_ = *model->proto;
    const std::string bytes = *serializeInline(std::move(*model));
    auto again = importOnnxBytes(*context_.get(), std::as_bytes(std::span(bytes)));
    EXPECT_TRUE(again) << again.error().toString();
    return {canonicalText(module), again ? canonicalText(again->get()) : ""};
  }
  ModelProto proto_;
};

TEST_F(RoundTrip, BranchesSeeTheValuesAround) {
  const auto [before, after] = thereAndBack(R"(
    func.func @main(%c: tensor<i1> {tessera.name = "c"}, %x: tensor<2xf32> {tessera.name = "x"})
        -> (tensor<2xf32> {tessera.name = "y"}) {
      %r = tsr.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc("act")
      %y = tsr.if %c : (tensor<i1>) -> tensor<2xf32> {
        %k = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
        %m = tsr.mul %r, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32> loc("double")
        tsr.yield %m : tensor<2xf32>
      } else {
        tsr.yield %r : tensor<2xf32>
      } loc("choose")
      return %y : tensor<2xf32>
    })");
  EXPECT_EQ(before, after);
  const NodeProto& choose = proto_.graph().node(1);
  const GraphProto& thenBranch = attributeOf(choose, "then_branch")->g();
  EXPECT_EQ(thenBranch.initializer(0).name(), "double.b");
  EXPECT_EQ(thenBranch.output(0).name(), "double");
  // A branch makes its outputs itself.
  const GraphProto& elseBranch = attributeOf(choose, "else_branch")->g();
  ASSERT_EQ(opTypes(elseBranch), Names{"Identity"});
  EXPECT_EQ(elseBranch.node(0).input(0), "act");
  EXPECT_EQ(elseBranch.output(0).name(), elseBranch.node(0).output(0));
}

TEST_F(RoundTrip, LoopsCarryAndCollect) {
  const auto [before, after] = thereAndBack(R"(
    func.func @main(%n: tensor<i64> {tessera.name = "n"}, %x: tensor<2xf32> {tessera.name = "x"})
        -> (tensor<2xf32> {tessera.name = "last"}, tensor<?x2xf32> {tessera.name = "all"}) {
      %r:2 = tsr.loop %n, %x {operandSegmentSizes = array<i32: 1, 0, 1>} :
          (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
        ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<2xf32>):
          %t = tsr.add %s, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("step")
          tsr.yield %c, %t, %t : tensor<i1>, tensor<2xf32>, tensor<2xf32>
      } loc("repeat")
      return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
    })");
  EXPECT_EQ(before, after);
  const NodeProto& loop = proto_.graph().node(0);
  EXPECT_EQ(inputsOf(loop), (Names{"n", "", "x"}));
  const GraphProto& body = attributeOf(loop, "body")->g();
  EXPECT_EQ(body.input_size(), 3);
  EXPECT_EQ(opTypes(body), (Names{"Add", "Identity", "Identity"}));
}

TEST_F(RoundTrip, ScansKeepAxesAndDirections) {
  const auto [before, after] = thereAndBack(R"(
    func.func @main(%s: tensor<3xf32> {tessera.name = "s"}, %x: tensor<3x5xf32> {tessera.name = "x"})
        -> (tensor<3xf32> {tessera.name = "last"}, tensor<5x3xf32> {tessera.name = "all"}) {
      %r:2 = tsr.scan %s, %x {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 1>,
                              scan_input_directions = array<i64: 1>} :
          (tensor<3xf32>, tensor<3x5xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
        ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
          %t = tsr.add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc("step")
          %u = tsr.neg %t : (tensor<3xf32>) -> tensor<3xf32> loc("other")
          tsr.yield %t, %u : tensor<3xf32>, tensor<3xf32>
      } loc("repeat")
      return %r#0, %r#1 : tensor<3xf32>, tensor<5x3xf32>
    })");
  EXPECT_EQ(before, after);
  EXPECT_EQ(attributeOf(proto_.graph().node(0), "scan_input_axes")->ints(0), 1);
}

TEST_F(RoundTrip, ForeignOperatorsGoBackToWhatTheyWere) {
  const auto [before, after] = thereAndBack(R"(
    func.func @main(%x: tensor<2xf32> {tessera.name = "x"}) -> (tensor<2x?xf32> {tessera.name = "y"}) {
      %y, %n = tsr.custom "Fancy"(%x) {domain = "com.acme", opset = 3 : i64, present = array<i1: false, true>,
          onnx_attributes = {count = 7 : i64, kinds = ["a", "b"], mode = "fast", scale = 0.5 : f32,
                             sizes = array<i64: 1, 2>, table = dense<[1, 2, 3]> : tensor<3xi32>,
                             weights = [0.5 : f32, 1.5 : f32], shape = tensor<2x?xf32>,
                             tables = [dense<1.0> : tensor<1xf32>, dense<2.0> : tensor<1xf32>]}} :
          (tensor<2xf32>) -> (tensor<2x?xf32>, none) loc("fancy")
      return %y : tensor<2x?xf32>
    })");
  EXPECT_EQ(before, after);
  const NodeProto& node = proto_.graph().node(0);
  EXPECT_EQ(node.domain(), "com.acme");
  EXPECT_EQ(inputsOf(node), (Names{"", "x"}));
  EXPECT_EQ(node.output(1), "fancy.1");
  EXPECT_EQ(attributeOf(node, "tables")->type(), AttributeProto::TENSORS);
  ASSERT_EQ(proto_.opset_import_size(), 2);
  EXPECT_EQ(proto_.opset_import(1).domain(), "com.acme");
  EXPECT_EQ(proto_.opset_import(1).version(), 3);
}

TEST_F(RoundTrip, OneDomainHasOneVersion) {
  EXPECT_EQ(refusal(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
              %y = tsr.custom "A"(%x) {domain = "d", opset = 1 : i64, present = array<i1: true>,
                                       onnx_attributes = {}} : (tensor<2xf32>) -> tensor<2xf32> loc("a")
              %z = tsr.custom "B"(%y) {domain = "d", opset = 2 : i64, present = array<i1: true>,
                                       onnx_attributes = {}} : (tensor<2xf32>) -> tensor<2xf32> loc("b")
              return %z : tensor<2xf32>
            })"),
            "node 'b (B)': the node is of version 2 of domain 'd', another one of version 1, but a "
            "model has one version");
}

TEST_F(RoundTrip, NamesAreUniqueAcrossBodies) {
  (void)thereAndBack(R"(
    func.func @main(%c: tensor<i1> {tessera.name = "c"}, %x: tensor<2xf32> {tessera.name = "x"})
        -> (tensor<2xf32> {tessera.name = "y"}) {
      %y = tsr.if %c : (tensor<i1>) -> tensor<2xf32> {
        %m = tsr.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc("act")
        tsr.yield %m : tensor<2xf32>
      } else {
        %m = tsr.abs %x : (tensor<2xf32>) -> tensor<2xf32> loc("act")
        tsr.yield %m : tensor<2xf32>
      } loc("choose")
      return %y : tensor<2xf32>
    })");
  const NodeProto& choose = proto_.graph().node(0);
  EXPECT_EQ(attributeOf(choose, "then_branch")->g().output(0).name(), "act");
  EXPECT_EQ(attributeOf(choose, "else_branch")->g().output(0).name(), "act_2");
}

}  // namespace tessera::onnx::test
