// Convolutions against plain loops, for both vector widths.
#include "compiler/lowering/contraction/conv.h"

#include "compiler/lowering/contraction/test/contraction_fixture.h"
#include "compiler/lowering/contraction/test/reference_conv.h"
#include "compiler/lowering/contraction/winograd.h"
#include "compiler/lowering/test/pack_weights.h"

namespace tessera::lowering {
namespace {

using mlir::ShapedType;

class ConvTest : public Contraction {
 protected:
  void checkConv(const ConvShape& shape, bool isPlainInput = false, bool hasResidual = false,
                 int64_t runBatch = 0, bool isWinograd = false);
  void emit(mlir::OpBuilder& b, const ConvShape& shape, ConvKind kind, bool isWinograd,
            ConvOperands operands, const Epilogue& epilogue);

  bool isPaddingPoisoned_ = false;  // Channels that are padding hold NaN.
};

// `blocked` [images, channels/c, pixels, c]
void poisonPadding(std::vector<float>& blocked, int64_t channels, int64_t pixels, int64_t lanes) {
  const auto blocks = static_cast<size_t>((channels + lanes - 1) / lanes);
  for (size_t i = 0; i < blocked.size(); ++i) {
    const auto block = static_cast<int64_t>(i / (pixels * lanes) % blocks);
    if (block * lanes + static_cast<int64_t>(i % lanes) >= channels) blocked[i] = NAN;
  }
}

// With weights that are prepared where that is needed.
void ConvTest::emit(mlir::OpBuilder& b, const ConvShape& shape, ConvKind kind, bool isWinograd,
                    ConvOperands operands, const Epilogue& epilogue) {
  const mlir::Location loc = b.getUnknownLoc();
  const int64_t lanes = target_.vectorLanes;
  if (kind != ConvKind::kBanded && !isWinograd)
    return emitConv(b, loc, shape, kind, operands, target_, epilogue);
  const int64_t size =
      isWinograd ? winogradWeightsSize(shape, lanes) : bandedWeightsSize(shape, lanes);
  const mlir::Value prepared = b.create<mlir::memref::AllocOp>(loc, f32({size}));
  const mlir::Value given = flattenMemRef(b, loc, operands.weights);
  operands.weights = prepared;
  if (isWinograd) {
    emitWinogradWeights(b, loc, shape, given, prepared, lanes);
    emitWinogradConv(b, loc, shape, operands, target_, epilogue);
  } else {
    emitBandedWeights(b, loc, shape, given, prepared, lanes);
    emitConv(b, loc, shape, kind, operands, target_, epilogue);
  }
  b.create<mlir::memref::DeallocOp>(loc, prepared);
}

void ConvTest::checkConv(const ConvShape& shape, bool isPlainInput, bool hasResidual,
                         int64_t runBatch, bool isWinograd) {
  const int64_t lanes = target_.vectorLanes;
  const int64_t batch = runBatch > 0 ? runBatch : shape.batch;
  auto kind = convKindFor(shape, isPlainInput, lanes);
  ASSERT_TRUE(kind.has_value());
  const int64_t inBlocks = (shape.inChannels + lanes - 1) / lanes,
                outBlocks = (shape.outChannels + lanes - 1) / lanes;
  const int64_t pixels = shape.outDepth() * shape.outHeight() * shape.outWidth(),
                inPixels = shape.inDepth * shape.inHeight * shape.inWidth;
  auto inputType =
      isPlainInput
          ? f32({shape.batch, shape.inChannels, shape.inDepth, shape.inHeight, shape.inWidth})
          : f32({shape.batch, inBlocks, shape.inDepth, shape.inHeight, shape.inWidth, lanes});
  auto outputType =
      f32({batch, outBlocks, shape.outDepth(), shape.outHeight(), shape.outWidth(), lanes});
  const int64_t weightsSize =
      *kind == ConvKind::kBanded
          ? shape.outChannels * shape.inChannels / shape.groups * shape.kernelSize()
          : packedConvWeightsSize(shape, *kind, lanes);
  KernelSignature signature{.inputs = {inputType, f32({weightsSize}), f32({outBlocks * lanes})},
                            .outputs = {outputType}};
  if (hasResidual) signature.inputs.push_back(outputType);
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
    const ConvOperands operands{.input = kernel.inputs[0],
                                .weights = kernel.inputs[1],
                                .bias = kernel.inputs[2],
                                .output = kernel.outputs[0]};
    emit(b, shape, *kind, isWinograd, operands,
         hasResidual ? reluOfSum(kernel.inputs[3]) : Epilogue());
  });
  ASSERT_TRUE(kernels);
  auto x = randomValues(batch * shape.inChannels * inPixels, 1);
  auto w =
      randomValues(shape.outChannels * shape.inChannels / shape.groups * shape.kernelSize(), 2);
  auto bias = randomValues(shape.outChannels, 3);
  auto residual = randomValues(batch * outBlocks * pixels * lanes, 4);
  auto expected = referenceConv(shape, batch, x, w, bias);
  auto input = isPlainInput ? x : blockChannels(x, batch, shape.inChannels, inPixels, lanes);
  if (isPaddingPoisoned_) poisonPadding(input, shape.inChannels, inPixels, lanes);
  auto weights = *kind == ConvKind::kBanded ? w : packConvWeights(w, shape, *kind, lanes);
  auto paddedBias = padChannels(bias, lanes);
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    for (const auto& values : {input, weights, paddedBias}) memory.push_back(guarded(values));
    if (hasResidual) memory.push_back(guarded(residual));
    memory.push_back(guarded(std::vector<float>(batch * outBlocks * pixels * lanes, NAN)));
    std::vector<void*> buffers;
    buffers.reserve(memory.size());
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    int64_t sizes[] = {batch};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes), 0);
    const std::vector<float> out = valuesIn(memory.back());
    double worst = 0;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t oc = 0; oc < shape.outChannels; ++oc)
        for (int64_t p = 0; p < pixels; ++p) {
          const int64_t at = ((n * outBlocks + oc / lanes) * pixels + p) * lanes + oc % lanes;
          double want = expected[(n * shape.outChannels + oc) * pixels + p];
          if (hasResidual) want = std::max(0.0, want + residual[at]);
          const double error = std::fabs(out[at] - want);
          worst = std::max(worst, std::isnan(error) ? 1e9 : error);
        }
    const int64_t length = shape.inChannels / shape.groups * shape.kernelSize();
    const double perProduct = isWinograd ? 4e-6 : 2e-6;
    EXPECT_LT(worst, perProduct * std::sqrt(static_cast<double>(length)) + 1e-6)
        << "threads " << threads;
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

/// Transforms of half a block of channels pay; of fewer, of squares that lie outside for the most
/// part, and of few squares they do not.
TEST(IsForWinograd, ByChannelsAndImage) {
  const auto isFor = [](int64_t in, int64_t out, int64_t size, int64_t lanes) {
    return isForWinograd({.inChannels = in,
                          .outChannels = out,
                          .inHeight = size,
                          .inWidth = size,
                          .kernelHeight = 3,
                          .kernelWidth = 3,
                          .padTop = 1,
                          .padLeft = 1,
                          .padBottom = 1,
                          .padRight = 1},
                         lanes);
  };
  for (const int64_t lanes : {8, 16}) {
    for (auto [in, out] : {std::pair<int64_t, int64_t>{8, 12},
                           {8, 64},
                           {12, 12},
                           {16, 16},
                           {20, 40},
                           {64, 17},
                           {128, 128}}) {
      for (const int64_t size : {16, 56, 112})
        EXPECT_TRUE(isFor(in, out, size, lanes))
            << in << "->" << out << " at " << size << ", " << lanes << " lanes";
    }
    EXPECT_FALSE(isFor(4, 64, 56, lanes));
    EXPECT_FALSE(isFor(64, 3, 56, lanes));
    EXPECT_FALSE(isFor(64, 64, 7, lanes));
    EXPECT_FALSE(isFor(8, 8, 13, lanes));
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

/// Groups that are no whole blocks of channels.
TEST_P(ConvTest, BandsOfGroups) {
  for (auto [groups, in, out] : {std::tuple<int64_t, int64_t, int64_t>{4, 8, 8},
                                 {3, 20, 20},
                                 {5, 3, 12},
                                 {32, 1, 2},
                                 {2, 68, 34}}) {
    SCOPED_TRACE(testing::Message() << groups << " groups of " << in << " and " << out);
    ConvShape shape{.batch = 2,
                    .groups = groups,
                    .inChannels = groups * in,
                    .outChannels = groups * out,
                    .inHeight = 5,
                    .inWidth = 17,
                    .kernelHeight = 3,
                    .kernelWidth = 3,
                    .padTop = 1,
                    .padLeft = 1,
                    .padBottom = 1,
                    .padRight = 1};
    checkConv(shape, false, groups == 3);
    shape.isTransposed = true;
    shape.strideHeight = shape.strideWidth = 2;
    checkConv(shape);
  }
}

/// Borders on all sides, images that are no multiple of a square, blocks that are not full.
TEST_P(ConvTest, Winograd) {
  for (auto [ic, oc, height, width, pad] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>{16, 32, 8, 8, 1},
        {35, 50, 7, 13, 1},
        {48, 80, 30, 29, 0},
        {16, 16, 6, 6, 2}}) {
    SCOPED_TRACE(testing::Message() << ic << "->" << oc << " at " << height << "x" << width);
    checkConv({.batch = ic == 35 ? 3 : 1,
               .inChannels = ic,
               .outChannels = oc,
               .inHeight = height,
               .inWidth = width,
               .kernelHeight = 3,
               .kernelWidth = 3,
               .padTop = pad,
               .padLeft = pad,
               .padBottom = pad,
               .padRight = pad},
              false, ic == 48, 0, /*isWinograd=*/true);
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

TESSERA_FOR_BOTH_WIDTHS(ConvTest);

}  // namespace
}  // namespace tessera::lowering
