// Convolutions whose spatial sizes are known at run time only against plain loops: one kernel, many
// sizes, for both vector widths.
#include "compiler/lowering/contraction/open/open_conv.h"

#include "compiler/lowering/contraction/test/contraction_fixture.h"
#include "compiler/lowering/contraction/test/reference_conv.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::lowering {
namespace {

class OpenConv : public Contraction {
 protected:
  // relu(result + residual) of `images` images of each of these [height, width].
  void check(ConvShape shape, const std::vector<std::array<int64_t, 2>>& sizes, int64_t images = 1);
  void checkSize(const LoadedKernels& kernels, const ConvShape& shape, int64_t images);
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

void OpenConv::checkSize(const LoadedKernels& kernels, const ConvShape& s, int64_t images) {
  const int64_t inputSize = images * s.inChannels * s.inHeight * s.inWidth,
                weightsSize = s.outChannels * s.inChannels / s.groups * s.kernelSize(),
                outputSize = images * s.outChannels * s.outHeight() * s.outWidth();
  const auto x = randomValues(inputSize, 1), w = randomValues(weightsSize, 2),
             residual = randomValues(outputSize, 3);
  const auto expected = referenceConv(s, images, x, w, std::vector<float>(s.outChannels, 0));
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    // The result's memory is an input, whose sizes the kernel is told.
    for (const auto& values : {x, w, residual, std::vector<float>(outputSize, NAN)})
      memory.push_back(guarded(values));
    std::vector<void*> buffers;
    buffers.reserve(memory.size());
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    int64_t sizes[] = {images,       s.inHeight, s.inWidth,     images,      s.outHeight(),
                       s.outWidth(), images,     s.outHeight(), s.outWidth()};
    ASSERT_EQ(kernels.find("k")(host.services(), buffers.data(), sizes), 0);
    const std::vector<float> out = valuesIn(memory.back());
    const auto length = static_cast<double>(weightsSize) / static_cast<double>(s.outChannels);
    for (int64_t i = 0; i < outputSize; ++i) {
      const double wanted = std::max(0.0, expected[i] + residual[i]);
      ASSERT_NEAR(out[i], wanted, 2e-6 * std::sqrt(length) + 1e-6)
          << "element " << i << ", threads " << threads;
    }
  }
}

void OpenConv::check(ConvShape s, const std::vector<std::array<int64_t, 2>>& sizes,
                     int64_t images) {
  const int64_t open = mlir::ShapedType::kDynamic;
  const auto result = f32({open, s.outChannels, open, open});
  const KernelSignature signature{
      .inputs = {f32({open, s.inChannels, open, open}),
                 f32({s.outChannels * s.inChannels / s.groups * s.kernelSize()}), result, result},
      .outputs = {}};
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
    const ConvOperands operands{.input = kernel.inputs[0],
                                .weights = kernel.inputs[1],
                                .bias = {},
                                .output = kernel.inputs[3]};
    emitOpenConv(b, b.getUnknownLoc(), openShape(b, s, kernel.inputs[0], kernel.inputs[3]),
                 operands, target_, reluOfSum(kernel.inputs[2]));
  });
  ASSERT_TRUE(kernels);
  for (const auto& [height, width] : sizes) {
    SCOPED_TRACE(testing::Message() << height << "x" << width);
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

TESSERA_FOR_BOTH_WIDTHS(OpenConv);

}  // namespace
}  // namespace tessera::lowering
