// Winograd's algorithm against plain loops, for both vector widths, and where it is chosen.
#include "compiler/lowering/contraction/winograd/winograd.h"

#include "compiler/lowering/contraction/test/conv_fixture.h"

namespace tessera::lowering {
namespace {

class WinogradTest : public ConvTest {};

/// Borders on all sides, images that are no multiple of a square, blocks that are not full.
TEST_P(WinogradTest, BordersAndPartsOfBlocks) {
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

/// Slices in depth are images by themselves, whatever block of channels they are in.
TEST_P(WinogradTest, SlicesInDepth) {
  for (const int64_t batch : {1, 2}) {
    const ConvShape shape{.batch = batch,
                          .inChannels = 35,
                          .outChannels = 50,
                          .inDepth = 3,
                          .inHeight = 7,
                          .inWidth = 13,
                          .kernelHeight = 3,
                          .kernelWidth = 3,
                          .padTop = 1,
                          .padLeft = 1,
                          .padBottom = 1,
                          .padRight = 1};
    EXPECT_TRUE(isForWinograd(shape, target_.vectorLanes));
    checkConv(shape, false, batch == 2, 0, /*isWinograd=*/true);
  }
}

/// Windows of several planes: with padding of the depth that is not the same on both sides, steps
/// and dilation of it, more planes than are worked on at a time, tiles that share weights.
TEST_P(WinogradTest, WindowsOfPlanes) {
  struct Case {
    int64_t batch, in, out, planes, kernel, front, back, stride = 1, dilation = 1;
  };
  for (const Case& c : std::vector<Case>{{1, 16, 32, 4, 3, 1, 1},
                                         {2, 35, 50, 3, 3, 0, 2},
                                         {3, 20, 33, 1, 3, 1, 1},
                                         {1, 136, 40, 25, 3, 1, 1},
                                         {2, 16, 19, 7, 3, 1, 1, 2},
                                         {1, 16, 16, 9, 2, 1, 0, 3},
                                         {1, 24, 16, 8, 3, 2, 1, 1, 2},
                                         {1, 16, 24, 5, 1, 0, 0, 2}}) {
    SCOPED_TRACE(testing::Message() << c.in << "->" << c.out << " of " << c.planes << ", "
                                    << c.kernel << " planes by " << c.stride);
    const ConvShape shape{.batch = c.batch,
                          .inChannels = c.in,
                          .outChannels = c.out,
                          .inDepth = c.planes,
                          .inHeight = 7,
                          .inWidth = 13,
                          .kernelDepth = c.kernel,
                          .kernelHeight = 3,
                          .kernelWidth = 3,
                          .strideDepth = c.stride,
                          .dilationDepth = c.dilation,
                          .padFront = c.front,
                          .padTop = 1,
                          .padLeft = 1,
                          .padBack = c.back,
                          .padBottom = 1,
                          .padRight = 1};
    EXPECT_TRUE(canBeWinograd(shape));
    checkConv(shape, false, c.batch == 2, 0, /*isWinograd=*/true);
    ConvShape open = shape;
    open.batch = mlir::ShapedType::kDynamic;
    checkConv(open, false, c.batch == 2, c.batch + 1, /*isWinograd=*/true);
    // Of windows that are padding there are no sums.
    open.padFront = c.kernel * c.dilation;
    EXPECT_FALSE(canBeWinograd(open));
  }
}

/// Pools of 2x2 in the squares: as a pool behind the convolution has it, NaN included. Results in
/// the last row and column of odd sizes are in no window.
TEST_P(WinogradTest, PoolsWindowsOfItsSquares) {
  const int64_t lanes = target_.vectorLanes, channels = 2 * lanes;
  for (const auto& [batch, depth, height, width, isMaximum] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t, bool>{1, 1, 8, 8, true},
        {2, 1, 7, 13, true},
        {1, 1, 6, 5, false},
        {3, 1, 9, 30, false},
        {2, 3, 7, 9, true}}) {
    SCOPED_TRACE(testing::Message() << depth << "x" << height << "x" << width);
    const int64_t depthPadding = depth > 1 ? 1 : 0;
    const ConvShape shape{.batch = batch,
                          .inChannels = channels,
                          .outChannels = channels,
                          .inDepth = depth,
                          .inHeight = height,
                          .inWidth = width,
                          .kernelDepth = 1 + 2 * depthPadding,
                          .kernelHeight = 3,
                          .kernelWidth = 3,
                          .padFront = depthPadding,
                          .padTop = 1,
                          .padLeft = 1,
                          .padBack = depthPadding,
                          .padBottom = 1,
                          .padRight = 1};
    ConvShape windows{.batch = batch,
                      .groups = channels,
                      .inChannels = channels,
                      .outChannels = channels,
                      .inDepth = depth,
                      .inHeight = height,
                      .inWidth = width,
                      .kernelHeight = 2,
                      .kernelWidth = 2,
                      .strideHeight = 2,
                      .strideWidth = 2,
                      .padBottom = -(height % 2),
                      .padRight = -(width % 2)};
    ASSERT_TRUE(canPoolSquares(windows));
    const Pool pool{.isMaximum = isMaximum};
    const auto image = f32({batch, 2, depth * height * width, lanes}),
               pooled = f32({batch, 2, depth * (height / 2) * (width / 2), lanes});
    const int64_t weightsSize = winogradWeightsSize(shape, lanes);
    auto kernels =
        compile({.inputs = {image, f32({weightsSize}), image}, .outputs = {pooled, pooled}},
                [&](KernelFunction& kernel, mlir::OpBuilder& b) {
                  const mlir::Location loc = b.getUnknownLoc();
                  const Epilogue epilogue = reluOfSum(kernel.inputs[2]);
                  ConvOperands operands{.input = kernel.inputs[0],
                                        .weights = kernel.inputs[1],
                                        .bias = nullptr,
                                        .output = kernel.outputs[0]};
                  emitWinogradConv(b, loc, shape, operands, target_, epilogue, {}, &pool);
                  operands.output = b.create<mlir::memref::AllocOp>(loc, image);
                  emitWinogradConv(b, loc, shape, operands, target_, epilogue);
                  emitPool(b, loc, windows, pool, operands.output, kernel.outputs[1], target_);
                  b.create<mlir::memref::DeallocOp>(loc, operands.output);
                });
    ASSERT_TRUE(kernels);
    auto x = randomValues(image.getNumElements(), 1);
    x[lanes * width] = NAN;
    const HarnessHost host(2);
    std::vector<GuardedMemory> memory;
    for (const auto& values : {x, randomValues(weightsSize, 2), randomValues(x.size(), 3)})
      memory.push_back(guarded(values));
    for (int output = 0; output < 2; ++output)
      memory.push_back(guarded(std::vector<float>(pooled.getNumElements(), -1)));
    std::vector<void*> buffers;
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    int64_t sizes[] = {batch};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes), 0);
    const std::vector<float> fused = valuesIn(memory[3]), apart = valuesIn(memory[4]);
    for (size_t i = 0; i < fused.size(); ++i) {
      const bool areNan = std::isnan(fused[i]) && std::isnan(apart[i]);
      EXPECT_TRUE(areNan || std::fabs(fused[i] - apart[i]) < 1e-6F * std::max(1.0F, apart[i]))
          << fused[i] << " and " << apart[i] << " at " << i;
    }
    // Windows that overlap, or begin or end outside of the image, are none of a square.
    windows.padTop = 1;
    EXPECT_FALSE(canPoolSquares(windows));
    windows.padTop = 0;
    windows.padBottom = 1;
    EXPECT_FALSE(canPoolSquares(windows));
    windows.padBottom = 0;
    windows.kernelWidth = 3;
    EXPECT_FALSE(canPoolSquares(windows));
  }
}

/// Transforms of half a block of channels pay; of fewer, of squares that lie outside for the most
/// part, and of few squares with many weights they do not.
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
    for (const int64_t size : {7, 8, 12}) EXPECT_TRUE(isFor(64, 64, size, lanes)) << size;
    for (const int64_t size : {4, 5, 6}) EXPECT_FALSE(isFor(64, 64, size, lanes)) << size;
    EXPECT_TRUE(isFor(256, 256, 8, lanes));
    for (const int64_t size : {7, 8, 12}) EXPECT_FALSE(isFor(512, 512, size, lanes)) << size;
    EXPECT_TRUE(isFor(512, 512, 16, lanes));
    EXPECT_FALSE(isFor(8, 8, 13, lanes));
  }
}

/// Taps of planes that lie outside cost nothing, in neither way.
TEST(IsForWinograd, ByPlanes) {
  const auto isFor = [](int64_t channels, int64_t planes, int64_t size) {
    return isForWinograd({.inChannels = channels,
                          .outChannels = channels,
                          .inDepth = planes,
                          .inHeight = size,
                          .inWidth = size,
                          .kernelDepth = 3,
                          .kernelHeight = 3,
                          .kernelWidth = 3,
                          .padFront = 1,
                          .padTop = 1,
                          .padLeft = 1,
                          .padBack = 1,
                          .padBottom = 1,
                          .padRight = 1},
                         8);
  };
  EXPECT_TRUE(isFor(64, 8, 56));
  EXPECT_TRUE(isFor(128, 4, 28));
  EXPECT_TRUE(isFor(256, 2, 14));
  EXPECT_FALSE(isFor(4, 8, 56));
  EXPECT_FALSE(isFor(512, 1, 7));
  EXPECT_FALSE(isFor(512, 2, 7));
}

TESSERA_FOR_BOTH_WIDTHS(WinogradTest);

}  // namespace
}  // namespace tessera::lowering
