// Matrix products against plain loops, for both vector widths.
#include "compiler/lowering/contraction/matmul.h"

#include "compiler/lowering/contraction/test/contraction_fixture.h"
#include "compiler/lowering/test/pack_weights.h"

namespace tessera::lowering {
namespace {

using mlir::ShapedType;

class MatmulTest : public Contraction {
 protected:
  void checkMatmul(const MatmulShape& shape, std::vector<int64_t> aBatch,
                   std::vector<int64_t> bBatch, int64_t m);
};

void MatmulTest::checkMatmul(const MatmulShape& shape, std::vector<int64_t> aBatch,
                             std::vector<int64_t> bBatch, int64_t m) {
  const int64_t lanes = target_.vectorLanes;
  auto with = [](llvm::ArrayRef<int64_t> batch, int64_t rows, int64_t columns) {
    llvm::SmallVector<int64_t> dims(batch);
    dims.append({rows, columns});
    return dims;
  };
  const int64_t n = shape.n, k = shape.k;
  std::vector<int64_t> outBatch, sizes;
  for (size_t i = 0; i < aBatch.size(); ++i) outBatch.push_back(std::max(aBatch[i], bBatch[i]));
  auto aType =
      shape.transA ? f32(with(shape.aBatch, k, shape.m)) : f32(with(shape.aBatch, shape.m, k));
  const int64_t blocks = (n + lanes - 1) / lanes;
  auto bType = shape.isBPacked ? f32({blocks, k, lanes})
               : shape.transB  ? f32(with(shape.bBatch, n, k))
                               : f32(with(shape.bBatch, k, n));
  auto outType = f32(with(outBatch, m, n));
  for (size_t i = 0; i < aBatch.size(); ++i) {
    if (ShapedType::isDynamic(shape.aBatch[i])) sizes.push_back(aBatch[i]);
  }
  if (ShapedType::isDynamic(shape.m)) sizes.push_back(m);
  for (size_t i = 0; i < bBatch.size(); ++i) {
    if (ShapedType::isDynamic(shape.bBatch[i])) sizes.push_back(bBatch[i]);
  }
  auto kernels = compile({.inputs = {aType, bType, f32({n}), outType}, .outputs = {outType}},
                         [&](KernelFunction& kernel, mlir::OpBuilder& b) {
                           emitMatmul(b, b.getUnknownLoc(), shape,
                                      {.a = kernel.inputs[0],
                                       .b = kernel.inputs[1],
                                       .bias = kernel.inputs[2],
                                       .output = kernel.outputs[0]},
                                      target_, reluOfSum(kernel.inputs[3]));
                         });
  ASSERT_TRUE(kernels);
  auto count = [](const std::vector<int64_t>& dims) {
    int64_t product = 1;
    for (const int64_t dim : dims) product *= dim;
    return product;
  };
  auto a = randomValues(count(aBatch) * m * k, 1), b = randomValues(count(bBatch) * k * n, 2),
       bias = randomValues(n, 3);
  auto residual = randomValues(count(outBatch) * m * n, 4);
  auto packed = shape.isBPacked ? packMatmulB(b, k, n, shape.transB, lanes) : b;
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    for (const auto& values : {a, packed, bias, residual}) memory.push_back(guarded(values));
    memory.push_back(guarded(std::vector<float>(count(outBatch) * m * n, NAN)));
    std::vector<void*> buffers;
    buffers.reserve(memory.size());
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes.data()), 0);
    const std::vector<float> out = valuesIn(memory.back());
    double worst = 0;
    for (int64_t batch = 0; batch < count(outBatch); ++batch) {
      int64_t ai = 0, bi = 0, aStride = 1, bStride = 1, rest = batch;
      for (size_t d = outBatch.size(); d-- > 0;) {
        const int64_t at = rest % outBatch[d];
        rest /= outBatch[d];
        if (aBatch[d] != 1) ai += at * aStride, aStride *= aBatch[d];
        if (bBatch[d] != 1) bi += at * bStride, bStride *= bBatch[d];
      }
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double total = bias[j] + residual[(batch * m + i) * n + j];
          for (int64_t l = 0; l < k; ++l) {
            const double x = a[ai * m * k + (shape.transA ? l * m + i : i * k + l)];
            total += x * b[bi * k * n + (shape.transB ? j * k + l : l * n + j)];
          }
          const double error = std::fabs(out[(batch * m + i) * n + j] - std::max(total, 0.0));
          worst = std::max(worst, std::isnan(error) ? 1e9 : error);
        }
    }
    // Of long sums in order each term is rounded at the sum's magnitude, which grows itself.
    const double roundings = std::max(2e-6 * std::sqrt(static_cast<double>(k)), 5e-8 * k);
    EXPECT_LT(worst, roundings + 1e-6) << "threads " << threads;
  }
}

TEST_P(MatmulTest, PackedConstant) {
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{1, 40, 33},
                         {5, 16, 7},
                         {31, 70, 129},
                         {64, 64, 64},
                         {3, 1, 5}}) {
    SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
    checkMatmul({.m = m, .n = n, .k = k, .isBPacked = true}, {}, {}, m);
    checkMatmul({.m = m, .n = n, .k = k, .transB = true, .isBPacked = true}, {}, {}, m);
  }
}

// Of results that are one tile, and of panels larger than a cache.
TEST_P(MatmulTest, LongReductions) {
  for (auto [m, n, k] :
       {std::tuple<int64_t, int64_t, int64_t>{1, 40, 3001}, {3, 10, 9000}, {120, 32, 9001}}) {
    SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
    checkMatmul({.m = m, .n = n, .k = k, .isBPacked = true}, {}, {}, m);
    checkMatmul({.m = m, .n = n, .k = k, .transA = true, .transB = true}, {}, {}, m);
    checkMatmul({.m = m, .n = n, .k = k}, {}, {}, m);
    checkMatmul({.m = m, .n = n, .k = k, .transB = true}, {}, {}, m);
  }
}

TEST_P(MatmulTest, PlainOperands) {
  for (const bool transA : {false, true}) {
    for (const bool transB : {false, true}) {
      SCOPED_TRACE(testing::Message() << transA << transB);
      checkMatmul({.m = 37, .n = 48, .k = 20, .transA = transA, .transB = transB}, {}, {}, 37);
      checkMatmul({.m = 6, .n = 45, .k = 20, .transA = transA, .transB = transB}, {}, {}, 6);
      checkMatmul({.m = 3, .n = 45, .k = 37, .transA = transA, .transB = transB}, {}, {}, 3);
      checkMatmul({.m = 2, .n = 5, .k = 3, .transA = transA, .transB = transB}, {}, {}, 2);
      checkMatmul({.aBatch = {2, 3},
                   .bBatch = {1, 3},
                   .m = 2,
                   .n = 35,
                   .k = 18,
                   .transA = transA,
                   .transB = transB},
                  {2, 3}, {1, 3}, 2);
      checkMatmul({.aBatch = {2, 3},
                   .bBatch = {2, 1},
                   .m = 9,
                   .n = 32,
                   .k = 16,
                   .transA = transA,
                   .transB = transB},
                  {2, 3}, {2, 1}, 9);
    }
  }
}

TEST_P(MatmulTest, DynamicRowsAndBatch) {
  for (const int64_t m : {1, 13, 14, 15, 43}) {
    SCOPED_TRACE(m);
    checkMatmul({.m = ShapedType::kDynamic, .n = 40, .k = 24, .isBPacked = true}, {}, {}, m);
    for (const int64_t batch : {int64_t{1}, ShapedType::kDynamic}) {
      checkMatmul({.aBatch = {batch},
                   .bBatch = {1},
                   .m = ShapedType::kDynamic,
                   .n = 40,
                   .k = 24,
                   .isBPacked = true},
                  {1}, {1}, m);
    }
    checkMatmul({.aBatch = {ShapedType::kDynamic},
                 .bBatch = {ShapedType::kDynamic},
                 .m = ShapedType::kDynamic,
                 .n = 40,
                 .k = 24},
                {3}, {3}, m);
    checkMatmul({.aBatch = {ShapedType::kDynamic},
                 .bBatch = {1},
                 .m = ShapedType::kDynamic,
                 .n = 17,
                 .k = 24},
                {3}, {1}, m);
  }
}

TESSERA_FOR_BOTH_WIDTHS(MatmulTest);

}  // namespace
}  // namespace tessera::lowering
