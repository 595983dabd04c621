// TVM's tests of PartitionGraph, P1 to P14: what is offloaded, under which names, and when.
#include <numeric>

#include "compiler/transforms/passes.h"
#include "tests/parity/mobile_net.h"
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;
using pattern::any;
using pattern::op;
using pattern::Pattern;

class PartitionGraphTest : public ParityTest {
 protected:
  /// "fast" takes these operators, one by one, "host" the rest, likewise.
  void placeSingly(std::vector<std::string> names, backend_api::PatternTable patterns = {}) {
    place({{.name = "fast", .supports = only(std::move(names)), .patterns = std::move(patterns)},
           {.name = "host"}});
  }
  size_t countOf(StringRef kind) {
    return llvm::count_if(regions(*module_),
                          [&](StringRef text) { return text.starts_with((kind + ":").str()); });
  }
};

TEST_F(PartitionGraphTest, P1_MultiNodeCompiler) {
  place(fastBesideHost(only({"add", "sub", "mul"})));
  module(R"(func.func @main(%x: $, %y: $) -> tensor<12xf32> {
    %a = compiler_begin "fast" %x
    %b = compiler_begin "fast" %y
    %0 = add %a, %b
    %1 = sub %0, %b
    %2 = mul %1, %0
    %3 = compiler_end "fast" %2
    %c = compiler_begin "fast" %x
    %4 = mul %c, %c
    %5 = sub %4, %c
    %6 = add %5, %c
    %7 = compiler_end "fast" %6
    %8 = exp %x
    %9 = neg %8
    %r = tsr.concat %3, %7, %9 {axis = 0 : i64} : ($, $, $) -> tensor<12xf32>
    return %r : tensor<12xf32>
  })");
  partitioned();
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast_0{add sub mul}(x, y)", "v1 = fast_1{mul sub add}(x)", "v2 = exp(x)",
                   "v3 = neg(v2)", "v4 = concat(v0, v1, v3)", "return(v4)"}));
}

TEST_F(PartitionGraphTest, P2_SingleOp) {
  place(fastBesideHost(only({"add"})));
  graph(R"(%a = compiler_begin "fast" %x
           %b = compiler_begin "fast" %y
           %0 = add %a, %b
           %1 = compiler_end "fast" %0
           return %1)");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{add}(x, y)", "return(v0)"}));
}

TEST_F(PartitionGraphTest, P3_TheHostsRestIsFused) {
  place({{.name = "fast", .supports = only({"add"}), .rules = merging()},
         {.name = "host", .rules = {.fuseElementwise = true}}});
  graph("%0 = add %x, %y \n %1 = exp %0 \n %2 = mul %0, %1 \n return %2");
  placed();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{add}(x, y)", "v1 = host_0{exp mul}(v0)", "return(v1)"}));
}

TEST_F(PartitionGraphTest, P4_SanitizedNames) {
  place({{.name = "unsanitary-name", .supports = only({"add"}), .rules = merging()},
         {.name = "unsanitary_name", .supports = only({"exp"}), .rules = merging()},
         {.name = "host"}});
  graph("%0 = add %x, %y \n %1 = exp %0 \n return %1");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = unsanitary_name_0{add}(x, y)", "v1 = unsanitary_name_1{exp}(v0)",
                           "return(v1)"}));
  EXPECT_EQ(backend_api::ownerOf(region("unsanitary_name_0")).getKind(), "unsanitary-name");
}

TEST_F(PartitionGraphTest, P5_SeveralFunctions) {
  place(fastBesideHost(only({"add"})));
  module(R"(
  func.func private @sub(%x: $) -> $ {
    %0 = add %x, %x
    return %0
  }
  func.func @main(%x: $, %y: $) -> $ {
    %0 = add %x, %y
    %1 = call @sub(%0) : ($) -> $
    %2 = exp %1
    return %2
  })");
  partitioned();
  EXPECT_EQ(plan("sub"), (Texts{"v0 = fast_0{add}(x)", "return(v0)"}));
  EXPECT_EQ(plan(),
            (Texts{"v0 = fast_1{add}(x, y)", "v1 = @sub(v0)", "v2 = exp(v1)", "return(v2)"}));
}

TEST_F(PartitionGraphTest, P6_WithoutMerging) {
  placeSingly({"mul", "add", "sub"});
  graph("%0 = mul %y, %y \n %1 = add %x, %x \n %2 = sub %0, %1 \n return %2");
  placed();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{mul}(y)", "v1 = fast_1{add}(x)", "v2 = fast_2{sub}(v0, v1)",
                           "return(v2)"}));
}

const char* kSharedWeights = R"(
  !x = tensor<1x2x3x3xf32>
  !w = tensor<2x2x1x1xf32>
  func.func @main(%x: !x, %w: !w) -> !x {
    %0 = tsr.conv %x, %w : (!x, !w) -> !x
    %1 = tsr.conv %0, %w : (!x, !w) -> !x
    %2 = tsr.add %1, %0 : (!x, !x) -> !x
    return %2 : !x
  })";

TEST_F(PartitionGraphTest, P7_SharedWeightsAreOneArgument) {
  place(fastBesideHost(only({"conv", "add"})));
  module(kSharedWeights);
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{conv conv add}(x, y)", "return(v0)"}));
}

TEST_F(PartitionGraphTest, P8_MobileNet) {
  place(fastBesideHost(only({"conv", "add", "relu"})));
  module(mobileNet());
  placed();
  EXPECT_EQ(countOf("fast"), 1U);
  EXPECT_EQ(countOf("host"), 3U);
  const std::vector<float> probabilities = values().front();
  EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0F), 1.0F, 1e-5F);
}

const char* kConvAndNorm = R"(
  !x = tensor<1x2x3x3xf32>
  !v = tensor<2xf32>
  func.func @main(%x: !x) -> !x {
    %w = tsr.constant dense<0.5> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
    %s = tsr.constant dense<[1.0, 2.0]> : !v -> !v
    %b = tsr.constant dense<[0.5, 3.0]> : !v -> !v
    %m = tsr.constant dense<[0.1, 0.2]> : !v -> !v
    %v = tsr.constant dense<[4.0, 5.0]> : !v -> !v
    %0 = tsr.exp %x : (!x) -> !x
    %1 = tsr.conv %0, %w : (!x, tensor<2x2x1x1xf32>) -> !x
    %2 = tsr.batch_norm %1, %s, %b, %m, %v : (!x, !v, !v, !v, !v) -> !x
    %3 = tsr.neg %2 : (!x) -> !x
    return %3 : !x
  })";

TEST_F(PartitionGraphTest, P9_RegionsAreNotSimplified) {
  place(fastBesideHost(only({"conv", "batch_norm"})));
  module(kConvAndNorm);
  partitioned("none");
  runPasses([](OpPassManager& manager) {
    manager.addPass(transforms::createFoldConstantsPass());
    manager.addPass(transforms::createFoldBatchNormPass());
  });
  EXPECT_EQ(plan(), (Texts{"v0 = exp(x)", "v1 = fast_0{conv batch_norm}(v0, c, c, c, c, c)",
                           "v2 = neg(v1)", "return(v2)"}));
}

TEST_F(PartitionGraphTest, P10_InliningLeavesTheRegionsOfOthers) {
  place(fastBesideHost(only({"conv", "batch_norm"})));
  module(kConvAndNorm);
  placed();
  runPasses([](OpPassManager& manager) {
    manager.addPass(partition::createInlineRegionsPass({.targets = {"host"}}));
  });
  EXPECT_EQ(plan(), (Texts{"v0 = exp(x)", "v1 = fast_0{conv batch_norm}(v0, c, c, c, c, c)",
                           "v2 = neg(v1)", "return(v2)"}));
  EXPECT_EQ(backend_api::ownerOf(region("fast_0")).getKind(), "fast");
}

TEST_F(PartitionGraphTest, P11_ABoundConstantIsInside) {
  place(fastBesideHost(only({"add"})));
  graph(R"(%ones = tsr.constant dense<1.0> : $ -> $
           %a = compiler_begin "fast" %ones
           %b = compiler_begin "fast" %x
           %0 = add %a, %b
           %1 = compiler_end "fast" %0
           return %1)");
  partitioned("all");
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{constant add}(x)", "return(v0)"}));
}

TEST_F(PartitionGraphTest, P24_ConstantsAreBoundOrNot) {
  place(fastBesideHost(only({"conv", "batch_norm"})));
  for (const auto& [bind, arguments] : {std::pair{"all", 1U}, std::pair{"none", 6U}}) {
    module(kConvAndNorm);
    partitioned(bind);
    EXPECT_EQ(region("fast_0").getNumArguments(), arguments) << bind;
  }
}

/// P14: how many regions, without merging, patterns of a table leave of one or two layers.
struct Fusion {
  std::string name;
  Texts entries;
  Texts graph;  ///< Operators behind a convolution each, by layer.
  size_t expected;
};
void PrintTo(const Fusion& value, std::ostream* out) { *out << value.name; }

/// The operators of an entry, as its name lists them, behind a convolution.
Pattern behindConvolution(const std::string& name) {
  Pattern pattern = op<ir::ConvOp>(any(), any());
  for (const StringRef step : llvm::split(name, '_')) {
    if (step == "bias") pattern = op<ir::AddOp>(pattern, pattern::constant());
    if (step == "sum") pattern = op<ir::AddOp>(pattern, any());
    if (step == "sigmoid") pattern = op<ir::SigmoidOp>(pattern);
    if (step == "relu") pattern = op<ir::ReluOp>(pattern);
  }
  return pattern;
}

std::string layersText(const Texts& layers) {
  std::string text = R"(
    !x = tensor<1x2x3x3xf32>
    !w = tensor<2x2x1x1xf32>
    func.func @main(%x: !x, %w: !w) -> !x {
      %bias = tsr.constant dense<2.0> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
      )";
  std::string last = "%x";
  int number = 0;
  const auto add = [&](const std::string& operation, const std::string& operand, const char* type) {
    const std::string next = "%" + std::to_string(number++);
    text += next + " = tsr." + operation + " " + last + operand + " : (!x" + type + ") -> !x\n";
    last = next;
  };
  for (const std::string& layer : layers) {
    add("conv", ", %w", ", !w");
    for (const StringRef step : llvm::split(layer, '_')) {
      if (step == "bias") add("add", ", %bias", ", tensor<2x1x1xf32>");
      if (step == "sum") add("add", ", %x", ", !x");
      if (step == "sigmoid" || step == "relu") add(step.str(), "", "");
    }
  }
  return text + "return " + last + " : !x\n}";
}

class FusionTest : public PartitionGraphTest, public testing::WithParamInterface<Fusion> {};

TEST_P(FusionTest, P14_RegionsOfPatterns) {
  backend_api::PatternTable table;
  for (const std::string& entry : GetParam().entries)
    table.push_back({"conv_" + entry, behindConvolution(entry)});
  placeSingly({"conv", "add", "sigmoid", "relu"}, table);
  module(layersText(GetParam().graph));
  placed();
  EXPECT_EQ(countOf("fast"), GetParam().expected) << testing::PrintToString(plan());
  EXPECT_EQ(countOf("host"), 0U);
}

const Texts kNormalised = {"bias_relu", "relu"}, kPlain = {"relu", "relu"},
            kSigmoid = {"bias_sigmoid_relu", "sigmoid_relu"}, kResidual = {"bias_sum_relu"};

INSTANTIATE_TEST_SUITE_P(
    Tables, FusionTest,
    testing::Values(Fusion{"BiasRelu", {"bias_relu"}, kNormalised, 3},
                    Fusion{"Relu", {"relu"}, kNormalised, 4},
                    Fusion{"BiasReluAndRelu", {"bias_relu", "relu"}, kNormalised, 2},
                    Fusion{"ReluOnPlain", {"relu"}, kPlain, 2},
                    Fusion{"BiasReluOnPlain", {"bias_relu"}, kPlain, 4},
                    Fusion{"BiasReluOnSigmoid", {"bias_relu", "relu"}, kSigmoid, 7},
                    Fusion{"BiasOnSigmoid", {"bias", "relu"}, kSigmoid, 6},
                    Fusion{"BiasSigmoidAndRelu", {"bias_sigmoid", "relu"}, kSigmoid, 5},
                    Fusion{"BiasSigmoidAndSigmoid", {"bias_sigmoid", "sigmoid"}, kSigmoid, 4},
                    Fusion{"BiasSum", {"bias_sum"}, kResidual, 2},
                    Fusion{"BiasSumRelu", {"bias_sum_relu"}, kResidual, 1}),
    [](const auto& info) { return info.param.name; });

TEST_F(PartitionGraphTest, P14_MobileNetIsThirtyRegions) {
  placeSingly({"global_average_pool", "matmul", "softmax"},
              {{"conv_bias_relu", behindConvolution("bias_relu")}});
  module(mobileNet());
  placed();
  EXPECT_EQ(countOf("fast"), 30U);
  EXPECT_EQ(countOf("host"), 0U);
}

}  // namespace
}  // namespace tessera::tests
