// Convolutions of row-major images to row-major images against plain loops, for both vector widths.
#include "compiler/lowering/contraction/row_major_conv.h"

#include "compiler/lowering/contraction/test/contraction_fixture.h"
#include "compiler/lowering/contraction/test/reference_conv.h"

namespace tessera::lowering {
namespace {

class RowMajorConv : public Contraction {
 protected:
  // Of `runBatch` images, where the shape leaves that open; relu(result + residual).
  void check(const ConvShape& shape, int64_t runBatch = 1);
};

void RowMajorConv::check(const ConvShape& s, int64_t runBatch) {
  ASSERT_TRUE(canBeRowMajor(s));
  const int64_t batch = mlir::ShapedType::isDynamic(s.batch) ? runBatch : s.batch;
  const auto inputType = f32({s.batch, s.inChannels, s.inDepth, s.inHeight, s.inWidth});
  const auto outputType = f32({batch, s.outChannels, s.outDepth(), s.outHeight(), s.outWidth()});
  const int64_t inputSize = batch * s.inChannels * s.inDepth * s.inHeight * s.inWidth,
                weightsSize = s.outChannels * s.inChannels / s.groups * s.kernelSize(),
                outputSize = outputType.getNumElements();
  const KernelSignature signature{.inputs = {inputType, f32({weightsSize}), outputType},
                                  .outputs = {outputType}};
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
    const ConvOperands operands{.input = kernel.inputs[0],
                                .weights = kernel.inputs[1],
                                .bias = {},
                                .output = kernel.outputs[0]};
    emitConv(b, b.getUnknownLoc(), s, ConvKind::kRowMajor, operands, target_,
             reluOfSum(kernel.inputs[2]));
  });
  ASSERT_TRUE(kernels);
  const auto x = randomValues(inputSize, 1), w = randomValues(weightsSize, 2),
             residual = randomValues(outputSize, 3);
  const auto expected = referenceConv(s, batch, x, w, std::vector<float>(s.outChannels, 0));
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    for (const auto& values : {x, w, residual}) memory.push_back(guarded(values));
    memory.push_back(guarded(std::vector<float>(outputSize, NAN)));
    std::vector<void*> buffers;
    buffers.reserve(memory.size());
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    int64_t sizes[] = {batch};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes), 0);
    const std::vector<float> out = valuesIn(memory.back());
    const auto length = static_cast<double>(weightsSize) / static_cast<double>(s.outChannels);
    for (int64_t i = 0; i < outputSize; ++i) {
      const double wanted = std::max(0.0, expected[i] + residual[i]);
      ASSERT_NEAR(out[i], wanted, 2e-6 * std::sqrt(length) + 1e-6)
          << "element " << i << ", threads " << threads;
    }
  }
}

/// A window of `kernel` squared, padded so that the size stays.
ConvShape windowShape(int64_t in, int64_t out, int64_t width, int64_t kernel) {
  const int64_t pad = kernel / 2;
  return {.inChannels = in,
          .outChannels = out,
          .inHeight = 6,
          .inWidth = width,
          .kernelHeight = kernel,
          .kernelWidth = kernel,
          .padTop = pad,
          .padLeft = pad,
          .padBottom = pad,
          .padRight = pad};
}

// Rows that end anywhere in a vector, of one tile and of many.
TEST_P(RowMajorConv, ChannelsAndRows) {
  for (const int64_t out : {1, 3, 9, 17}) {
    for (const int64_t width : {1, 16, 33, 512}) {
      SCOPED_TRACE(testing::Message() << out << " channels of rows of " << width);
      check(windowShape(3, out, width, 3));
      check(windowShape(2, out, width, 1));
    }
  }
}

TEST_P(RowMajorConv, WindowsWiderThanTheImage) {
  check(windowShape(2, 3, 4, 9));
  check(windowShape(2, 1, 15, 15));
}

TEST_P(RowMajorConv, DilationStridesAndUnevenPadding) {
  check({.batch = 2,
         .inChannels = 4,
         .outChannels = 3,
         .inHeight = 13,
         .inWidth = 47,
         .kernelHeight = 3,
         .kernelWidth = 4,
         .strideHeight = 2,
         .dilationHeight = 2,
         .dilationWidth = 3,
         .padTop = 2,
         .padLeft = 7,
         .padRight = 1});
}

TEST_P(RowMajorConv, GroupsAndOpenNumberOfImages) {
  ConvShape shape = windowShape(6, 9, 40, 3);
  shape.groups = 3;
  shape.batch = mlir::ShapedType::kDynamic;
  check(shape, /*runBatch=*/3);
}

TEST_P(RowMajorConv, OneAndThreeDimensions) {
  check({.inChannels = 3,
         .outChannels = 2,
         .inHeight = 70,
         .kernelHeight = 5,
         .padTop = 2,
         .padBottom = 2});
  check({.inChannels = 5, .outChannels = 2, .inWidth = 101, .kernelWidth = 9, .padLeft = 8});
  check({.inChannels = 3,
         .outChannels = 2,
         .inDepth = 5,
         .inHeight = 6,
         .inWidth = 21,
         .kernelDepth = 3,
         .kernelHeight = 2,
         .kernelWidth = 3,
         .strideDepth = 2,
         .padFront = 1,
         .padLeft = 1,
         .padBack = 1,
         .padRight = 1});
}

/// Two images of few rows of `width`, enlarged.
ConvShape enlarged(int64_t in, int64_t out, int64_t width, int64_t kernel, int64_t stride,
                   int64_t pad) {
  return {.batch = 2,
          .inChannels = in,
          .outChannels = out,
          .inHeight = 3,
          .inWidth = width,
          .kernelHeight = kernel,
          .kernelWidth = kernel,
          .strideHeight = stride,
          .strideWidth = stride,
          .padTop = pad,
          .padLeft = pad,
          .padBottom = pad,
          .padRight = pad - 1,
          .isTransposed = true};
}

// Taps that are as many for each column of the result and not, gaps, and rows that end anywhere.
TEST_P(RowMajorConv, Transposed) {
  for (auto [kernel, stride, pad] : {std::tuple<int64_t, int64_t, int64_t>{3, 1, 1},
                                     {4, 2, 1},
                                     {3, 2, 0},
                                     {9, 3, 4},
                                     {9, 4, 2},
                                     {2, 5, 0},
                                     {16, 8, 4}}) {
    for (const int64_t width : {1, 7, 16, 33, 100}) {
      for (const int64_t out : {1, 3}) {
        SCOPED_TRACE(testing::Message() << kernel << " stride " << stride << " pads " << pad
                                        << " at " << width << " to " << out);
        const ConvShape shape = enlarged(5, out, width, kernel, stride, pad);
        if (shape.outWidth() > 0 && shape.outHeight() > 0) check(shape);
      }
    }
  }
}

TEST_P(RowMajorConv, TransposedGroupsDilationAndDepth) {
  ConvShape shape = enlarged(12, 6, 37, 4, 2, 1);
  shape.groups = 3;
  check(shape);
  shape.strideWidth = 1;
  shape.dilationWidth = 3;
  shape.dilationHeight = 3;
  check(shape);
  shape.batch = mlir::ShapedType::kDynamic;
  shape.inDepth = 3;
  shape.kernelDepth = shape.strideDepth = 2;
  check(shape, /*runBatch=*/3);
}

// Of few result channels, unless converting the input costs more than it saves.
TEST(RowMajorConvChoice, FewResultChannels) {
  constexpr int64_t kLanes = 16;
  ConvShape image = windowShape(32, 3, 224, 9);
  image.inHeight = 224;
  EXPECT_TRUE(isForRowMajor(image, {}, /*comesBlocked=*/false, kLanes));
  EXPECT_TRUE(isForRowMajor(image, {}, /*comesBlocked=*/true, kLanes));
  ConvShape deep = image;
  deep.outChannels = 16;
  EXPECT_FALSE(isForRowMajor(deep, {}, false, kLanes));
  // Weights that would be packed in each run, for one position.
  const ConvShape position{.inChannels = 512,
                           .outChannels = 512,
                           .inHeight = 4,
                           .inWidth = 4,
                           .kernelHeight = 4,
                           .kernelWidth = 4};
  EXPECT_FALSE(isForRowMajor(position, {}, false, kLanes));
  EXPECT_TRUE(isForRowMajor(position, {.packsWeights = true}, false, kLanes));
  ConvShape narrow = windowShape(32, 6, 224, 3);
  EXPECT_TRUE(isForRowMajor(narrow, {}, false, kLanes));
  EXPECT_FALSE(isForRowMajor(narrow, {.isWinograd = true}, false, kLanes));
  // Three channels enter a blocked result as they are: for either width nothing is gained.
  ConvShape first = windowShape(3, 64, 224, 5);
  for (const int64_t lanes : {8, 16})
    EXPECT_FALSE(isForRowMajor(first, {.kind = ConvKind::kPlainInput}, false, lanes));
  ConvShape stepped = image;
  stepped.strideWidth = 2;
  EXPECT_FALSE(isForRowMajor(stepped, {}, false, kLanes));
  ConvShape far = windowShape(32, 4, 20000, 15);
  far.dilationWidth = 1024;
  EXPECT_FALSE(canBeRowMajor(far));
  EXPECT_TRUE(isForRowMajor(enlarged(56, 1, 48, 9, 3, 4), {}, true, kLanes));
  EXPECT_FALSE(isForRowMajor(enlarged(56, 24, 48, 9, 3, 4), {}, false, kLanes));
  EXPECT_FALSE(canBeRowMajor(enlarged(56, 1, 48, 9, 9, 4)));
  ConvShape bands = enlarged(64, 64, 28, 4, 2, 1);
  bands.groups = 64;
  EXPECT_TRUE(isForRowMajor(bands, {.kind = ConvKind::kBanded}, true, kLanes));
}

TESSERA_FOR_BOTH_WIDTHS(RowMajorConv);

}  // namespace
}  // namespace tessera::lowering
