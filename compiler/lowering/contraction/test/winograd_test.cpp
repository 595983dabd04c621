// Winograd's algorithm against plain loops, for both vector widths, and where it is chosen.
#include "compiler/lowering/contraction/winograd.h"

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

TESSERA_FOR_BOTH_WIDTHS(WinogradTest);

}  // namespace
}  // namespace tessera::lowering
