// Products: matmul, gemm, einsum, quantisation beside them.
#include "reference/test/testing.h"

namespace tessera::reference::testing {

TEST(Matmul, BroadcastsBatchesAndTakesVectors) {
  const Tensor a = iota<float>({2, 1, 2}), b = iota<float>({2, 2});
  expectTensor<float>(run("matmul", {}, a, b), {2, 1, 2}, {2, 3, 6, 11});
  expectTensor<float>(run("matmul", {}, iota<float>({2}), b), {2}, {2, 3});
  expectTensor<float>(run("matmul", {}, iota<float>({2}), iota<float>({2})), {}, {1});
  EXPECT_EQ(failure("matmul", {}, iota<float>({2, 3}), b),
            "matmul: shapes [2, 3] and [2, 2] do not fit");
}

TEST(Matmul, IsExactBeyondOneStripAndOneRowBlock) {
  // Sizes that leave remainders in every blocking of matrix_product.h; all sums are small integers.
  const int64_t rows = 7, depth = 5, columns = 70;
  Tensor a = iota<double>({rows, depth}), b = iota<double>({depth, columns});
  std::vector<double> expected;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += a.as<double>()[i * depth + k] * b.as<double>()[k * columns + j];
      expected.push_back(sum);
    }
  }
  expectTensor<double>(run("matmul", {}, a, b), {rows, columns}, expected, 0);
}

TEST(Matmul, RunsOnSeveralThreads) {
  const int64_t size = 320;
  Tensor a(ElementType::kF32, {size, size}), b = iota<float>({size, size});
  for (int64_t i = 0; i < size; ++i) a.as<float>()[i * size + i] = 1;
  const Tensor y = run("matmul", {}, a, b);
  ASSERT_TRUE(std::ranges::equal(y.as<float>(), std::as_const(b).as<float>()));
}

TEST(Matmul, IntegersWrap) {
  const Tensor a = tensor<int32_t>({1, 2}, {INT32_MAX, 1}), b = tensor<int32_t>({2, 1}, {2, 1});
  expectTensor<int32_t>(run("matmul", {}, a, b), {1, 1}, {-1});
}

TEST(Matmul, OfNoDepthIsZero) {
  expectTensor<float>(run("matmul", {}, tensor<float>({2, 0}, {}), tensor<float>({0, 1}, {})),
                      {2, 1}, {0, 0});
}

TEST(Gemm, TransposesScalesAndAdds) {
  const Tensor a = tensor<float>({2, 1}, {1, 2}), b = tensor<float>({2, 2}, {1, 2, 3, 4}),
               c = tensor<float>({2}, {10, 20});
  const Attributes attributes = {
      {"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 2.0}, {"beta", 0.5}};
  expectTensor<float>(run("gemm", attributes, a, b, c), {1, 2}, {2 * 5 + 5, 2 * 11 + 10});
  EXPECT_NE(failure("gemm", {}, a, b), "");
  EXPECT_NE(failure("gemm", attributes, a, b, iota<float>({3, 2})), "");
}

TEST(Gemm, ReadsNoCWhenBetaIsZero) {
  const Tensor a = tensor<float>({1, 1}, {2}), b = tensor<float>({1, 1}, {3}),
               c = tensor<float>({1}, {NAN});
  expectTensor<float>(run("gemm", {{"beta", 0.0}}, a, b, c), {1, 1}, {6});
  EXPECT_NE(failure("gemm", {{"beta", 0.0}}, a, b, iota<float>({2})), "");
}

TEST(Gemm, FactorsOfIntegersKeepTheirFractions) {
  const Tensor a = tensor<int32_t>({1, 2}, {3, 1}), b = tensor<int32_t>({2, 1}, {5, 2}),
               c = tensor<int32_t>({1}, {10});
  const auto gemm = [&](double alpha, double beta) {
    return run("gemm", {{"alpha", alpha}, {"beta", beta}}, a, b, c);
  };
  expectTensor<int32_t>(gemm(1.5, 1), {1, 1}, {35});  // Of 25.5 + 10.
  expectTensor<int32_t>(gemm(1.5, 2.25), {1, 1}, {48});
  expectTensor<int32_t>(gemm(-1.5, 0), {1, 1}, {-25});
  expectTensor<int32_t>(gemm(2, -3), {1, 1}, {4});
  expectTensor<int32_t>(run("gemm", {{"alpha", 0.5}}, a, b), {1, 1}, {8});
  // Whole factors wrap as products do, others saturate.
  const Tensor most = tensor<int32_t>({1, 1}, {INT32_MAX}), one = tensor<int32_t>({1, 1}, {1});
  expectTensor<int32_t>(run("gemm", {{"alpha", 2.0}}, most, one), {1, 1}, {-2});
  expectTensor<int32_t>(run("gemm", {{"alpha", 2.5}}, most, one), {1, 1}, {INT32_MAX});
}

TEST(Einsum, CoversTheNotation) {
  const Tensor a = iota<double>({2, 3}), b = iota<double>({3, 2});
  expectTensor<double>(run("einsum", {{"equation", "ij,jk->ik"}}, a, b), {2, 2}, {10, 13, 28, 40});
  expectTensor<double>(run("einsum", {{"equation", "ij, jk"}}, a, b), {2, 2}, {10, 13, 28, 40});
  expectTensor<double>(run("einsum", {{"equation", "ij->j"}}, a), {3}, {3, 5, 7});
  expectTensor<double>(run("einsum", {{"equation", "ii"}}, iota<double>({2, 2})), {}, {3});
  expectTensor<double>(run("einsum", {{"equation", "...ij->...ji"}}, iota<double>({1, 2, 2})),
                       {1, 2, 2}, {0, 2, 1, 3});
  EXPECT_NE(failure("einsum", {{"equation", "ij,jk->iz"}}, a, b), "");
  EXPECT_NE(failure("einsum", {{"equation", "ij"}}, a, b), "");
  EXPECT_NE(failure("einsum", {{"equation", "ij,ij"}}, a, b), "");
}

TEST(Quantize, RoundsSaturatesAndReturns) {
  const Tensor x = tensor<float>({4}, {-3, 0.5F, 1.5F, 1000}), scale = tensor<float>({}, {1}),
               zero = tensor<uint8_t>({}, {2});
  const Tensor q = run("quantize_linear", {}, x, scale, zero);
  expectTensor<uint8_t>(q, {4}, {0, 2, 4, 255});
  expectTensor<float>(run("dequantize_linear", {}, q, scale, zero), {4}, {-2, 0, 2, 253});
}

TEST(Quantize, PerAxisAndBlocked) {
  const Tensor x = tensor<float>({2, 2}, {1, 2, 3, 4}), scale = tensor<float>({2}, {1, 0.5F});
  expectTensor<uint8_t>(run("quantize_linear", {{"axis", int64_t{0}}}, x, scale), {2, 2},
                        {1, 2, 6, 8});
  const Tensor blocked = tensor<float>({2, 1}, {1, 0.5F});
  expectTensor<uint8_t>(
      run("quantize_linear", {{"axis", int64_t{1}}, {"block_size", int64_t{2}}}, x, blocked),
      {2, 2}, {1, 2, 6, 8});
  EXPECT_NE(failure("quantize_linear", {{"axis", int64_t{0}}}, x, tensor<float>({3}, {1, 1, 1})),
            "");
}

TEST(Einsum, SizesOfALetterAreEqual) {
  EXPECT_NE(failure("einsum", {{"equation", std::string("ca,ab")}}, iota<float>({2, 1}),
                    iota<float>({3, 4})),
            "");
}

TEST(Quantize, DynamicCoversZero) {
  auto result = runAll("dynamic_quantize_linear", 3, {}, tensor<float>({3}, {0, 51, 255}));
  ASSERT_TRUE(result);
  expectTensor<uint8_t>((*result)[0], {3}, {0, 51, 255});
  expectTensor<float>((*result)[1], {}, {1});
  expectTensor<uint8_t>((*result)[2], {}, {0});
  auto zeros = runAll("dynamic_quantize_linear", 3, {}, tensor<float>({1}, {0}));
  ASSERT_TRUE(zeros);
  expectTensor<float>((*zeros)[1], {}, {1});
}

}  // namespace tessera::reference::testing
