// Convolutions against plain loops, for both vector widths.
#include "compiler/lowering/contraction/conv.h"

#include "compiler/lowering/contraction/conv_tiling.h"
#include "compiler/lowering/contraction/test/conv_fixture.h"
#include "compiler/lowering/test/pack_weights.h"

namespace tessera::lowering {
namespace {

using mlir::ShapedType;

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

/// Weights of a tile's panels that take more than half of the second-level cache are gone through
/// in blocks of channels, of which the last one has fewer. Sums in order would be less exact.
TEST_P(ConvTest, ConvOfManyChannelsInBlocks) {
  ConvShape shape{.inChannels = 640,
                  .outChannels = 80,
                  .inHeight = 7,
                  .inWidth = 6,
                  .kernelHeight = 3,
                  .kernelWidth = 3,
                  .padTop = 1,
                  .padLeft = 1,
                  .padBottom = 1,
                  .padRight = 1};
  const auto numBlocks = [&](int64_t reduce) {
    return tilingOf(shape, ConvKind::kBlocked, target_, {.reduce = reduce}).blocks.count;
  };
  EXPECT_GT(numBlocks(0), 1);
  const int64_t steps = blockableReduction(shape, ConvKind::kBlocked, target_);
  EXPECT_EQ(steps, 640 * 9);
  EXPECT_EQ(numBlocks(steps), 1);
  EXPECT_EQ(numBlocks(steps / 2), 2);
  checkConv(shape);
  shape.strideHeight = shape.strideWidth = 2;
  shape.batch = ShapedType::kDynamic;
  checkConv(shape, false, /*hasResidual=*/true, /*runBatch=*/2);
  // More tiles of a plane than are summed up together.
  shape = {.groups = 2,
           .inChannels = 1280,
           .outChannels = 64,
           .inHeight = 24,
           .inWidth = 20,
           .kernelHeight = 3,
           .kernelWidth = 3};
  checkConv(shape);
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

// Kernels as wide as the image, where every tile is at a border, and windows of which some have no
// tap inside.
TEST_P(ConvTest, ConvWideWindows) {
  for (const int64_t dilation : {1, 6, 12}) {
    SCOPED_TRACE(testing::Message() << "dilation " << dilation);
    const int64_t pad = dilation;
    checkConv({.inChannels = 16,
               .outChannels = 32,
               .inHeight = 9,
               .inWidth = 120,
               .kernelHeight = 3,
               .kernelWidth = 3,
               .dilationHeight = dilation,
               .dilationWidth = 5 * dilation,
               .padTop = pad,
               .padLeft = 5 * pad,
               .padBottom = pad,
               .padRight = 5 * pad});
  }
  checkConv({.inChannels = 16,
             .outChannels = 16,
             .inHeight = 3,
             .inWidth = 2,
             .kernelHeight = 3,
             .kernelWidth = 3,
             .padTop = 4,
             .padLeft = 5,
             .padBottom = 4,
             .padRight = 3});
}

TEST_P(ConvTest, ConvThreeDimensional) {
  const ConvShape shape{.batch = 2,
                        .inChannels = 20,
                        .outChannels = 40,
                        .inDepth = 6,
                        .inHeight = 7,
                        .inWidth = 18,
                        .kernelDepth = 3,
                        .kernelHeight = 3,
                        .kernelWidth = 3,
                        .strideDepth = 2,
                        .dilationHeight = 2,
                        .padFront = 1,
                        .padTop = 2,
                        .padLeft = 1,
                        .padBack = 1,
                        .padBottom = 2,
                        .padRight = 1};
  checkConv(shape, false, true);
  checkConv({.inChannels = 3,
             .outChannels = 32,
             .inDepth = 5,
             .inHeight = 9,
             .inWidth = 21,
             .kernelDepth = 3,
             .kernelHeight = 5,
             .kernelWidth = 5,
             .strideHeight = 2,
             .strideWidth = 2,
             .padFront = 1,
             .padTop = 2,
             .padLeft = 2,
             .padBack = 1,
             .padBottom = 2,
             .padRight = 2},
            true);
}

/// Strides, taps that are no multiple of them, pads on either side, output_padding (negative pads).
TEST_P(ConvTest, TransposedConv) {
  for (auto [kernel, stride, pad, end] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t>{2, 2, 0, 0},
        {4, 2, 1, 1},
        {3, 2, 1, 0},
        {3, 1, 1, 1},
        {3, 2, 0, -1},
        {2, 3, 0, 0},
        {5, 3, 2, 1}}) {
    for (const int64_t size : {1, 5, 17, 40}) {
      SCOPED_TRACE(testing::Message() << kernel << " stride " << stride << " pads " << pad << ", "
                                      << end << " at " << size);
      if ((size - 1) * stride + kernel - pad - end <= 0) continue;
      checkConv({.inChannels = 20,
                 .outChannels = 40,
                 .inHeight = 4,
                 .inWidth = size,
                 .kernelHeight = kernel,
                 .kernelWidth = kernel,
                 .strideHeight = stride,
                 .strideWidth = stride,
                 .padTop = pad,
                 .padLeft = pad,
                 .padBottom = end,
                 .padRight = end,
                 .isTransposed = true},
                false, size == 5);
    }
  }
  checkConv({.batch = 2,
             .inChannels = 16,
             .outChannels = 16,
             .inDepth = 3,
             .inHeight = 1,
             .inWidth = 1,
             .kernelDepth = 4,
             .strideDepth = 2,
             .isTransposed = true});
  checkConv({.inChannels = 16,
             .outChannels = 16,
             .inHeight = 5,
             .inWidth = 12,
             .kernelHeight = 3,
             .kernelWidth = 3,
             .dilationHeight = 2,
             .dilationWidth = 3,
             .padTop = 1,
             .padLeft = 2,
             .isTransposed = true});
}

/// The only output shows no input, which is beside it.
TEST_P(ConvTest, OneOutputBesideOneInput) {
  ConvShape shape = {.inChannels = 16, .outChannels = 16, .strideWidth = 2, .padLeft = 1};
  checkConv(shape);
  shape.isTransposed = true;
  shape.padRight = -1;
  checkConv(shape);
}

/// Strides and dilations at once, with common divisors and without: outputs without taps, and
/// kernel elements in another order than the outputs that begin with them.
TEST_P(ConvTest, TransposedConvWithHoles) {
  for (auto [kernel, stride, dilation] : {std::tuple<int64_t, int64_t, int64_t>{3, 2, 2},
                                          {4, 2, 3},
                                          {3, 3, 2},
                                          {5, 4, 6},
                                          {2, 5, 3},
                                          {3, 4, 4}}) {
    for (const int64_t size : {1, 7, 20}) {
      SCOPED_TRACE(testing::Message()
                   << kernel << " stride " << stride << " dilation " << dilation << " at " << size);
      checkConv({.batch = 2,
                 .inChannels = 20,
                 .outChannels = 24,
                 .inDepth = 3,
                 .inHeight = 4,
                 .inWidth = size,
                 .kernelDepth = 2,
                 .kernelHeight = kernel,
                 .kernelWidth = kernel,
                 .strideDepth = 3,
                 .strideHeight = stride,
                 .strideWidth = stride,
                 .dilationDepth = 2,
                 .dilationHeight = dilation,
                 .dilationWidth = dilation,
                 .padTop = 2,
                 .padLeft = 1,
                 .padBottom = -1,
                 .padRight = 1,
                 .isTransposed = true},
                false, size == 7);
    }
  }
}

/// What fills the last block of input channels up takes part in no product.
TEST_P(ConvTest, PaddedChannelsAreLeftOut) {
  isPaddingPoisoned_ = true;
  for (const int64_t channels : {1, 6, 17, 20}) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    ConvShape shape{
        .batch = 2, .inChannels = channels, .outChannels = 40, .inHeight = 9, .inWidth = 21};
    checkConv(shape, false, channels == 17);
    shape.kernelHeight = shape.kernelWidth = 3;
    shape.padTop = shape.padLeft = shape.padBottom = shape.padRight = 1;
    checkConv(shape);
    checkConv(shape, false, channels == 6, 0, /*isWinograd=*/true);
    shape.kernelWidth = 1;
    shape.padLeft = shape.padRight = 0;
    checkConv(shape);
    shape.isTransposed = true;
    shape.strideHeight = shape.strideWidth = 2;
    checkConv(shape);
  }
}

/// Planes of the kernel that lie outside are left out, as rows are.
TEST_P(ConvTest, DepthwiseInThreeDimensions) {
  for (const int64_t results : {1, 2}) {
    ConvShape shape{.batch = 2,
                    .groups = 20,
                    .inChannels = 20,
                    .outChannels = 20 * results,
                    .inDepth = 5,
                    .inHeight = 6,
                    .inWidth = 13,
                    .kernelDepth = 3,
                    .kernelHeight = 3,
                    .kernelWidth = 3,
                    .padFront = 1,
                    .padTop = 1,
                    .padLeft = 1,
                    .padBack = 1,
                    .padBottom = 1,
                    .padRight = 1};
    checkConv(shape, false, true);
    shape.strideDepth = shape.strideWidth = 2;
    shape.dilationDepth = 2;
    shape.padFront = 2;
    checkConv(shape);
    shape.padFront = shape.padBack = 0;
    shape.kernelDepth = 1;
    checkConv(shape);
  }
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

/// Where results are several times the inputs, unless a schedule says otherwise.
TEST_P(ConvTest, MuchIsWrittenPlaneByPlane) {
  const auto arePanelsInner = [&](int64_t in, int64_t out, const ContractionTuning& tuning) {
    const ConvShape shape{.inChannels = in, .outChannels = out, .inHeight = 56, .inWidth = 56};
    return tilingOf(shape, ConvKind::kBlocked, target_, tuning).arePanelsInner;
  };
  EXPECT_FALSE(arePanelsInner(64, 256, {}));
  EXPECT_TRUE(arePanelsInner(64, 256, {.outer = OuterLoop::kRows}));
  EXPECT_TRUE(arePanelsInner(64, 128, {}));
  EXPECT_FALSE(arePanelsInner(64, 128, {.outer = OuterLoop::kPanels}));
}

TESSERA_FOR_BOTH_WIDTHS(ConvTest);

}  // namespace
}  // namespace tessera::lowering
