// Shapes, movement, gather, scatter, generators, selection.
#include "reference/test/testing.h"

namespace tessera::reference::testing {

TEST(ShapeOps, ReshapeInfersAndCopies) {
  const Tensor x = iota<float>({2, 3, 4});
  EXPECT_EQ(run("reshape", {}, x, ints({0, -1})).shape(), (Shape{2, 12}));
  EXPECT_EQ(run("reshape", {{"allowzero", int64_t{1}}}, iota<float>({0, 3}), ints({3, 0})).shape(),
            (Shape{3, 0}));
  EXPECT_NE(failure("reshape", {}, x, ints({5, -1})), "");
  EXPECT_NE(failure("reshape", {}, x, ints({-1, -1})), "");
  EXPECT_NE(failure("reshape", {}, x, ints({INT64_MAX, 4})), "");
}

TEST(ShapeOps, SqueezeUnsqueezeFlattenShape) {
  const Tensor x = iota<float>({1, 3, 1});
  EXPECT_EQ(run("squeeze", {}, x).shape(), (Shape{3}));
  EXPECT_EQ(run("squeeze", {}, x, ints({-1})).shape(), (Shape{1, 3}));
  EXPECT_EQ(failure("squeeze", {}, x, ints({1})), "squeeze: axis 1 of shape [1, 3, 1] is not 1");
  EXPECT_EQ(run("unsqueeze", {}, iota<float>({3}), ints({2, 0})).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(run("flatten", {{"axis", int64_t{-1}}}, iota<float>({2, 3, 4})).shape(), (Shape{6, 4}));
  expectTensor<int64_t>(run("shape", {{"start", int64_t{-2}}}, x), {2}, {3, 1});
  expectTensor<int64_t>(run("size", {}, x), {}, {3});
}

TEST(Movement, TransposeTileExpand) {
  const Tensor x = iota<int32_t>({2, 3});
  expectTensor<int32_t>(run("transpose", {}, x), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectTensor<int32_t>(run("tile", {}, x, ints({1, 2})), {2, 6},
                        {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expectTensor<int32_t>(run("expand", {}, iota<int32_t>({2, 1}), ints({2, 2})), {2, 2},
                        {0, 0, 1, 1});
  EXPECT_NE(failure("transpose", {{"perm", std::vector<int64_t>{0, 0}}}, x), "");
  EXPECT_NE(failure("expand", {}, x, ints({int64_t{1} << 40, 2, 3})), "");
}

TEST(Movement, SliceClampsAndWalksBackwards) {
  const Tensor x = iota<int32_t>({5});
  expectTensor<int32_t>(run("slice", {}, x, ints({1}), ints({100})), {4}, {1, 2, 3, 4});
  expectTensor<int32_t>(run("slice", {}, x, ints({-1}), ints({INT64_MIN}), ints({0}), ints({-2})),
                        {3}, {4, 2, 0});
  expectTensor<int32_t>(run("slice", {}, x, ints({0}), ints({5}), ints({0}), ints({INT64_MAX})),
                        {1}, {0});
  expectTensor<int32_t>(run("slice", {}, x, ints({4}), ints({0}), ints({0}), ints({INT64_MIN})),
                        {1}, {4});
  // A negative step starts at an element.
  expectTensor<int32_t>(run("slice", {}, x, ints({-9}), ints({-99}), ints({0}), ints({-1})), {1},
                        {0});
  expectTensor<int32_t>(
      run("slice", {}, iota<int32_t>({0}), ints({-1}), ints({-99}), ints({0}), ints({-1})), {0},
      {});
  EXPECT_EQ(failure("slice", {}, x, ints({0}), ints({5}), ints({0}), ints({0})), "slice: step 0");
}

TEST(Movement, ConcatAndSplit) {
  expectTensor<int32_t>(
      run("concat", {{"axis", int64_t{1}}}, iota<int32_t>({2, 1}), iota<int32_t>({2, 2})), {2, 3},
      {0, 0, 1, 1, 2, 3});
  auto pieces = runAll("split", 2, {{"num_outputs", int64_t{2}}}, iota<int32_t>({5}));
  ASSERT_TRUE(pieces);
  expectTensor<int32_t>((*pieces)[0], {3}, {0, 1, 2});
  expectTensor<int32_t>((*pieces)[1], {2}, {3, 4});
  EXPECT_NE(failure("split", {}, iota<int32_t>({5}), ints({2, 2})), "");
  pieces = runAll("split", 2, {}, iota<int32_t>({4}));
  ASSERT_TRUE(pieces);
  expectTensor<int32_t>((*pieces)[1], {2}, {2, 3});
  pieces = runAll("split", 2, {}, iota<int32_t>({5}));
  ASSERT_FALSE(pieces);
  EXPECT_EQ(pieces.error().message, "split: a size of 5 cannot be split into 2 equal parts");
}

TEST(Movement, PadModes) {
  const Tensor x = tensor<float>({3}, {1, 2, 3}), pads = ints({2, 2});
  expectTensor<float>(run("pad", {}, x, pads, tensor<float>({}, {9})), {7}, {9, 9, 1, 2, 3, 9, 9});
  expectTensor<float>(run("pad", {{"mode", "reflect"}}, x, pads), {7}, {3, 2, 1, 2, 3, 2, 1});
  expectTensor<float>(run("pad", {{"mode", "edge"}}, x, pads), {7}, {1, 1, 1, 2, 3, 3, 3});
  expectTensor<float>(run("pad", {{"mode", "wrap"}}, x, pads), {7}, {2, 3, 1, 2, 3, 1, 2});
  expectTensor<float>(run("pad", {}, x, ints({-1, 1})), {3}, {2, 3, 0});
}

TEST(Movement, PadsRepeatWhatIsLeft) {
  const Tensor x = iota<float>({5});
  expectTensor<float>(run("pad", {{"mode", "wrap"}}, x, ints({-1, 3})), {7}, {1, 2, 3, 4, 1, 2, 3});
  expectTensor<float>(run("pad", {{"mode", "wrap"}}, x, ints({7, -2})), {10},
                      {2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  expectTensor<float>(run("pad", {{"mode", "reflect"}}, x, ints({-2, 3})), {6}, {2, 3, 4, 3, 2, 3});
  expectTensor<float>(run("pad", {{"mode", "edge"}}, x, ints({2, -1})), {6}, {0, 0, 0, 1, 2, 3});
  for (const char* mode : {"wrap", "reflect", "edge"}) {
    EXPECT_EQ(failure("pad", {{"mode", mode}}, x, ints({-5, 3})),
              "pad: dimension 0 of shape [5] has nothing left to repeat");
  }
  EXPECT_EQ(failure("pad", {}, x, ints({INT64_MIN + 1, INT64_MAX})), "pad: pads are too large");
}

TEST(Movement, DepthToSpaceAndBack) {
  const Tensor x = iota<float>({1, 4, 1, 2});
  expectTensor<float>(run("depth_to_space", {{"blocksize", int64_t{2}}}, x), {1, 1, 2, 4},
                      {0, 2, 1, 3, 4, 6, 5, 7});
  const Tensor y = run("depth_to_space", {{"blocksize", int64_t{2}}}, x);
  expectTensor<float>(run("space_to_depth", {{"blocksize", int64_t{2}}}, y), {1, 4, 1, 2},
                      {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(Gather, ReadsAlongAnAxis) {
  const Tensor x = iota<float>({2, 3});
  expectTensor<float>(run("gather", {{"axis", int64_t{1}}}, x, ints({-1, 0})), {2, 2},
                      {2, 0, 5, 3});
  EXPECT_EQ(failure("gather", {}, x, ints({2})), "gather: index 2 is out of range for size 2");
  const Tensor indices = tensor<int64_t>({2, 1}, {2, -2});
  expectTensor<float>(run("gather_elements", {{"axis", int64_t{1}}}, x, indices), {2, 1}, {2, 4});
  expectTensor<float>(run("gather_nd", {}, x, tensor<int64_t>({2, 2}, {0, 1, 1, -1})), {2}, {1, 5});
  expectTensor<float>(
      run("gather_nd", {{"batch_dims", int64_t{1}}}, x, tensor<int64_t>({2, 1}, {2, 0})), {2},
      {2, 3});
}

TEST(Scatter, WritesAndCombines) {
  const Tensor x = tensor<float>({4}, {1, 2, 3, 4}), indices = ints({1, -1, 1}),
               updates = iota<float>({3});
  expectTensor<float>(run("scatter_elements", {}, x, indices, updates), {4}, {1, 2, 3, 1});
  expectTensor<float>(run("scatter_elements", {{"reduction", "add"}}, x, indices, updates), {4},
                      {1, 4, 3, 5});
  const Tensor rows = iota<float>({2, 2});
  expectTensor<float>(run("scatter_nd", {{"reduction", "max"}}, rows, tensor<int64_t>({1, 1}, {1}),
                          tensor<float>({1, 2}, {9, 0})),
                      {2, 2}, {0, 1, 9, 3});
  EXPECT_NE(failure("scatter_nd", {}, rows, tensor<int64_t>({1, 1}, {2}), iota<float>({1, 2})), "");
}

TEST(Generators, RangeOneHotEyeConstant) {
  expectTensor<int64_t>(run("range", {}, tensor<int64_t>({}, {10}), tensor<int64_t>({}, {4}),
                            tensor<int64_t>({}, {-3})),
                        {2}, {10, 7});
  EXPECT_EQ(
      failure("range", {}, tensor<float>({}, {0}), tensor<float>({}, {1}), tensor<float>({}, {0})),
      "range: delta is 0");
  const Tensor values = tensor<float>({2}, {2, 5});
  expectTensor<float>(run("one_hot", {}, ints({1, -1, 7}), ints({3}), values), {3, 3},
                      {2, 5, 2, 2, 2, 5, 2, 2, 2});
  expectTensor<int32_t>(run("eye_like", {{"k", int64_t{1}}}, iota<int32_t>({2, 3})), {2, 3},
                        {0, 1, 0, 0, 0, 1});
  expectTensor<int64_t>(
      run("constant_of_shape", {{"value", int64_t{7}}, {"dtype", int64_t{7}}}, ints({2})), {2},
      {7, 7});
  EXPECT_NE(failure("constant_of_shape", {}, ints({-1})), "");
  EXPECT_NE(failure("constant_of_shape", {}, ints({INT64_MAX, 2})), "");
}

TEST(Selection, TriluNonzeroCompressReverseSequence) {
  const Tensor x = iota<float>({2, 3});
  expectTensor<float>(run("trilu", {{"upper", int64_t{0}}}, x), {2, 3}, {0, 0, 0, 3, 4, 0});
  expectTensor<int64_t>(run("nonzero", {}, tensor<float>({2, 2}, {1, 0, 2, 3})), {2, 3},
                        {0, 1, 1, 0, 0, 1});
  const Tensor condition = tensor<Boolean>({2}, {false, true});
  expectTensor<float>(run("compress", {{"axis", int64_t{1}}}, x, condition), {2, 1}, {1, 4});
  expectTensor<float>(run("compress", {}, x, condition), {1}, {1});
  expectTensor<float>(run("reverse_sequence", {}, iota<float>({3, 2}), ints({3, 2})), {3, 2},
                      {4, 3, 2, 1, 0, 5});
}

TEST(Selection, DropoutIsTheIdentityInInference) {
  auto result = runAll("dropout", 2, {}, iota<float>({2}));
  ASSERT_TRUE(result);
  expectTensor<float>((*result)[0], {2}, {0, 1});
  expectTensor<Boolean>((*result)[1], {2}, {true, true});
}

TEST(Sorting, TopKKeepsTheFirstOfEquals) {
  auto result = runAll("top_k", 2, {}, tensor<float>({5}, {1, 3, 3, 0, 2}), ints({3}));
  ASSERT_TRUE(result);
  expectTensor<float>((*result)[0], {3}, {3, 3, 2});
  expectTensor<int64_t>((*result)[1], {3}, {1, 2, 4});
  EXPECT_NE(failure("top_k", {}, iota<float>({2}), ints({3})), "");
}

TEST(Sorting, Cumsum) {
  const Tensor x = tensor<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), axis = tensor<int64_t>({}, {1});
  expectTensor<int32_t>(run("cumsum", {}, x, axis), {2, 3}, {1, 3, 6, 4, 9, 15});
  const Attributes backwards = {{"exclusive", int64_t{1}}, {"reverse", int64_t{1}}};
  expectTensor<int32_t>(run("cumsum", backwards, x, axis), {2, 3}, {5, 3, 0, 11, 6, 0});
}

}  // namespace tessera::reference::testing
