// Convolutions whose inputs are computed where they are read, against plain loops, for both vector
// widths, and where that is chosen.
#include "compiler/lowering/contraction/test/conv_fixture.h"
#include "compiler/lowering/contraction/test/reference_conv.h"
#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/test/pack_weights.h"

namespace tessera::lowering {
namespace {

/// relu(x * scale), one scale for each channel of each image.
Prologue scaledRelu(mlir::Value x, mlir::Value scales, int64_t paddedChannels) {
  return [=](const EpilogueContext& context) -> mlir::Value {
    IndexBuilder b(context.loc, context.b);
    const Index at = b.term(context.batch) * paddedChannels + context.channelOffset;
    const mlir::Value scale = loadLanes(context, scales, at);
    const mlir::Value scaled =
        context.b.create<mlir::arith::MulFOp>(context.loc, loadSameShape(context, x), scale);
    const mlir::Value zero = context.b.create<mlir::arith::ConstantOp>(
        context.loc, context.b.getZeroAttr(scaled.getType()));
    return context.b.create<mlir::arith::MaximumFOp>(context.loc, scaled, zero);
  };
}

class PrologueConvTest : public ConvTest {
 protected:
  /// `runBatch`: the number of images where the shape leaves it open.
  void check(const ConvShape& shape, const ContractionTuning& tuning = {}, int64_t runBatch = 0);
};

void PrologueConvTest::check(const ConvShape& shape, const ContractionTuning& tuning,
                             int64_t runBatch) {
  SCOPED_TRACE(testing::Message() << shape.inChannels << "->" << shape.outChannels << " at "
                                  << shape.inHeight << "x" << shape.inWidth);
  const int64_t lanes = target_.vectorLanes, pixels = shape.inHeight * shape.inWidth,
                inBlocks = (shape.inChannels + lanes - 1) / lanes,
                outBlocks = (shape.outChannels + lanes - 1) / lanes,
                batch = runBatch > 0 ? runBatch : shape.batch;
  const auto imageOf = [&](int64_t blocks) {
    return f32({shape.batch, blocks, 1, shape.inHeight, shape.inWidth, lanes});
  };
  auto x = randomValues(batch * shape.inChannels * pixels, 1);
  if (isInputInfinite_) x[pixels + 1] = INFINITY;
  const auto w = randomValues(shape.outChannels * shape.inChannels, 2),
             bias = randomValues(shape.outChannels, 3);
  auto scales = randomValues(batch * inBlocks * lanes, 4);
  if (isInputInfinite_) scales[1] = 1;
  const auto weights = packConvWeights(w, shape, ConvKind::kBlocked, lanes);
  const KernelSignature signature{
      .inputs = {imageOf(inBlocks), f32({static_cast<int64_t>(scales.size())}),
                 f32({static_cast<int64_t>(weights.size())}), f32({outBlocks * lanes})},
      .outputs = {f32({batch, outBlocks, 1, shape.inHeight, shape.inWidth, lanes})}};
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
    const ConvOperands operands{.input = {},
                                .weights = kernel.inputs[2],
                                .bias = kernel.inputs[3],
                                .output = kernel.outputs[0]};
    emitConvOfPrologue(b, b.getUnknownLoc(), shape, operands, target_,
                       scaledRelu(kernel.inputs[0], kernel.inputs[1], inBlocks * lanes),
                       reluOfSum(nullptr), tuning);
  });
  ASSERT_TRUE(kernels);
  auto made = x;
  for (size_t i = 0; i < made.size(); ++i) {
    const int64_t channel = static_cast<int64_t>(i) / pixels;  // Of all images.
    const int64_t at = channel / shape.inChannels * inBlocks * lanes + channel % shape.inChannels;
    made[i] = std::max(0.0F, made[i] * scales[at]);
  }
  const auto expected = referenceConv(shape, batch, made, w, bias);
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    for (const auto& values :
         {blockChannels(x, batch, shape.inChannels, pixels, lanes), scales, weights,
          padChannels(bias, lanes), std::vector<float>(batch * outBlocks * lanes * pixels, NAN)})
      memory.push_back(guarded(values));
    std::vector<void*> buffers;
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    int64_t sizes[] = {batch};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes), 0);
    const std::vector<float> out = valuesIn(memory.back());
    const double most = 2e-6 * std::sqrt(static_cast<double>(shape.inChannels)) + 1e-6;
    for (size_t i = 0; i < expected.size(); ++i) {
      const int64_t pixel = static_cast<int64_t>(i) % pixels,
                    channel = static_cast<int64_t>(i) / pixels % shape.outChannels,
                    image = static_cast<int64_t>(i) / pixels / shape.outChannels;
      const int64_t at =
          ((image * outBlocks + channel / lanes) * pixels + pixel) * lanes + channel % lanes;
      const double want = std::max(0.0, static_cast<double>(expected[i]));
      if (std::isinf(want)) {
        ASSERT_EQ(out[at], want) << "element " << i << ", threads " << threads;
      } else {
        ASSERT_NEAR(out[at], want, most) << "element " << i << ", threads " << threads;
      }
    }
    for (size_t at = 0; at < out.size(); ++at) {
      const auto lane = static_cast<int64_t>(at) % lanes,
                 block = static_cast<int64_t>(at) / lanes / pixels % outBlocks;
      if (block * lanes + lane >= shape.outChannels) {
        ASSERT_EQ(out[at], 0) << "padding, " << at;
      }
    }
  }
}

/// One block and many, blocks that are not full, rows that do not divide the image, a last tile of
/// fewer panels, several images.
TEST_P(PrologueConvTest, BlocksAndTiles) {
  for (auto [images, ic, oc, height, width] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>{1, 16, 16, 4, 4},
        {1, 5, 3, 3, 7},
        {1, 64, 128, 14, 14},
        {3, 35, 50, 7, 13},
        {1, 17, 40, 9, 9},
        {2, 100, 24, 5, 5},
        {1, 48, 16, 1, 1}})
    check({.batch = images,
           .inChannels = ic,
           .outChannels = oc,
           .inHeight = height,
           .inWidth = width});
}

TEST_P(PrologueConvTest, OpenNumberOfImages) {
  check({.batch = mlir::ShapedType::kDynamic,
         .inChannels = 35,
         .outChannels = 20,
         .inHeight = 5,
         .inWidth = 7},
        {}, /*runBatch=*/3);
}

/// Infinite inputs are none of padding's.
TEST_P(PrologueConvTest, PaddingOfResultsIsZero) {
  isInputInfinite_ = true;
  check({.inChannels = 35, .outChannels = 20, .inHeight = 5, .inWidth = 7});
}

/// Few positions of many results: threads share the channels out.
TEST_P(PrologueConvTest, ChannelsInParts) {
  for (const int64_t oc : {320, 328, 200, 304, 656})
    check({.inChannels = 48, .outChannels = oc, .inHeight = 7, .inWidth = 7});
}

TEST_P(PrologueConvTest, Tilings) {
  const ConvShape shape{.inChannels = 48, .outChannels = 80, .inHeight = 7, .inWidth = 7};
  for (const ContractionTuning tuning :
       {ContractionTuning{.rows = 4, .panels = 3}, {.rows = 7, .panels = 1}, {.unroll = 8}})
    check(shape, tuning);
}

TEST_P(PrologueConvTest, IsForImagesWhoseWeightsStayInTheCache) {
  const auto isFor = [&](int64_t in, int64_t out, int64_t size, int64_t kernel = 1) {
    return isForPrologue({.inChannels = in,
                          .outChannels = out,
                          .inHeight = size,
                          .inWidth = size,
                          .kernelHeight = kernel,
                          .kernelWidth = kernel},
                         target_);
  };
  EXPECT_TRUE(isFor(256, 128, 56));
  EXPECT_TRUE(isFor(512, 128, 7));
  EXPECT_FALSE(isFor(512, 128, 1));
  EXPECT_FALSE(isFor(32, target_.vectorLanes, 56));
  EXPECT_FALSE(isFor(2048, 512, 7));
  EXPECT_FALSE(isFor(64, 64, 56, 3));
}

TESSERA_FOR_BOTH_WIDTHS(PrologueConvTest);

}  // namespace
}  // namespace tessera::lowering
