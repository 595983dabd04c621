// Convolutions of groups that share blocks of channels, for both vector widths.
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/test/conv_fixture.h"

namespace tessera::lowering {
namespace {

class GroupedConvTest : public ConvTest {};

/// Groups that are no whole blocks of channels.
TEST_P(GroupedConvTest, BandsOfGroups) {
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

/// Groups of few channels, whose inputs are shuffled to the lanes of their results: from one to
/// three blocks, depthwise with several results for each input, and with padded lanes; and of more,
/// of which a block of results has one or two.
TEST_P(GroupedConvTest, ShuffledGroups) {
  for (auto [groups, in, out] : {std::tuple<int64_t, int64_t, int64_t>{20, 1, 2},
                                 {17, 1, 9},
                                 {24, 3, 3},
                                 {7, 4, 4},
                                 {16, 3, 6},
                                 {9, 5, 7},
                                 {11, 2, 1},
                                 {3, 20, 20},
                                 {4, 28, 20}}) {
    SCOPED_TRACE(testing::Message() << groups << " groups of " << in << " and " << out);
    ConvShape shape{.batch = 2,
                    .groups = groups,
                    .inChannels = groups * in,
                    .outChannels = groups * out,
                    .inHeight = 6,
                    .inWidth = 19,
                    .kernelHeight = 3,
                    .kernelWidth = 3,
                    .padTop = 1,
                    .padLeft = 1,
                    .padBottom = 1,
                    .padRight = 2};
    EXPECT_EQ(convKindFor(shape, false, target_.vectorLanes), ConvKind::kShuffled);
    checkConv(shape, false, groups == 24);
    shape.strideHeight = shape.strideWidth = 2;
    shape.dilationWidth = 2;
    shape.batch = mlir::ShapedType::kDynamic;
    checkConv(shape, false, false, /*runBatch=*/3);
  }
}

/// What is infinite in one group is nothing to another one in the same block, nor to padding.
TEST_P(GroupedConvTest, InfinitiesStayInTheirGroup) {
  isInputInfinite_ = true;
  for (auto [groups, in, out] : {std::tuple<int64_t, int64_t, int64_t>{4, 3, 3},  // Shuffled.
                                 {3, 20, 20},                                     // Spread.
                                 {2, 5, 40},
                                 {3, 12, 12},  // Bands from here on.
                                 {5, 11, 6},
                                 {1, 12, 30}}) {
    SCOPED_TRACE(testing::Message() << groups << " groups of " << in << " and " << out);
    ConvShape shape{.batch = 2,
                    .groups = groups,
                    .inChannels = groups * in,
                    .outChannels = groups * out,
                    .inHeight = 5,
                    .inWidth = 9};
    checkConv(shape);
    shape.kernelHeight = shape.kernelWidth = 3;
    shape.padTop = shape.padLeft = shape.padBottom = shape.padRight = 1;
    checkConv(shape);
    shape.isTransposed = true;
    shape.strideHeight = shape.strideWidth = 2;
    checkConv(shape);
  }
  // Bands in four dimensions, the first of which is in front of the depth.
  checkConv({.groups = 3,
             .inChannels = 15,
             .outChannels = 36,
             .inDepth = 3,
             .inHeight = 4,
             .inWidth = 9,
             .kernelDepth = 2,
             .kernelHeight = 3,
             .kernelWidth = 3,
             .padTop = 1,
             .padLeft = 1,
             .padBottom = 1,
             .padRight = 1,
             .outer = {{.in = 5, .out = 5, .kernel = 3, .padBegin = 1}}});
  checkConv({.inChannels = 3, .outChannels = 20, .inHeight = 9, .inWidth = 9}, true);
}

TESSERA_FOR_BOTH_WIDTHS(GroupedConvTest);

}  // namespace
}  // namespace tessera::lowering
