// TVM's tests of PartitionGraph, P12 to P22: what enters and leaves regions.
#include "compiler/evaluate/evaluate.h"
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;

class RegionBordersTest : public ParityTest {};

/// A normalisation of three results and a relu on the first.
const char* kNorm = R"(
  !x = tensor<1x2x3x3xf32>
  !m = tensor<1x2x3x1xf32>
  func.func @main(%x: !x, %w: tensor<2x2x1x1xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) -> (!x, !m, !m) {
    %0 = tsr.conv %x, %w : (!x, tensor<2x2x1x1xf32>) -> !x
    %n:3 = tsr.layer_norm %0, %s, %b {resultSegmentSizes = array<i32: 1, 1, 1>} :
      (!x, tensor<3xf32>, tensor<3xf32>) -> (!x, !m, !m)
    %1 = tsr.relu %n#0 : (!x) -> !x
    %2 = tsr.abs %n#1 : (!m) -> !m
    %3 = tsr.abs %n#@ : (!m) -> !m
    return %1, %2, %3 : !x, !m, !m
  })";

std::string normWith(char lastResult) {
  std::string text = kNorm;
  text[text.find('@', text.find("tsr.abs"))] = lastResult;
  return text;
}

TEST_F(RegionBordersTest, P12_MultipleOutputs) {
  place(fastBesideHost(only({"conv", "layer_norm", "relu"})));
  module(normWith('2'));
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0, v1, v2 = fast_0{conv layer_norm relu}(x, y, z, w)", "v3 = abs(v0)",
                           "v4 = abs(v1)", "return(v2, v3, v4)"}));
}

TEST_F(RegionBordersTest, P18_AResultOfTwoUsesIsOne) {
  place(fastBesideHost(only({"conv", "layer_norm", "relu"})));
  module(normWith('1'));
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0, v1 = fast_0{conv layer_norm relu}(x, y, z, w)", "v2 = abs(v0)",
                           "v3 = abs(v0)", "return(v1, v2, v3)"}));
}

TEST_F(RegionBordersTest, P13_MixedSingleAndMultipleOutputs) {
  place(fastBesideHost(only({"abs", "relu", "add"})));
  graph(R"(%a = compiler_begin "fast" %x
           %0 = abs %a
           %1 = relu %0
           %2 = compiler_end "fast" %1
           %3 = compiler_end "fast" %0
           %4 = tanh %3
           %b = compiler_begin "fast" %2
           %c = compiler_begin "fast" %4
           %5 = add %b, %c
           %6 = compiler_end "fast" %5
           return %6)");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0, v1 = fast_0{abs relu}(x)", "v2 = tanh(v0)",
                           "v3 = fast_1{add}(v1, v2)", "return(v3)"}));
}

const char* kTwoUses = R"(%0 = add %x, %y
                          %1 = exp %0
                          %2 = sub %0, %x
                          %3 = mul %1, %2
                          return %3)";

TEST_F(RegionBordersTest, P15_MultipleUseOfAnOutputInOneRegion) {
  place(fastBesideHost(only({"exp", "sub", "mul"})));
  graph(kTwoUses);
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = add(x, y)", "v1 = fast_0{exp sub mul}(v0, x)", "return(v1)"}));
}

TEST_F(RegionBordersTest, P16_MultipleUseOfAnOutputInTwoRegions) {
  place(fastBesideHost(only({"exp", "sub"})));
  graph(kTwoUses);
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = add(x, y)", "v1 = fast_0{exp}(v0)", "v2 = fast_1{sub}(v0, x)",
                           "v3 = mul(v1, v2)", "return(v3)"}));
}

TEST_F(RegionBordersTest, P17_DuplicateOutputs) {
  place(fastBesideHost(only({"add"})));
  graph("%0 = add %x, %y \n %1 = exp %0 \n %2 = abs %0 \n %3 = neg %0 \n return %1, %2, %3");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{add}(x, y)", "v1 = exp(v0)", "v2 = abs(v0)", "v3 = neg(v0)",
                           "return(v1, v2, v3)"}));
}

TEST_F(RegionBordersTest, P20_ResultsAreFlat) {
  place(fastBesideHost(only({"split", "abs"})));
  module(R"(
  !x = tensor<2x4xf32>
  !h = tensor<2x2xf32>
  func.func @main(%x: !x) -> (!x, !h) {
    %0:2 = tsr.split %x {axis = 1 : i64} : (!x) -> (!h, !h)
    %1 = tsr.abs %0#0 : (!h) -> !h
    %2 = tsr.concat %0#1, %0#0 {axis = 1 : i64} : (!h, !h) -> !x
    %3 = tsr.relu %1 : (!h) -> !h
    return %2, %3 : !x, !h
  })");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0, v1, v2 = fast_0{split abs}(x)", "v3 = concat(v1, v0)",
                           "v4 = relu(v2)", "return(v3, v4)"}));
}

/// Nothing connects the two but their region's number, which a pass of one's own may give.
TEST_F(RegionBordersTest, P21_ARegionOfTwoResults) {
  place(fastBesideHost(only({"add", "sub"})));
  module(R"(
  func.func @main(%x: $, %y: $) -> ($, $) {
    %0 = tsr.add %x, %y {tessera.target = #tsr.target<"fast">, tessera.region = 0 : i64} : ($, $) -> $
    %1 = tsr.sub %x, %y {tessera.target = #tsr.target<"fast">, tessera.region = 0 : i64} : ($, $) -> $
    return %0, %1 : $, $
  })");
  runPasses([](OpPassManager& manager) { manager.addPass(partition::createPartitionGraphPass()); });
  EXPECT_EQ(plan(), (Texts{"v0, v1 = fast_0{add sub}(x, y)", "return(v0, v1)"}));
}

/// An owner's pass: operators on constants alone become constants.
struct FoldBody : PassWrapper<FoldBody, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldBody)

  void runOnOperation() override {
    for (auto add : llvm::make_early_inc_range(getOperation().getOps<ir::AddOp>())) {
      const auto a = evaluate::constantTensor(add.getA()), b = evaluate::constantTensor(add.getB());
      if (!a || !b) continue;
      const reference::TensorView inputs[] = {a->view(), b->view()};
      auto results = evaluate::evaluateOperation(*add, inputs);
      if (!results) return signalPassFailure();
      OpBuilder builder(add);
      add.replaceAllUsesWith(
          evaluate::createConstant(builder, add.getLoc(), std::move(results->front())).getResult());
      add.erase();
    }
    getOperation().walk([](ir::ConstantOp constant) {
      if (constant->use_empty()) constant.erase();
    });
  }
};

TEST_F(RegionBordersTest, P22_ARegionWithoutInputs) {
  std::vector<Mock> mocks = fastBesideHost(only({"add"}));
  mocks.front().addRegionPasses = [](OpPassManager& manager) {
    manager.addPass(std::make_unique<FoldBody>());
  };
  place(std::move(mocks));
  graph(R"(%one = tsr.constant dense<1.0> : $ -> $
           %two = tsr.constant dense<2.0> : $ -> $
           %0 = add %one, %two
           return %0)");
  partitioned("all");
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{constant}()", "return(v0)"}));
}

}  // namespace
}  // namespace tessera::tests
