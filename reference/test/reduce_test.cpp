// Reductions, softmax and normalisations.
#include <limits>
#include <numbers>

#include "reference/test/testing.h"

namespace tessera::reference::testing {

TEST(Reduce, AxesKeepdimsAndNoop) {
  const Tensor x = iota<float>({2, 3});
  expectTensor<float>(run("reduce_sum", {{"keepdims", int64_t{0}}}, x, ints({1})), {2}, {3, 12});
  expectTensor<float>(run("reduce_sum", {}, x), {1, 1}, {15});
  expectTensor<float>(run("reduce_sum_square", {{"noop_with_empty_axes", int64_t{1}}}, x), {2, 3},
                      {0, 1, 4, 9, 16, 25});
  EXPECT_EQ(failure("reduce_sum", {}, x, ints({2})),
            "reduce_sum: axis 2 is out of range for rank 2");
  EXPECT_EQ(failure("reduce_sum", {}, x, ints({0, -2})),
            "reduce_sum: axis 0 occurs twice in [0, -2]");
}

TEST(Reduce, EachKind) {
  const Tensor x = tensor<double>({4}, {1, -2, 3, 4});
  expectTensor<double>(run("reduce_prod", {}, x), {1}, {-24});
  expectTensor<double>(run("reduce_mean", {}, x), {1}, {1.5});
  expectTensor<double>(run("reduce_l1", {}, x), {1}, {10});
  expectTensor<double>(run("reduce_l2", {}, x), {1}, {std::sqrt(30.0)});
  expectTensor<double>(run("reduce_max", {}, x), {1}, {4});
  expectTensor<double>(run("reduce_min", {}, x), {1}, {-2});
  expectTensor<double>(run("reduce_log_sum", {}, x), {1}, {std::log(6.0)});
  expectTensor<double>(run("reduce_log_sum_exp", {}, tensor<double>({2}, {1000, 1000})), {1},
                       {1000 + std::numbers::ln2});
  expectTensor<Boolean>(run("reduce_min", {}, tensor<Boolean>({2}, {true, false})), {1}, {false});
}

TEST(Reduce, OfNothingIsTheIdentity) {
  const Tensor x = tensor<float>({0}, {});
  constexpr float kInf = std::numeric_limits<float>::infinity();
  expectTensor<float>(run("reduce_sum", {}, x), {1}, {0});
  expectTensor<float>(run("reduce_max", {}, x), {1}, {-kInf});
  expectTensor<float>(run("reduce_log_sum_exp", {}, x), {1}, {-kInf});
  EXPECT_EQ(failure("argmax", {}, x), "argmax: axis 0 is empty");
}

TEST(Reduce, ArgmaxPicksFirstOrLast) {
  const Tensor x = tensor<float>({1, 3}, {5, 1, 5});
  expectTensor<int64_t>(run("argmax", {{"axis", int64_t{1}}}, x), {1, 1}, {0});
  expectTensor<int64_t>(run("argmax", {{"axis", int64_t{1}}, {"select_last_index", int64_t{1}}}, x),
                        {1, 1}, {2});
  expectTensor<int64_t>(run("argmin", {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}}, x), {1},
                        {1});
}

TEST(Reduce, ArgmaxAndArgminPickNan) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = tensor<float>({3, 3}, {1, kNan, kNan, 3, 1, 3, -5, -5, kNan});
  const auto positions = [&](const char* op, int64_t selectLast) {
    return run(
        op, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}, {"select_last_index", selectLast}}, x);
  };
  expectTensor<int64_t>(positions("argmax", 0), {3}, {1, 0, 2});
  expectTensor<int64_t>(positions("argmax", 1), {3}, {2, 2, 2});
  expectTensor<int64_t>(positions("argmin", 0), {3}, {1, 1, 2});
  expectTensor<int64_t>(positions("argmin", 1), {3}, {2, 1, 2});
  expectTensor<float>(run("hardmax", {}, x), {3, 3}, {0, 1, 0, 1, 0, 0, 0, 0, 1});
}

TEST(Softmax, AlongAnAxisWithoutOverflow) {
  const Tensor x = tensor<float>({2, 2}, {1000, 0, 1000, 0});
  expectTensor<float>(run("softmax", {{"axis", int64_t{0}}}, x), {2, 2}, {0.5F, 0.5F, 0.5F, 0.5F});
  expectTensor<float>(run("log_softmax", {}, x), {2, 2}, {0, -1000, 0, -1000});
  expectTensor<float>(run("hardmax", {}, x), {2, 2}, {1, 0, 1, 0});
}

TEST(Norm, BatchNormInferenceAndTraining) {
  const Tensor x = tensor<float>({1, 2, 2}, {1, 3, 10, 20});
  const Tensor scale = tensor<float>({2}, {1, 2}), bias = tensor<float>({2}, {0, 1});
  const Tensor mean = tensor<float>({2}, {1, 10}), variance = tensor<float>({2}, {4, 25});
  const Attributes exact = {{"epsilon", 0.0}};
  expectTensor<float>(run("batch_norm", exact, x, scale, bias, mean, variance), {1, 2, 2},
                      {0, 1, 1, 5});
  auto trained =
      runAll("batch_norm", 3, {{"epsilon", 0.0}, {"training_mode", int64_t{1}}, {"momentum", 0.5}},
             x, scale, bias, mean, variance);
  ASSERT_TRUE(trained);
  expectTensor<float>((*trained)[0], {1, 2, 2}, {-1, 1, -1, 3});
  expectTensor<float>((*trained)[1], {2}, {1.5F, 12.5F});
  expectTensor<float>((*trained)[2], {2}, {2.5F, 25});
}

TEST(Norm, LayerAndRmsNorm) {
  const Tensor x = tensor<float>({1, 2}, {1, 3}), scale = tensor<float>({2}, {1, 10}),
               bias = tensor<float>({2}, {5, 6});
  auto result = runAll("layer_norm", 3, {{"epsilon", 0.0}}, x, scale, bias);
  ASSERT_TRUE(result);
  expectTensor<float>((*result)[0], {1, 2}, {4, 16});
  expectTensor<float>((*result)[1], {1, 1}, {2});
  expectTensor<float>((*result)[2], {1, 1}, {1});
  const float rms = std::sqrt(5.0F);
  expectTensor<float>(run("rms_norm", {{"epsilon", 0.0}}, x, scale), {1, 2}, {1 / rms, 30 / rms});
}

TEST(Norm, InstanceAndGroupNorm) {
  const Tensor x = tensor<float>({1, 2, 2}, {1, 3, 5, 7}), ones = tensor<float>({2}, {1, 1}),
               zeros = Tensor(ElementType::kF32, {2});
  expectTensor<float>(run("instance_norm", {{"epsilon", 0.0}}, x, ones, zeros), {1, 2, 2},
                      {-1, 1, -1, 1});
  const float unit = 1 / std::sqrt(5.0F);
  expectTensor<float>(
      run("group_norm", {{"epsilon", 0.0}, {"num_groups", int64_t{1}}}, x, ones, zeros), {1, 2, 2},
      {-3 * unit, -unit, unit, 3 * unit});
  EXPECT_NE(failure("group_norm", {{"num_groups", int64_t{3}}}, x, ones, zeros), "");
}

TEST(Norm, LrnLpNormMeanVarianceNorm) {
  const Tensor x = tensor<double>({1, 2, 1, 1}, {3, 4});
  const Attributes lrn = {{"size", int64_t{3}}, {"alpha", 3.0}, {"beta", 1.0}, {"bias", 0.0}};
  expectTensor<double>(run("lrn", lrn, x), {1, 2, 1, 1}, {3.0 / 25, 4.0 / 25});
  expectTensor<double>(run("lp_norm", {{"axis", int64_t{1}}}, x), {1, 2, 1, 1}, {0.6, 0.8});
  const Tensor y = tensor<double>({1, 1, 1, 2}, {2, 6});
  expectTensor<double>(run("mean_variance_norm", {}, y), {1, 1, 1, 2}, {-1, 1});
}

}  // namespace tessera::reference::testing
