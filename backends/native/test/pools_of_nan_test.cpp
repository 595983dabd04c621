// Maxima of windows that hold NaN, by each way in which rows of row-major images are combined. They
// are no conformance cases, as max_pool_of_nan is: backends on other libraries may lose NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "backends/native/test/kernel_runner.h"

namespace tessera::backend_native {

using reference::Tensor;

// Rows of 8 results are half a vector of AVX-512, rows of 32 are whole ones.
constexpr const char* kPools = R"(
func.func private @squares(%x: tensor<1x3x8x16xf32>) -> tensor<1x3x4x8xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x3x8x16xf32>) -> tensor<1x3x4x8xf32>
  return %y : tensor<1x3x4x8xf32>
}
func.func private @pairs(%x: tensor<1x3x8x16xf32>) -> tensor<1x3x8x8xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 1, 2>, strides = array<i64: 1, 2>} : (tensor<1x3x8x16xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}
func.func private @padded(%x: tensor<1x3x8x16xf32>) -> tensor<1x3x4x8xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x3x8x16xf32>) -> tensor<1x3x4x8xf32>
  return %y : tensor<1x3x4x8xf32>
}
func.func private @volumes(%x: tensor<1x3x4x8x16xf32>) -> tensor<1x3x2x4x8xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x3x4x8x16xf32>) -> tensor<1x3x2x4x8xf32>
  return %y : tensor<1x3x2x4x8xf32>
}
func.func private @padded_volumes(%x: tensor<1x3x4x8x8xf32>) -> tensor<1x3x4x8x8xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x3x4x8x8xf32>) -> tensor<1x3x4x8x8xf32>
  return %y : tensor<1x3x4x8x8xf32>
}
func.func private @long_volumes(%x: tensor<1x3x4x8x32xf32>) -> tensor<1x3x4x8x32xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x3x4x8x32xf32>) -> tensor<1x3x4x8x32xf32>
  return %y : tensor<1x3x4x8x32xf32>
}
func.func private @long_squares(%x: tensor<1x3x8x64xf32>) -> tensor<1x3x4x32xf32> {
  %y = tsr.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x3x8x64xf32>) -> tensor<1x3x4x32xf32>
  return %y : tensor<1x3x4x32xf32>
}
)";

/// Small whole numbers, one in eight NaN and one in four -inf.
static Tensor numbersAndNan(const reference::Shape& shape) {
  std::mt19937 random(1);
  Tensor tensor(ElementType::kF32, shape);
  for (float& element : tensor.as<float>()) {
    const uint32_t drawn = random() % 16;
    element = static_cast<float>(random() % 15) - 7;
    if (drawn < 2) element = NAN;
    if (drawn >= 12) element = -std::numeric_limits<float>::infinity();
  }
  return tensor;
}

class PoolsOfNan : public testing::TestWithParam<const char*> {};

TEST_P(PoolsOfNan, KeepIt) {
  if (!lowering::runsHere(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  const auto runner = KernelRunner::compile(kPools, GetParam());
  ASSERT_TRUE(runner) << runner.error().toString();
  for (const std::string& name : (*runner)->regions()) {
    SCOPED_TRACE(name);
    const auto type =
        mlir::cast<mlir::RankedTensorType>((*runner)->region(name).getArgumentTypes()[0]);
    std::vector<Tensor> inputs;
    inputs.push_back(numbersAndNan(type.getShape().vec()));
    const auto actual = (*runner)->run(name, inputs, 1);
    ASSERT_TRUE(actual) << actual.error().toString();
    const auto expected = (*runner)->evaluate(name, inputs);
    ASSERT_TRUE(expected) << expected.error().toString();
    const auto results = (*actual)[0].as<float>(), wanted = expected->tensors[0].as<float>();
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (std::isnan(wanted[i]))
        ASSERT_TRUE(std::isnan(results[i])) << "element " << i << " is " << results[i];
      else
        ASSERT_EQ(results[i], wanted[i]) << "element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, PoolsOfNan, testing::Values("x86-64-v3", "x86-64-v4"));

}  // namespace tessera::backend_native
