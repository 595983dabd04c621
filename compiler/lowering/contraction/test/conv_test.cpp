// Convolutions against plain loops, for both vector widths.
#include "compiler/lowering/contraction/conv.h"

#include "compiler/lowering/contraction/test/contraction_fixture.h"
#include "compiler/lowering/test/pack_weights.h"

namespace tessera::lowering {
namespace {

using mlir::ShapedType;

/// [N, C, H, W] -> [N, C/c, H, W, c] and back.
std::vector<float> toBlocked(const std::vector<float>& plain, int64_t batch, int64_t channels,
                             int64_t pixels, int64_t lanes) {
  const int64_t blocks = (channels + lanes - 1) / lanes;
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
  const int64_t oh = s.outHeight(), ow = s.outWidth(), icg = s.inChannels / s.groups,
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
                const int64_t h = i * s.strideHeight - s.padTop + kh * s.dilationHeight;
                const int64_t v = j * s.strideWidth - s.padLeft + kw * s.dilationWidth;
                if (h < 0 || v < 0 || h >= s.inHeight || v >= s.inWidth) continue;
                const double a =
                    x[((n * s.inChannels + oc / ocg * icg + ic) * s.inHeight + h) * s.inWidth + v];
                total += a * w[((oc * icg + ic) * s.kernelHeight + kh) * s.kernelWidth + kw];
              }
          y[((n * s.outChannels + oc) * oh + i) * ow + j] = total;
        }
  return y;
}

class ConvTest : public Contraction {
 protected:
  void checkConv(const ConvShape& shape, bool isPlainInput = false, bool hasResidual = false,
                 int64_t runBatch = 0);
};

void ConvTest::checkConv(const ConvShape& shape, bool isPlainInput, bool hasResidual,
                         int64_t runBatch) {
  const int64_t lanes = target_.vectorLanes;
  const int64_t batch = runBatch > 0 ? runBatch : shape.batch;
  auto kind = convKindFor(shape, isPlainInput, lanes);
  ASSERT_TRUE(kind.has_value());
  const int64_t inBlocks = (shape.inChannels + lanes - 1) / lanes,
                outBlocks = (shape.outChannels + lanes - 1) / lanes;
  const int64_t oh = shape.outHeight(), ow = shape.outWidth();
  auto inputType = isPlainInput
                       ? f32({shape.batch, shape.inChannels, shape.inHeight, shape.inWidth})
                       : f32({shape.batch, inBlocks, shape.inHeight, shape.inWidth, lanes});
  auto outputType = f32({batch, outBlocks, oh, ow, lanes});
  KernelSignature signature{.inputs = {inputType, f32({packedConvWeightsSize(shape, *kind, lanes)}),
                                       f32({outBlocks * lanes})},
                            .outputs = {outputType}};
  if (hasResidual) signature.inputs.push_back(outputType);
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
    const ConvOperands operands{.input = kernel.inputs[0],
                                .weights = kernel.inputs[1],
                                .bias = kernel.inputs[2],
                                .output = kernel.outputs[0]};
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
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    for (const auto& values : {input, weights, paddedBias}) memory.push_back(guarded(values));
    if (hasResidual) memory.push_back(guarded(residual));
    memory.push_back(guarded(std::vector<float>(batch * outBlocks * oh * ow * lanes, NAN)));
    std::vector<void*> buffers;
    buffers.reserve(memory.size());
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    int64_t sizes[] = {batch};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes), 0);
    const std::vector<float> out = valuesIn(memory.back());
    double worst = 0;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t oc = 0; oc < shape.outChannels; ++oc)
        for (int64_t p = 0; p < oh * ow; ++p) {
          const int64_t at = ((n * outBlocks + oc / lanes) * oh * ow + p) * lanes + oc % lanes;
          double want = expected[(n * shape.outChannels + oc) * oh * ow + p];
          if (hasResidual) want = std::max(0.0, want + residual[at]);
          const double error = std::fabs(out[at] - want);
          worst = std::max(worst, std::isnan(error) ? 1e9 : error);
        }
    const int64_t length = shape.inChannels / shape.groups * shape.kernelHeight * shape.kernelWidth;
    EXPECT_LT(worst, 2e-6 * std::sqrt(static_cast<double>(length)) + 1e-6) << "threads " << threads;
  }
}

/// Each product alone is less than half a unit in the last place of the bias: a sum that starts
/// with the bias would stay there.
TEST_P(ConvTest, BiasIsAddedLast) {
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
        .inputs = {f32({1, shape.inChannels / lanes, shape.inHeight, shape.inWidth, lanes}),
                   f32({weightsSize}), f32({shape.outChannels})},
        .outputs = {
            f32({1, shape.outChannels / lanes, shape.outHeight(), shape.outWidth(), lanes})}};
    auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
      emitConv(b, b.getUnknownLoc(), shape, *kind,
               {.input = kernel.inputs[0],
                .weights = kernel.inputs[1],
                .bias = kernel.inputs[2],
                .output = kernel.outputs[0]},
               target_, Epilogue());
    });
    ASSERT_TRUE(kernels);
    std::vector<float> x(inputSize, 1), w(weightsSize, kWeight), bias(shape.outChannels, kBias);
    std::vector<float> out(outputSize, NAN);
    void* buffers[] = {x.data(), w.data(), bias.data(), out.data()};
    const HarnessHost host(1);
    ASSERT_EQ(kernels->find("k")(host.services(), buffers, nullptr), 0);
    const int64_t depth = shape.inChannels / shape.groups;
    const auto length = static_cast<float>(depth * shape.kernelHeight * shape.kernelWidth);
    for (const float y : out) EXPECT_NEAR(y - kBias, length * kWeight, kHalfUnit);
  }
}

TEST_P(ConvTest, ConvSizesAndPadding) {
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

TEST_P(ConvTest, ConvStrideDilationAsymmetricPadding) {
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

TEST_P(ConvTest, ConvPointwiseAndOneDimensional) {
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

TEST_P(ConvTest, ConvGroupsAndDynamicBatch) {
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

TEST_P(ConvTest, ConvPlainInput) {
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

TEST_P(ConvTest, Depthwise) {
  for (const int64_t kernel : {3, 5}) {
    for (const int64_t stride : {1, 2}) {
      for (const int64_t size : {2, 7, 28}) {
        SCOPED_TRACE(testing::Message() << kernel << " stride " << stride << " at " << size);
        const int64_t pad = kernel / 2;
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

TESSERA_FOR_BOTH_WIDTHS(ConvTest);

}  // namespace
}  // namespace tessera::lowering
