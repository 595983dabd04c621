// Convolutions whose spatial sizes are known at run time only against plain loops: one kernel, many
// sizes, for both vector widths.
#include "compiler/lowering/contraction/open/open_conv.h"

#include "compiler/lowering/contraction/test/open_fixture.h"
#include "compiler/lowering/contraction/test/reference_conv.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::lowering {
namespace {

class OpenConv : public OpenSizes {
 protected:
  mlir::OwningOpRef<mlir::ModuleOp> buildConv(const ConvShape& s);
  // Of `images` images of each of these [height, width].
  void check(const ConvShape& shape, const std::vector<std::array<int64_t, 2>>& sizes,
             int64_t images = 1);
  void checkSize(const LoadedKernels& kernels, const ConvShape& s, int64_t images);
};

OpenAxis axisOf(int64_t kernel, int64_t stride, int64_t dilation) {
  return {.kernel = kernel, .stride = stride, .dilation = dilation};
}

// The sizes of input and result are those of the memory that the kernel gets.
OpenConvShape openShape(mlir::OpBuilder& b, const ConvShape& s, mlir::Value input,
                        mlir::Value output) {
  const mlir::Location loc = b.getUnknownLoc();
  OpenConvShape shape{.groups = s.groups,
                      .inChannels = s.inChannels,
                      .outChannels = s.outChannels,
                      .isTransposed = s.isTransposed,
                      .axes = {axisOf(s.kernelHeight, s.strideHeight, s.dilationHeight),
                               axisOf(s.kernelWidth, s.strideWidth, s.dilationWidth)}};
  const int64_t pads[] = {s.padTop, s.padLeft};
  const int64_t padsEnd[] = {s.padBottom, s.padRight};
  for (auto [d, axis] : llvm::enumerate(shape.axes)) {
    const auto dim = static_cast<int64_t>(d) + 2;
    axis.isIdentity = axis.kernel == 1 && axis.stride == 1 && pads[d] == 0 && padsEnd[d] == 0;
    axis.in = b.create<mlir::memref::DimOp>(loc, input, dim);
    axis.out = b.create<mlir::memref::DimOp>(loc, output, dim);
    axis.padBegin = b.create<mlir::arith::ConstantIndexOp>(loc, pads[d]);
    axis.cutBegin = pads[d];
  }
  return shape;
}

mlir::OwningOpRef<mlir::ModuleOp> OpenConv::buildConv(const ConvShape& s) {
  const int64_t open = mlir::ShapedType::kDynamic;
  return buildOpen(
      {f32({open, s.inChannels, open, open}),
       f32({s.outChannels * s.inChannels / s.groups * s.kernelSize()})},
      f32({open, s.outChannels, open, open}),
      [&](mlir::OpBuilder& b, mlir::ValueRange operands, mlir::Value output,
          const Epilogue& epilogue) {
        emitOpenConv(b, b.getUnknownLoc(), openShape(b, s, operands[0], output),
                     {.input = operands[0], .weights = operands[1], .bias = {}, .output = output},
                     target_, epilogue);
      });
}

void OpenConv::checkSize(const LoadedKernels& kernels, const ConvShape& s, int64_t images) {
  const int64_t length = s.inChannels / s.groups * s.kernelSize();
  const OpenOperand x{.values = randomValues(images * s.inChannels * s.inHeight * s.inWidth, 1),
                      .sizes = {images, s.inHeight, s.inWidth}},
      w{.values = randomValues(s.outChannels * length, 2), .sizes = {}};
  const std::vector<float> noBias(s.outChannels, 0);
  const OpenResult result{.wanted = referenceConv(s, images, x.values, w.values, noBias),
                          .sizes = {images, s.outHeight(), s.outWidth()},
                          .tolerance = 2e-6 * std::sqrt(static_cast<double>(length)) + 1e-6};
  expectResult(kernels, {x, w}, result);
}

void OpenConv::check(const ConvShape& shape, const std::vector<std::array<int64_t, 2>>& sizes,
                     int64_t images) {
  const auto kernels = compile(*buildConv(shape));
  ASSERT_TRUE(kernels);
  for (const auto& [height, width] : sizes) {
    SCOPED_TRACE(testing::Message() << height << "x" << width);
    ConvShape s = shape;
    s.inHeight = height;
    s.inWidth = width;
    checkSize(*kernels, s, images);
  }
}

/// A window of `kernel` squared, padded so that the size stays.
ConvShape squareWindow(int64_t in, int64_t out, int64_t kernel) {
  const int64_t pad = kernel / 2;
  return {.inChannels = in,
          .outChannels = out,
          .kernelHeight = kernel,
          .kernelWidth = kernel,
          .padTop = pad,
          .padLeft = pad,
          .padBottom = pad,
          .padRight = pad};
}

// Rows that end anywhere in a vector, of one tile and of several blocks; no rows at all.
TEST_P(OpenConv, RowsOfAnyLength) {
  for (const int64_t out : {1, 5, 14})
    check(squareWindow(3, out, 3), {{1, 1}, {2, 15}, {3, 16}, {4, 17}, {19, 33}, {2, 150}, {0, 5}});
}

TEST_P(OpenConv, PositionsOfAnImageAreOneRow) {
  check(squareWindow(40, 13, 1), {{1, 1}, {3, 5}, {8, 8}, {17, 61}, {5, 0}});
  check(squareWindow(300, 3, 1), {{3, 29}}, /*images=*/3);
  ConvShape padded = squareWindow(4, 3, 1);
  padded.padRight = 2;
  check(padded, {{1, 1}, {3, 13}});
}

TEST_P(OpenConv, StepsOfTwoAndMore) {
  for (const auto& [height, width] : {std::pair(2, 2), std::pair(1, 3), std::pair(5, 4)}) {
    ConvShape shape = squareWindow(4, 7, 3);
    shape.strideHeight = height;
    shape.strideWidth = width;
    check(shape, {{1, 1}, {7, 31}, {12, 64}, {9, 300}});
    ConvShape positions = squareWindow(5, 4, 1);
    positions.strideHeight = height;
    positions.strideWidth = width;
    check(positions, {{1, 1}, {9, 63}});
  }
}

TEST_P(OpenConv, StepsLongerThanRowsOfPatches) {
  ConvShape shape = squareWindow(2, 3, 3);
  shape.strideHeight = shape.strideWidth = 600;
  check(shape, {{1, 1}, {602, 1300}});
}

TEST_P(OpenConv, DilationStridesAndUnevenPadding) {
  check({.inChannels = 4,
         .outChannels = 3,
         .kernelHeight = 3,
         .kernelWidth = 4,
         .strideHeight = 2,
         .strideWidth = 2,
         .dilationHeight = 5,
         .dilationWidth = 3,
         .padTop = 2,
         .padLeft = 7,
         .padBottom = 9,
         .padRight = 3},
        {{1, 1}, {13, 47}, {2, 90}}, /*images=*/2);
}

TEST_P(OpenConv, GroupsAndChannelsByThemselves) {
  ConvShape shape = squareWindow(6, 9, 3);
  shape.groups = 3;
  check(shape, {{4, 21}}, /*images=*/2);
  ConvShape depthwise = squareWindow(10, 10, 5);
  depthwise.groups = 10;
  check(depthwise, {{1, 1}, {40, 33}, {3, 700}});
  depthwise.strideHeight = depthwise.strideWidth = 2;
  check(depthwise, {{1, 2}, {41, 70}});
}

// Patches that do not fit into the first-level cache have fewer rows and columns.
TEST_P(OpenConv, ManyChannels) {
  check(squareWindow(260, 9, 3), {{3, 40}});
  check(squareWindow(1200, 2, 3), {{2, 70}});
}

TEST_P(OpenConv, Transposed) {
  ConvShape shape{.inChannels = 5,
                  .outChannels = 7,
                  .kernelHeight = 2,
                  .kernelWidth = 2,
                  .strideHeight = 2,
                  .strideWidth = 2,
                  .isTransposed = true};
  check(shape, {{1, 1}, {3, 8}, {4, 33}, {2, 100}});
  shape.kernelHeight = 4;
  shape.kernelWidth = 5;
  shape.strideWidth = 3;
  shape.padTop = 1;
  shape.padLeft = 2;
  shape.padRight = 1;
  check(shape, {{1, 1}, {3, 8}, {4, 33}}, /*images=*/2);
  shape.kernelWidth = 1;
  shape.padLeft = 0;
  check(shape, {{2, 3}, {3, 40}});
}

/// A tile as it is emitted: the vectors that it stores, and the steps of the loops around it, of
/// which the innermost is the first.
struct EmittedTile {
  int64_t vectors = 0, multiplyAdds = 0;
  std::vector<int64_t> steps;
};

std::vector<int64_t> stepsAround(mlir::Operation* op) {
  std::vector<int64_t> steps;
  for (auto loop = op->getParentOfType<mlir::scf::ForOp>(); loop;
       loop = loop->getParentOfType<mlir::scf::ForOp>())
    steps.push_back(mlir::getConstantIntValue(loop.getStep()).value_or(0));
  return steps;
}

/// The only tile that stores its results by `Store`.
template <typename Store>
EmittedTile tileOf(mlir::ModuleOp module) {
  EmittedTile tile;
  mlir::Block* block = nullptr;
  module.walk([&](Store store) {
    // Patches are filled by stores, too, none of which is behind a maximum.
    if (!store.getValueToStore().template getDefiningOp<mlir::arith::MaximumFOp>()) return;
    EXPECT_TRUE(!block || block == store->getBlock());
    block = store->getBlock();
    ++tile.vectors;
    tile.steps = stepsAround(store);
  });
  if (block) block->walk([&](mlir::vector::FMAOp) { ++tile.multiplyAdds; });
  return tile;
}

// By itself what a row has behind whole tiles would be a tile of one vector.
TEST_P(OpenConv, EndsOfSeveralRowsAreOneTile) {
  constexpr int64_t kChannels = 5;
  const auto module = buildConv(squareWindow(3, kChannels, 3));
  const EmittedTile whole = tileOf<mlir::vector::StoreOp>(*module),
                    ends = tileOf<mlir::vector::MaskedStoreOp>(*module);
  const int64_t panels = whole.vectors / kChannels;
  EXPECT_GE(panels, 2);
  EXPECT_EQ(whole.vectors, panels * kChannels);
  EXPECT_EQ(ends.vectors, whole.vectors);
  EXPECT_EQ(ends.multiplyAdds, whole.multiplyAdds);
  const int64_t lanes = target_.vectorLanes;
  // Columns, rows one by one, so many rows, and channels.
  EXPECT_EQ(whole.steps, (std::vector<int64_t>{panels * lanes, 1, panels, 1}));
  EXPECT_EQ(ends.steps, (std::vector<int64_t>{lanes, panels, 1}));
}

TEST_P(OpenConv, TheEndOfTheOnlyRowIsVectors) {
  constexpr int64_t kChannels = 5;
  const auto module = buildConv(squareWindow(3, kChannels, 1));
  const EmittedTile ends = tileOf<mlir::vector::MaskedStoreOp>(*module);
  EXPECT_EQ(ends.vectors, kChannels);
  EXPECT_EQ(ends.steps, (std::vector<int64_t>{target_.vectorLanes, 1, 1}));
}

/// `out` channels of 3x3 windows whose weights are a bit larger than a cache, or half as large.
ConvShape windowOfWeights(const CpuTarget& target, int64_t out, bool areLarge) {
  const int64_t most = target.cachedWeightBytes / (out * 9 * static_cast<int64_t>(sizeof(float)));
  return squareWindow(areLarge ? most + 1 : most / 2, out, 3);
}

// Of images of one block of positions nothing else can be shared out.
TEST_P(OpenConv, ChannelsOfLargeWeightsAreSharedOut) {
  check(windowOfWeights(target_, 1213, /*areLarge=*/true), {{1, 1}, {5, 19}});
  EXPECT_GE(numTasks_, 4);
  check(windowOfWeights(target_, 1213, /*areLarge=*/false), {{1, 1}});
  EXPECT_EQ(numTasks_, 1);
}

// Each block of positions reads all weights.
TEST_P(OpenConv, LargeWeightsMeetFewBlocksOfPositions) {
  check(windowOfWeights(target_, 96, /*areLarge=*/false), {{16, 16}});
  EXPECT_GE(numTasks_, 4);
  check(windowOfWeights(target_, 96, /*areLarge=*/true), {{16, 16}});
  EXPECT_LE(numTasks_, 2);
}

TESSERA_FOR_BOTH_WIDTHS(OpenConv);

}  // namespace
}  // namespace tessera::lowering
