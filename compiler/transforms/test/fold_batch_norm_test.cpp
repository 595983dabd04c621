// Weights that are large enough to be folded in pieces.
#include <gtest/gtest.h>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/test/parse_for_test.h"
#include "compiler/transforms/passes.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::transforms {
namespace {

using namespace mlir;

/// Each channel of a weight of ones takes the factor that its number is.
void expectFactors(const std::string& text, int64_t channels, int64_t inner, int64_t groups) {
  ir::test::TestContext context;
  OwningOpRef<ModuleOp> module = context.parse(text);
  ASSERT_TRUE(module) << context.diagnostics();
  std::vector<float> factors(channels);
  for (int64_t c = 0; c < channels; ++c) factors[c] = static_cast<float>(c + 1);
  module->walk([&](ir::BatchNormOp op) {
    OpBuilder builder(op);
    const auto owner = std::make_shared<const std::vector<float>>(factors);
    op->setOperand(
        1, ir::createConstant(builder, op.getLoc(), cast<RankedTensorType>(op.getScale().getType()),
                              {.bytes = std::as_bytes(std::span(*owner)), .owner = owner}));
  });
  PassManager manager(module->getContext());
  manager.addPass(createFoldBatchNormPass());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  size_t numProducers = 0;
  module->walk([&](Operation* op) {
    EXPECT_FALSE(isa<ir::BatchNormOp>(op));
    if (!isa<ir::ConvOp, ir::ConvTransposeOp>(op)) return;
    ++numProducers;
    const auto weights = ir::constantFloats(op->getOperand(1));
    ASSERT_TRUE(weights);
    const int64_t inEachGroup = channels / groups;
    const int64_t ofGroup = static_cast<int64_t>(weights->size()) / groups;
    for (int64_t i = 0; i < static_cast<int64_t>(weights->size()); ++i) {
      const int64_t channel = i / inner % inEachGroup + i / ofGroup * inEachGroup;
      ASSERT_EQ((*weights)[i], static_cast<double>(channel + 1)) << i;
    }
  });
  EXPECT_EQ(numProducers, 1U);
}

TEST(FoldBatchNormTest, LargeConvolutions) {
  expectFactors(R"(func.func @main(%x: tensor<1x700x4x4xf32>) -> tensor<1x96x4x4xf32> {
    %w = tsr.constant dense<1.0> : tensor<96x700x1x1xf32> -> tensor<96x700x1x1xf32>
    %one = tsr.constant dense<1.0> : tensor<96xf32> -> tensor<96xf32>
    %zero = tsr.constant dense<0.0> : tensor<96xf32> -> tensor<96xf32>
    %0 = tsr.conv %x, %w : (tensor<1x700x4x4xf32>, tensor<96x700x1x1xf32>)
        -> tensor<1x96x4x4xf32>
    %1 = tsr.batch_norm %0, %one, %zero, %zero, %one {epsilon = 0.0 : f32}
        : (tensor<1x96x4x4xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>)
        -> tensor<1x96x4x4xf32>
    return %1 : tensor<1x96x4x4xf32>
  })",
                96, 700, 1);
}

TEST(FoldBatchNormTest, LargeTransposedConvolutionsInGroups) {
  expectFactors(R"(func.func @main(%x: tensor<1x1000x4x4xf32>) -> tensor<1x96x4x4xf32> {
    %w = tsr.constant dense<1.0> : tensor<1000x48x1x1xf32> -> tensor<1000x48x1x1xf32>
    %one = tsr.constant dense<1.0> : tensor<96xf32> -> tensor<96xf32>
    %zero = tsr.constant dense<0.0> : tensor<96xf32> -> tensor<96xf32>
    %0 = tsr.conv_transpose %x, %w {group = 2 : i64}
        : (tensor<1x1000x4x4xf32>, tensor<1000x48x1x1xf32>) -> tensor<1x96x4x4xf32>
    %1 = tsr.batch_norm %0, %one, %zero, %zero, %one {epsilon = 0.0 : f32}
        : (tensor<1x96x4x4xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>)
        -> tensor<1x96x4x4xf32>
    return %1 : tensor<1x96x4x4xf32>
  })",
                96, 1, 2);
}

}  // namespace
}  // namespace tessera::transforms
