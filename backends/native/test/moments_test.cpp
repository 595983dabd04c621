// Normalisations of lines whose mean is far from 0, or whose elements are alike but for a few.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "backends/native/test/kernel_runner.h"

namespace tessera::backend_native {

using reference::Tensor;

constexpr const char* kNorms = R"(
func.func private @rows(%x: tensor<6x768xf32>, %a: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<6x768xf32> {
  %y = tsr.layer_norm %x, %a, %b {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<6x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<6x768xf32>
  return %y : tensor<6x768xf32>
}
func.func private @prime(%x: tensor<6x4099xf32>, %a: tensor<4099xf32>, %b: tensor<4099xf32>) -> tensor<6x4099xf32> {
  %y = tsr.layer_norm %x, %a, %b {resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<6x4099xf32>, tensor<4099xf32>, tensor<4099xf32>) -> tensor<6x4099xf32>
  return %y : tensor<6x4099xf32>
}
func.func private @images(%x: tensor<2x3x24x32xf32>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3x24x32xf32> {
  %y = tsr.instance_norm %x, %a, %b : (tensor<2x3x24x32xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x24x32xf32>
  return %y : tensor<2x3x24x32xf32>
}
func.func private @parts(%x: tensor<2x3x96x120xf32>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3x96x120xf32> {
  %y = tsr.instance_norm %x, %a, %b : (tensor<2x3x96x120xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x96x120xf32>
  return %y : tensor<2x3x96x120xf32>
}
)";
constexpr size_t kLines = 6;

static Tensor filled(const reference::Shape& shape, float value) {
  Tensor tensor(ElementType::kF32, shape);
  for (float& element : tensor.as<float>()) element = value;
  return tensor;
}

/// Six lines that are hard to sum up.
static Tensor hardLines(const reference::Shape& shape) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Tensor x(ElementType::kF32, shape);
  const size_t length = x.as<float>().size() / kLines;
  for (size_t i = 0; i < length; ++i) {
    const bool isQuarter = i % (length / 4) == 0;
    const float lines[kLines] = {
        100 + 0.1F * normal(random),     // A small deviation.
        -1e4F + 10 * normal(random),     //
        i == 0 ? 1e4F : normal(random),  // One far from all others, first or in the middle.
        i == length / 2 ? 1e3F : 1 + 0.1F * normal(random),
        100000.3F,  // No deviation.
        isQuarter ? 1e4F : normal(random),
    };
    for (size_t line = 0; line < kLines; ++line) x.as<float>()[line * length + i] = lines[line];
  }
  return x;
}

class Moments : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Moments, OfHardLinesAreExact) {
  const auto [name, mcpu] = GetParam();
  if (!lowering::runsHere(mcpu)) GTEST_SKIP() << "this machine has no " << mcpu;
  const auto runner = KernelRunner::compile(kNorms, mcpu);
  ASSERT_TRUE(runner) << runner.error().toString();
  const std::map<std::string, reference::Shape> shapes = {{"rows", {6, 768}},
                                                          {"prime", {6, 4099}},
                                                          {"images", {2, 3, 24, 32}},
                                                          {"parts", {2, 3, 96, 120}}};
  const reference::Shape& shape = shapes.at(name);
  std::vector<Tensor> inputs;
  inputs.push_back(hardLines(shape));
  const size_t elements = inputs[0].as<float>().size(), length = elements / kLines;
  const reference::Shape parameters = {shape[1]};
  inputs.push_back(filled(parameters, 1));
  inputs.push_back(filled(parameters, 0));
  const auto actual = (*runner)->run(name, inputs, 1);
  ASSERT_TRUE(actual) << actual.error().toString();
  const auto expected = (*runner)->evaluate(name, inputs);
  ASSERT_TRUE(expected) << expected.error().toString();
  for (size_t i = 0; i < elements; ++i) {
    const float wanted = expected->tensors[0].as<float>()[i];
    ASSERT_NEAR((*actual)[0].as<float>()[i], wanted, 1e-4 * std::max(1.0F, std::fabs(wanted)))
        << "line " << i / length << ", element " << i % length;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cpus, Moments,
    testing::Values(std::pair("rows", "x86-64-v3"), std::pair("rows", "x86-64-v4"),
                    std::pair("prime", "x86-64-v3"), std::pair("prime", "x86-64-v4"),
                    std::pair("images", "x86-64-v3"), std::pair("images", "x86-64-v4"),
                    std::pair("parts", "x86-64-v3"), std::pair("parts", "x86-64-v4")));

}  // namespace tessera::backend_native
