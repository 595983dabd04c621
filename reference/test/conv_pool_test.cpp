// Convolutions, pools, resize.
#include "reference/test/testing.h"

namespace tessera::reference::testing {

using Ints = std::vector<int64_t>;

TEST(Conv, PadsStridesAndDilates) {
  const Tensor x = tensor<float>({1, 1, 5}, {1, 2, 3, 4, 5}), w = tensor<float>({1, 1, 2}, {1, 10});
  expectTensor<float>(run("conv", {}, x, w), {1, 1, 4}, {21, 32, 43, 54});
  expectTensor<float>(run("conv", {{"pads", Ints{1, 0}}, {"strides", Ints{2}}}, x, w), {1, 1, 3},
                      {10, 32, 54});
  expectTensor<float>(run("conv", {{"dilations", Ints{3}}}, x, w), {1, 1, 2}, {41, 52});
  expectTensor<float>(run("conv", {{"auto_pad", "SAME_UPPER"}}, x, w), {1, 1, 5},
                      {21, 32, 43, 54, 5});
  expectTensor<float>(run("conv", {{"auto_pad", "SAME_LOWER"}}, x, w), {1, 1, 5},
                      {10, 21, 32, 43, 54});
}

TEST(Conv, GroupsAndBias) {
  const Tensor x = tensor<float>({1, 2, 1, 2}, {1, 2, 3, 4}),
               w = tensor<float>({2, 1, 1, 1}, {10, 100});
  expectTensor<float>(run("conv", {{"group", int64_t{2}}}, x, w, tensor<float>({2}, {1, 2})),
                      {1, 2, 1, 2}, {11, 21, 302, 402});
  EXPECT_NE(failure("conv", {}, x, w), "");
  EXPECT_NE(failure("conv", {{"group", int64_t{2}}}, x, w, tensor<float>({3}, {1, 2, 3})), "");
  EXPECT_NE(failure("conv", {{"group", int64_t{0}}}, x, w), "");
}

TEST(Conv, AnyRank) {
  const Tensor x = iota<float>({1, 1, 2, 2, 2}),
               w = tensor<float>({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
  expectTensor<float>(run("conv", {}, x, w), {1, 1, 1, 1, 1}, {28});
}

TEST(Conv, AgreesWithADirectLoopOnManyPositions) {
  // 3 -> 5 channels, 3x3, padding 1 on 9x11: more positions than one strip, more rows than one
  // block.
  Tensor x = iota<double>({1, 3, 9, 11}), w = iota<double>({5, 3, 3, 3});
  std::vector<double> expected;
  for (int o = 0; o < 5; ++o) {
    for (int i = 0; i < 99; ++i) {
      double sum = 0;
      for (int k = 0; k < 27; ++k) {
        const int row = i / 11 + k / 3 % 3 - 1, column = i % 11 + k % 3 - 1;
        if (row < 0 || row >= 9 || column < 0 || column >= 11) continue;
        sum += x.as<double>()[k / 9 * 99 + row * 11 + column] * w.as<double>()[o * 27 + k];
      }
      expected.push_back(sum);
    }
  }
  expectTensor<double>(run("conv", {{"pads", Ints{1, 1, 1, 1}}}, x, w), {1, 5, 9, 11}, expected, 0);
}

TEST(Conv, RefusesBadGeometry) {
  const Tensor x = iota<float>({1, 1, 2}), w = iota<float>({1, 1, 3});
  EXPECT_NE(failure("conv", {}, x, w), "");
  EXPECT_NE(failure("conv", {{"strides", Ints{0}}}, x, iota<float>({1, 1, 2})), "");
  EXPECT_NE(failure("conv", {{"pads", Ints{1}}}, x, iota<float>({1, 1, 2})), "");
  EXPECT_NE(failure("conv", {{"kernel_shape", Ints{2}}}, x, w), "");
}

TEST(ConvTranspose, StridesPadsAndOutputShape) {
  const Tensor x = tensor<float>({1, 1, 2}, {1, 2}), w = tensor<float>({1, 1, 3}, {1, 10, 100});
  expectTensor<float>(run("conv_transpose", {{"strides", Ints{2}}}, x, w), {1, 1, 5},
                      {1, 10, 102, 20, 200});
  expectTensor<float>(run("conv_transpose", {{"pads", Ints{1, 0}}}, x, w), {1, 1, 3},
                      {12, 120, 200});
  expectTensor<float>(
      run("conv_transpose", {{"strides", Ints{2}}, {"output_padding", Ints{1}}}, x, w), {1, 1, 6},
      {1, 10, 102, 20, 200, 0});
  expectTensor<float>(
      run("conv_transpose", {{"strides", Ints{2}}, {"output_shape", Ints{4}}}, x, w), {1, 1, 4},
      {10, 102, 20, 200});
}

TEST(ConvTranspose, SameCutsOffAndAddsNothing) {
  const Tensor x = tensor<float>({1, 1, 2}, {1, 2}), w = tensor<float>({1, 1, 3}, {1, 10, 100});
  const Attributes same = {{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2}}};
  expectTensor<float>(run("conv_transpose", same, x, w), {1, 1, 4}, {1, 10, 102, 20});
  expectTensor<float>(run("conv_transpose", same, x, tensor<float>({1, 1, 1}, {1})), {1, 1, 3},
                      {1, 0, 2});
}

TEST(ConvTranspose, Groups) {
  const Tensor x = tensor<float>({1, 2, 1}, {1, 2}), w = tensor<float>({2, 2, 1}, {1, 2, 3, 4});
  expectTensor<float>(run("conv_transpose", {{"group", int64_t{2}}}, x, w), {1, 4, 1},
                      {1, 2, 6, 8});
  expectTensor<float>(run("conv_transpose", {}, x, w), {1, 2, 1}, {7, 10});
}

TEST(Pool, MaxWithIndices) {
  const Tensor x = tensor<float>({1, 1, 2, 3}, {1, 5, 2, 7, 3, 4});
  auto result = runAll("max_pool", 2, {{"kernel_shape", Ints{2, 2}}}, x);
  ASSERT_TRUE(result);
  expectTensor<float>((*result)[0], {1, 1, 1, 2}, {7, 5});
  expectTensor<int64_t>((*result)[1], {1, 1, 1, 2}, {3, 1});
  auto columnMajor =
      runAll("max_pool", 2, {{"kernel_shape", Ints{2, 2}}, {"storage_order", int64_t{1}}}, x);
  ASSERT_TRUE(columnMajor);
  expectTensor<int64_t>((*columnMajor)[1], {1, 1, 1, 2}, {1, 2});
  const Attributes padded = {{"kernel_shape", Ints{1}}, {"pads", Ints{0, 1}}};
  auto empty = runAll("max_pool", 2, padded, tensor<float>({1, 2, 1}, {1, 2}));
  ASSERT_TRUE(empty);
  expectTensor<int64_t>((*empty)[1], {1, 2, 2}, {0, -1, 1, -1});
}

TEST(Pool, CeilModeIgnoresWindowsThatStartInThePadding) {
  const Tensor x = tensor<float>({1, 1, 4}, {1, 2, 3, 4});
  const Attributes ceil = {
      {"kernel_shape", Ints{2}}, {"strides", Ints{3}}, {"ceil_mode", int64_t{1}}};
  expectTensor<float>(run("max_pool", ceil, x), {1, 1, 2}, {2, 4});
  const Attributes padded = {{"kernel_shape", Ints{1}},
                             {"strides", Ints{2}},
                             {"pads", Ints{0, 1}},
                             {"ceil_mode", int64_t{1}}};
  expectTensor<float>(run("max_pool", padded, x), {1, 1, 2}, {1, 3});
}

TEST(Pool, AverageCountsThePaddingOnRequest) {
  const Tensor x = tensor<float>({1, 1, 3}, {3, 6, 9});
  const Attributes base = {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 0}}};
  expectTensor<float>(run("average_pool", base, x), {1, 1, 3}, {3, 4.5F, 7.5F});
  const Attributes counted = {
      {"kernel_shape", Ints{2}}, {"pads", Ints{1, 0}}, {"count_include_pad", int64_t{1}}};
  expectTensor<float>(run("average_pool", counted, x), {1, 1, 3}, {1.5F, 4.5F, 7.5F});
  expectTensor<float>(run("lp_pool", {{"kernel_shape", Ints{2}}, {"p", int64_t{1}}}, x), {1, 1, 2},
                      {9, 15});
  const Attributes beside = {{"kernel_shape", Ints{1}}, {"pads", Ints{0, 1}}};
  expectTensor<float>(run("average_pool", beside, tensor<float>({1, 1, 1}, {3})), {1, 1, 2},
                      {3, 0});
}

TEST(Pool, Global) {
  const Tensor x = tensor<float>({1, 2, 2}, {3, 4, 6, 8});
  expectTensor<float>(run("global_average_pool", {}, x), {1, 2, 1}, {3.5F, 7});
  expectTensor<float>(run("global_max_pool", {}, x), {1, 2, 1}, {4, 8});
  expectTensor<float>(run("global_lp_pool", {}, x), {1, 2, 1}, {5, 10});
}

TEST(Resize, NearestLinearCubic) {
  const Tensor x = tensor<float>({2}, {0, 10}), twice = tensor<float>({1}, {2});
  const Attributes nearest = {};
  expectTensor<float>(run("resize", nearest, x, absent(), twice), {4}, {0, 0, 10, 10});
  expectTensor<float>(run("resize", {{"mode", "linear"}}, x, absent(), twice), {4},
                      {0, 2.5F, 7.5F, 10});
  const Attributes corners = {{"mode", "linear"},
                              {"coordinate_transformation_mode", "align_corners"}};
  expectTensor<float>(run("resize", corners, x, absent(), absent(), ints({5})), {5},
                      {0, 2.5F, 5, 7.5F, 10});
  const Attributes cubic = {{"mode", "cubic"}, {"coordinate_transformation_mode", "align_corners"}};
  expectTensor<float>(
      run("resize", cubic, tensor<float>({4}, {0, 1, 2, 3}), absent(), absent(), ints({7})), {7},
      {0, 0.40625F, 1, 1.5F, 2, 2.59375F, 3});
}

TEST(Resize, SizesAreProductsInF32) {
  const auto sizeOf = [](int64_t input, float scale) {
    return run("resize", {}, iota<float>({input}), absent(), tensor<float>({1}, {scale})).shape();
  };
  EXPECT_EQ(sizeOf(30, 1.3F), (Shape{39}));
  EXPECT_EQ(sizeOf(20, 0.7F), (Shape{14}));
  EXPECT_EQ(sizeOf(10, 3.3F), (Shape{33}));
}

TEST(Resize, CoordinatesAreQuotientsInF32) {
  const Tensor x = tensor<float>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  Attributes attributes = {{"coordinate_transformation_mode", "asymmetric"},
                           {"nearest_mode", "floor"}};
  // 6 / 1.2 is 5, though 1.2 in f32 is a little more than 1.2.
  expectTensor<float>(run("resize", attributes, x, absent(), tensor<float>({1}, {1.2F})), {12},
                      {0, 0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9});
  // 4 / 1.6 is 2.5, which rounds up.
  attributes["nearest_mode"] = "round_prefer_ceil";
  expectTensor<float>(run("resize", attributes, tensor<float>({5}, {0, 1, 2, 3, 4}), absent(),
                          tensor<float>({1}, {1.6F})),
                      {8}, {0, 1, 1, 2, 3, 3, 4, 4});
  // The last element is met although 7 / 13 * 13 is more than 7 in f32.
  const Attributes corners = {{"coordinate_transformation_mode", "align_corners"},
                              {"nearest_mode", "floor"}};
  const Tensor y = run("resize", corners, iota<float>({13}), absent(), absent(), ints({7}));
  EXPECT_EQ(y.as<float>()[6], iota<float>({13}).as<float>()[12]);
}

TEST(Resize, KeepsNoElements) {
  for (const char* mode : {"nearest", "linear"}) {
    expectTensor<float>(
        run("resize", {{"mode", mode}}, iota<float>({0, 3}), absent(), absent(), ints({0, 6})),
        {0, 6}, {});
  }
}

TEST(Resize, CropAndAspectRatio) {
  const Tensor x = tensor<float>({4}, {1, 2, 3, 4}), roi = tensor<float>({2}, {0.5F, 1.5F});
  const Attributes crop = {{"mode", "linear"},
                           {"coordinate_transformation_mode", "tf_crop_and_resize"},
                           {"extrapolation_value", 9.0}};
  expectTensor<float>(run("resize", crop, x, roi, absent(), ints({3})), {3}, {2.5F, 4, 9});
  const Attributes keep = {{"keep_aspect_ratio_policy", "not_larger"}};
  EXPECT_EQ(run("resize", keep, iota<float>({2, 4}), absent(), absent(), ints({6, 6})).shape(),
            (Shape{3, 6}));
}

TEST(Resize, AntialiasAveragesWhatItSkips) {
  const Attributes attributes = {{"mode", "linear"}, {"antialias", int64_t{1}}};
  const Tensor y =
      run("resize", attributes, tensor<float>({4}, {0, 0, 8, 8}), absent(), absent(), ints({2}));
  expectTensor<float>(y, {2}, {1, 7});
}

TEST(Resize, RefusesWhatDoesNotFit) {
  const Tensor x = iota<float>({2, 2});
  EXPECT_NE(failure("resize", {}, x, absent(), tensor<float>({1}, {2})), "");
  EXPECT_NE(failure("resize", {}, iota<float>({1, 3}), absent(), absent(), ints({1, 0})), "");
  EXPECT_NE(failure("resize", {}, iota<float>({0, 3}), absent(), absent(), ints({1, 3})), "");
  EXPECT_NE(failure("resize", {}, x, absent(), tensor<float>({2}, {-1, 2})), "");
  EXPECT_NE(failure("resize", {}, x), "");
  EXPECT_NE(failure("resize", {{"mode", "best"}}, x, absent(), absent(), ints({2, 2})), "");
}

TEST(Window, EmptyInputsMayBePadded) {
  const Tensor x = iota<float>({1, 1, 0}), w = tensor<float>({1, 1, 2}, {1, 1});
  expectTensor<float>(run("conv", {{"pads", std::vector<int64_t>{1, 1}}}, x, w), {1, 1, 1}, {0});
  expectTensor<float>(run("conv_transpose", {}, x, w), {1, 1, 1}, {0});
  EXPECT_NE(failure("conv", {}, x, w), "");
}

}  // namespace tessera::reference::testing
