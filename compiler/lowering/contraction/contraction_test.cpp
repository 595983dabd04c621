// Convolutions and matrix products against plain loops, for both vector widths.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/matmul.h"
#include "compiler/lowering/contraction/pack_weights.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/kernel_harness.h"

namespace tessera::lowering {
namespace {

using mlir::ShapedType;

std::vector<float> randomValues(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

/// [N, C, H, W] -> [N, C/c, H, W, c] and back.
std::vector<float> toBlocked(const std::vector<float>& plain, int64_t batch, int64_t channels,
                             int64_t pixels, int64_t lanes) {
  int64_t blocks = (channels + lanes - 1) / lanes;
  std::vector<float> blocked(batch * blocks * pixels * lanes, 0.0f);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < pixels; ++p) {
        blocked[((n * blocks + c / lanes) * pixels + p) * lanes + c % lanes] =
            plain[(n * channels + c) * pixels + p];
      }
    }
  }
  return blocked;
}

/// Plain convolution with bias, [N, OC, OH, OW], in double.
std::vector<double> referenceConv(const ConvShape& s, int64_t batch, const std::vector<float>& x,
                                  const std::vector<float>& w, const std::vector<float>& bias) {
  int64_t oh = s.outHeight(), ow = s.outWidth(), icg = s.inChannels / s.groups,
          ocg = s.outChannels / s.groups;
  std::vector<double> y(batch * s.outChannels * oh * ow);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t oc = 0; oc < s.outChannels; ++oc)
      for (int64_t i = 0; i < oh; ++i)
        for (int64_t j = 0; j < ow; ++j) {
          double total = bias[oc];
          for (int64_t ic = 0; ic < icg; ++ic)
            for (int64_t kh = 0; kh < s.kernelHeight; ++kh)
              for (int64_t kw = 0; kw < s.kernelWidth; ++kw) {
                int64_t h = i * s.strideHeight - s.padTop + kh * s.dilationHeight;
                int64_t v = j * s.strideWidth - s.padLeft + kw * s.dilationWidth;
                if (h < 0 || v < 0 || h >= s.inHeight || v >= s.inWidth) continue;
                double a =
                    x[((n * s.inChannels + oc / ocg * icg + ic) * s.inHeight + h) * s.inWidth + v];
                total += a * w[((oc * icg + ic) * s.kernelHeight + kh) * s.kernelWidth + kw];
              }
          y[((n * s.outChannels + oc) * oh + i) * ow + j] = total;
        }
  return y;
}

class Contraction : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto target = makeCpuTarget(GetParam());
    ASSERT_TRUE(target);
    target_ = *target;
    context_ = makeKernelContext();
  }

  mlir::MemRefType f32(llvm::ArrayRef<int64_t> dims) {
    return mlir::MemRefType::get(dims, mlir::Float32Type::get(context_.get()));
  }

  // Compiles the kernel that `build` fills.
  std::unique_ptr<LoadedKernels> compile(
      const KernelSignature& signature,
      const std::function<void(KernelFunction&, mlir::OpBuilder&)>& build) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(context_.get()));
    KernelFunction kernel = createKernelFunction(*module, "k", signature);
    mlir::OpBuilder b = kernel.bodyBuilder();
    build(kernel, b);
    int numAllocated = 0, numFreed = 0;
    kernel.function.walk([&](mlir::memref::AllocOp) { ++numAllocated; });
    kernel.function.walk([&](mlir::memref::DeallocOp) { ++numFreed; });
    EXPECT_EQ(numAllocated, numFreed);
    auto kernels = LoadedKernels::compile(*module, target_, /*areTensorKernels=*/false);
    EXPECT_TRUE(kernels) << (kernels ? "" : kernels.error().toString());
    return kernels ? std::move(*kernels) : nullptr;
  }

  void checkConv(const ConvShape& shape, bool isPlainInput = false, bool hasResidual = false,
                 int64_t runBatch = 0);
  void checkMatmul(const MatmulShape& shape, std::vector<int64_t> aBatch,
                   std::vector<int64_t> bBatch, int64_t m);

  CpuTarget target_;
  std::unique_ptr<mlir::MLIRContext> context_;
};

// epilogue: relu(accumulator + residual)
Epilogue reluOfSum(mlir::Value residual) {
  return [residual](const EpilogueContext& context) {
    mlir::Value value = context.accumulator;
    if (residual)
      value = context.b.create<mlir::arith::AddFOp>(context.loc, value,
                                                    loadSameShape(context, residual));
    auto type = mlir::cast<mlir::VectorType>(value.getType());
    mlir::Value zero =
        context.b.create<mlir::arith::ConstantOp>(context.loc, context.b.getZeroAttr(type));
    return context.b.create<mlir::arith::MaximumFOp>(context.loc, value, zero).getResult();
  };
}

void Contraction::checkConv(const ConvShape& shape, bool isPlainInput, bool hasResidual,
                            int64_t runBatch) {
  int64_t lanes = target_.vectorLanes;
  int64_t batch = runBatch > 0 ? runBatch : shape.batch;
  auto kind = convKindFor(shape, isPlainInput, lanes);
  ASSERT_TRUE(kind.has_value());
  int64_t inBlocks = (shape.inChannels + lanes - 1) / lanes,
          outBlocks = (shape.outChannels + lanes - 1) / lanes;
  int64_t oh = shape.outHeight(), ow = shape.outWidth();
  auto inputType = isPlainInput
                       ? f32({shape.batch, shape.inChannels, shape.inHeight, shape.inWidth})
                       : f32({shape.batch, inBlocks, shape.inHeight, shape.inWidth, lanes});
  auto outputType = f32({batch, outBlocks, oh, ow, lanes});
  KernelSignature signature{
      {inputType, f32({packedConvWeightsSize(shape, *kind, lanes)}), f32({outBlocks * lanes})},
      {outputType}};
  if (hasResidual) signature.inputs.push_back(outputType);
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
    ConvOperands operands{kernel.inputs[0], kernel.inputs[1], kernel.inputs[2], kernel.outputs[0]};
    emitConv(b, b.getUnknownLoc(), shape, *kind, operands, target_,
             hasResidual ? reluOfSum(kernel.inputs[3]) : Epilogue());
  });
  ASSERT_TRUE(kernels);
  auto x = randomValues(batch * shape.inChannels * shape.inHeight * shape.inWidth, 1);
  auto w = randomValues(
      shape.outChannels * shape.inChannels / shape.groups * shape.kernelHeight * shape.kernelWidth,
      2);
  auto bias = randomValues(shape.outChannels, 3);
  auto residual = randomValues(batch * outBlocks * oh * ow * lanes, 4);
  auto expected = referenceConv(shape, batch, x, w, bias);
  auto input = isPlainInput
                   ? x
                   : toBlocked(x, batch, shape.inChannels, shape.inHeight * shape.inWidth, lanes);
  auto weights = packConvWeights(w, shape, *kind, lanes);
  auto paddedBias = padChannels(bias, lanes);
  for (int threads : {1, 2}) {
    HarnessHost host(threads);
    std::vector<float> out(batch * outBlocks * oh * ow * lanes, NAN);
    std::vector<void*> buffers = {input.data(), weights.data(), paddedBias.data()};
    if (hasResidual) buffers.push_back(residual.data());
    buffers.push_back(out.data());
    int64_t sizes[] = {batch};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes), 0);
    double worst = 0;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t oc = 0; oc < shape.outChannels; ++oc)
        for (int64_t p = 0; p < oh * ow; ++p) {
          int64_t at = ((n * outBlocks + oc / lanes) * oh * ow + p) * lanes + oc % lanes;
          double want = expected[(n * shape.outChannels + oc) * oh * ow + p];
          if (hasResidual) want = std::max(0.0, want + residual[at]);
          double error = std::fabs(out[at] - want);
          worst = std::max(worst, std::isnan(error) ? 1e9 : error);
        }
    int64_t length = shape.inChannels / shape.groups * shape.kernelHeight * shape.kernelWidth;
    EXPECT_LT(worst, 2e-6 * std::sqrt(static_cast<double>(length)) + 1e-6) << "threads " << threads;
  }
}

/// Each product alone is less than half a unit in the last place of the bias: a sum that starts
/// with the bias would stay there.
TEST_P(Contraction, BiasIsAddedLast) {
  constexpr float kBias = 1 << 20, kWeight = 0.05F, kHalfUnit = 1.0F / 16;
  const int64_t lanes = target_.vectorLanes;
  const ConvShape dense{.inChannels = 64, .outChannels = 32, .inHeight = 4, .inWidth = 4};
  const ConvShape depthwise{.groups = 32,
                            .inChannels = 32,
                            .outChannels = 32,
                            .inHeight = 6,
                            .inWidth = 6,
                            .kernelHeight = 3,
                            .kernelWidth = 3};
  for (const ConvShape& shape : {dense, depthwise}) {
    const auto kind = convKindFor(shape, /*isPlainInput=*/false, lanes);
    ASSERT_TRUE(kind.has_value());
    const int64_t inputSize = shape.inChannels * shape.inHeight * shape.inWidth;
    const int64_t outputSize = shape.outChannels * shape.outHeight() * shape.outWidth();
    const int64_t weightsSize = packedConvWeightsSize(shape, *kind, lanes);
    const KernelSignature signature{
        {f32({1, shape.inChannels / lanes, shape.inHeight, shape.inWidth, lanes}),
         f32({weightsSize}), f32({shape.outChannels})},
        {f32({1, shape.outChannels / lanes, shape.outHeight(), shape.outWidth(), lanes})}};
    auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
      emitConv(b, b.getUnknownLoc(), shape, *kind,
               {kernel.inputs[0], kernel.inputs[1], kernel.inputs[2], kernel.outputs[0]}, target_,
               Epilogue());
    });
    ASSERT_TRUE(kernels);
    std::vector<float> x(inputSize, 1), w(weightsSize, kWeight), bias(shape.outChannels, kBias);
    std::vector<float> out(outputSize, NAN);
    void* buffers[] = {x.data(), w.data(), bias.data(), out.data()};
    HarnessHost host(1);
    ASSERT_EQ(kernels->find("k")(host.services(), buffers, nullptr), 0);
    const auto length = static_cast<float>(shape.inChannels / shape.groups * shape.kernelHeight *
                                           shape.kernelWidth);
    for (const float y : out) EXPECT_NEAR(y - kBias, length * kWeight, kHalfUnit);
  }
}

TEST_P(Contraction, ConvSizesAndPadding) {
  for (auto [ic, oc, size] : {std::tuple<int64_t, int64_t, int64_t>{16, 32, 8},
                              {35, 50, 7},
                              {64, 16, 15},
                              {16, 80, 29}}) {
    SCOPED_TRACE(testing::Message() << ic << "->" << oc << " at " << size);
    ConvShape shape{.inChannels = ic,
                    .outChannels = oc,
                    .inHeight = size,
                    .inWidth = size + 1,
                    .kernelHeight = 3,
                    .kernelWidth = 3};
    checkConv(shape);
    shape.padTop = shape.padLeft = shape.padBottom = shape.padRight = 1;
    checkConv(shape, false, true);
  }
}

TEST_P(Contraction, ConvStrideDilationAsymmetricPadding) {
  checkConv({.batch = 2,
             .inChannels = 32,
             .outChannels = 48,
             .inHeight = 13,
             .inWidth = 17,
             .kernelHeight = 3,
             .kernelWidth = 5,
             .strideHeight = 2,
             .strideWidth = 2,
             .padTop = 1,
             .padLeft = 2,
             .padBottom = 0,
             .padRight = 1});
  checkConv({.inChannels = 16,
             .outChannels = 16,
             .inHeight = 14,
             .inWidth = 19,
             .kernelHeight = 3,
             .kernelWidth = 3,
             .dilationHeight = 2,
             .dilationWidth = 3,
             .padTop = 2,
             .padLeft = 3,
             .padBottom = 2,
             .padRight = 3});
  checkConv({.inChannels = 32,
             .outChannels = 64,
             .inHeight = 14,
             .inWidth = 14,
             .strideHeight = 2,
             .strideWidth = 2});
}

TEST_P(Contraction, ConvPointwiseAndOneDimensional) {
  checkConv({.batch = 2, .inChannels = 48, .outChannels = 96, .inHeight = 7, .inWidth = 7}, false,
            true);
  checkConv({.inChannels = 64, .outChannels = 20, .inHeight = 1, .inWidth = 1});
  checkConv({.inChannels = 32,
             .outChannels = 32,
             .inHeight = 1,
             .inWidth = 101,
             .kernelWidth = 9,
             .padLeft = 8,
             .padRight = 0});
}

TEST_P(Contraction, ConvGroupsAndDynamicBatch) {
  checkConv({.batch = 2,
             .groups = 3,
             .inChannels = 96,
             .outChannels = 48,
             .inHeight = 9,
             .inWidth = 9,
             .kernelHeight = 3,
             .kernelWidth = 3,
             .padTop = 1,
             .padLeft = 1,
             .padBottom = 1,
             .padRight = 1});
  checkConv({.batch = ShapedType::kDynamic,
             .inChannels = 20,
             .outChannels = 24,
             .inHeight = 6,
             .inWidth = 6,
             .kernelHeight = 3,
             .kernelWidth = 3,
             .padTop = 1,
             .padLeft = 1,
             .padBottom = 1,
             .padRight = 1},
            false, false, /*runBatch=*/3);
}

TEST_P(Contraction, ConvPlainInput) {
  checkConv({.batch = 2,
             .inChannels = 3,
             .outChannels = 64,
             .inHeight = 35,
             .inWidth = 37,
             .kernelHeight = 7,
             .kernelWidth = 7,
             .strideHeight = 2,
             .strideWidth = 2,
             .padTop = 3,
             .padLeft = 3,
             .padBottom = 3,
             .padRight = 3},
            true, true);
  checkConv({.inChannels = 1,
             .outChannels = 8,
             .inHeight = 28,
             .inWidth = 28,
             .kernelHeight = 5,
             .kernelWidth = 5},
            true);
}

TEST_P(Contraction, Depthwise) {
  for (int64_t kernel : {3, 5}) {
    for (int64_t stride : {1, 2}) {
      for (int64_t size : {2, 7, 28}) {
        SCOPED_TRACE(testing::Message() << kernel << " stride " << stride << " at " << size);
        int64_t pad = kernel / 2;
        checkConv({.groups = 40,
                   .inChannels = 40,
                   .outChannels = 40,
                   .inHeight = size,
                   .inWidth = size + 1,
                   .kernelHeight = kernel,
                   .kernelWidth = kernel,
                   .strideHeight = stride,
                   .strideWidth = stride,
                   .padTop = pad,
                   .padLeft = pad,
                   .padBottom = pad,
                   .padRight = pad},
                  false, size == 7);
      }
    }
  }
  checkConv({.groups = 16,
             .inChannels = 16,
             .outChannels = 16,
             .inHeight = 20,
             .inWidth = 21,
             .kernelHeight = 3,
             .kernelWidth = 3,
             .dilationHeight = 3,
             .dilationWidth = 2,
             .padTop = 3,
             .padLeft = 0,
             .padBottom = 1,
             .padRight = 5});
}

void Contraction::checkMatmul(const MatmulShape& shape, std::vector<int64_t> aBatch,
                              std::vector<int64_t> bBatch, int64_t m) {
  int64_t lanes = target_.vectorLanes;
  auto with = [](llvm::ArrayRef<int64_t> batch, int64_t rows, int64_t columns) {
    llvm::SmallVector<int64_t> dims(batch);
    dims.append({rows, columns});
    return dims;
  };
  int64_t n = shape.n, k = shape.k;
  std::vector<int64_t> outBatch, sizes;
  for (size_t i = 0; i < aBatch.size(); ++i) outBatch.push_back(std::max(aBatch[i], bBatch[i]));
  auto aType =
      shape.transA ? f32(with(shape.aBatch, k, shape.m)) : f32(with(shape.aBatch, shape.m, k));
  int64_t blocks = (n + lanes - 1) / lanes;
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
  auto kernels = compile({{aType, bType, f32({n}), outType}, {outType}}, [&](KernelFunction& kernel,
                                                                             mlir::OpBuilder& b) {
    emitMatmul(b, b.getUnknownLoc(), shape,
               {kernel.inputs[0], kernel.inputs[1], kernel.inputs[2], kernel.outputs[0]}, target_,
               reluOfSum(kernel.inputs[3]));
  });
  ASSERT_TRUE(kernels);
  auto count = [](const std::vector<int64_t>& dims) {
    int64_t product = 1;
    for (int64_t dim : dims) product *= dim;
    return product;
  };
  auto a = randomValues(count(aBatch) * m * k, 1), b = randomValues(count(bBatch) * k * n, 2),
       bias = randomValues(n, 3);
  auto residual = randomValues(count(outBatch) * m * n, 4);
  auto packed = shape.isBPacked ? packMatmulB(b, k, n, shape.transB, lanes) : b;
  for (int threads : {1, 2}) {
    HarnessHost host(threads);
    std::vector<float> out(count(outBatch) * m * n + 1, NAN);
    void* buffers[] = {a.data(), packed.data(), bias.data(), residual.data(), out.data()};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers, sizes.data()), 0);
    EXPECT_TRUE(std::isnan(out.back()));
    double worst = 0;
    for (int64_t batch = 0; batch < count(outBatch); ++batch) {
      int64_t ai = 0, bi = 0, aStride = 1, bStride = 1, rest = batch;
      for (size_t d = outBatch.size(); d-- > 0;) {
        int64_t at = rest % outBatch[d];
        rest /= outBatch[d];
        if (aBatch[d] != 1) ai += at * aStride, aStride *= aBatch[d];
        if (bBatch[d] != 1) bi += at * bStride, bStride *= bBatch[d];
      }
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double total = bias[j] + residual[(batch * m + i) * n + j];
          for (int64_t l = 0; l < k; ++l) {
            double x = a[ai * m * k + (shape.transA ? l * m + i : i * k + l)];
            total += x * b[bi * k * n + (shape.transB ? j * k + l : l * n + j)];
          }
          double error = std::fabs(out[(batch * m + i) * n + j] - std::max(total, 0.0));
          worst = std::max(worst, std::isnan(error) ? 1e9 : error);
        }
    }
    EXPECT_LT(worst, 2e-6 * std::sqrt(static_cast<double>(k)) + 1e-6) << "threads " << threads;
  }
}

TEST_P(Contraction, MatmulPackedConstant) {
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

TEST_P(Contraction, MatmulPlainOperands) {
  for (bool transA : {false, true}) {
    for (bool transB : {false, true}) {
      SCOPED_TRACE(testing::Message() << transA << transB);
      checkMatmul({.m = 37, .n = 48, .k = 20, .transA = transA, .transB = transB}, {}, {}, 37);
      checkMatmul({.m = 6, .n = 45, .k = 20, .transA = transA, .transB = transB}, {}, {}, 6);
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

TEST_P(Contraction, MatmulDynamicRowsAndBatch) {
  for (int64_t m : {1, 13, 14, 15, 43}) {
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

INSTANTIATE_TEST_SUITE_P(Cpus, Contraction, testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto& info) {
                           return std::string(info.param) == "x86-64-v3" ? "Avx2" : "Avx512";
                         });

}  // namespace
}  // namespace tessera::lowering
