#include "backends/native/test/kernel_roundings.h"

#include <gtest/gtest.h>

#include "backends/native/test/kernel_runner.h"

namespace tessera::backend_native {

constexpr const char* kRegions = R"(
func.func private @moves(%a: tensor<2x3xf32>) -> tensor<3x4xf32> {
  %k = tsr.constant dense<[0, 0, 0, 2]> : tensor<4xi64> -> tensor<4xi64>
  %0 = tsr.transpose %a {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = tsr.pad %0, %k {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  %2 = tsr.relu %1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}
func.func private @matmul(%a: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = tsr.transpose %a {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = tsr.matmul %a, %0 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
func.func private @sum_open(%a: tensor<?x?xf32>) -> tensor<f32> {
  %0 = tsr.reduce_sum %a {keepdims = 0 : i64} : (tensor<?x?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @exp_max(%a: tensor<2x3xf32>) -> tensor<1x1xf32> {
  %0 = tsr.exp %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tsr.reduce_max %0 : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
)";

TEST(KernelRoundings, AreThoseOfTheOperatorsAndTheSizesOfTheRun) {
  const auto runner = KernelRunner::compile(kRegions, "x86-64-v3");
  ASSERT_TRUE(runner) << runner.error().toString();
  std::vector<reference::Tensor> inputs;
  inputs.emplace_back(ElementType::kF32, reference::Shape{2, 3});
  const auto roundings = [&](const char* region) {
    const auto evaluation = (*runner)->evaluate(region, inputs);
    return evaluation ? evaluation->roundings : -1;
  };
  EXPECT_EQ(roundings("moves"), 0);
  EXPECT_EQ(roundings("matmul"), 3);
  EXPECT_EQ(roundings("sum_open"), 6);
  EXPECT_EQ(roundings("exp_max"), kFunctionRoundings);
}

}  // namespace tessera::backend_native
