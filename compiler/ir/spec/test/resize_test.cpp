// Coordinates of Resize at points that ONNX's text gives; numbers and values agree to the last bit.
#include "compiler/ir/spec/resize.h"

#include <gtest/gtest.h>

#include "compiler/ir/spec/folded_values.h"

namespace tessera::ir::spec::test {
namespace {

using Mode = CoordinateTransformation;
using NumberDim = ResizedDim<float, bool>;

/// A dimension resized by `scale`, with the middle half of it as region of interest.
NumberDim dimOf(float input, float scale) {
  const float extent = scale * input, output = std::floor(extent);
  return {.input = input,
          .lastInput = input - 1,
          .output = output,
          .isSingle = output == 1,
          .scale = scale,
          .extent = extent,
          .roiBegin = 0.25,
          .roiEnd = 0.75};
}

TEST(Resize, CoordinatesAreThoseOfOnnx) {
  const NumberDim twice = dimOf(4, 2), half = dimOf(5, 0.5);
  EXPECT_EQ(inputCoordinate(Mode::Asymmetric, twice, 3.f), 1.5f);
  EXPECT_EQ(inputCoordinate(Mode::HalfPixel, twice, 3.f), 1.25f);
  EXPECT_EQ(inputCoordinate(Mode::HalfPixelForNearest, twice, 3.f), 1.75f);
  EXPECT_EQ(inputCoordinate(Mode::AlignCorners, twice, 7.f), 3.f);
  EXPECT_EQ(inputCoordinate(Mode::AlignCorners, twice, 0.f), 0.f);
  EXPECT_EQ(inputCoordinate(Mode::PytorchHalfPixel, twice, 3.f), 1.25f);
  EXPECT_EQ(inputCoordinate(Mode::PytorchHalfPixel, dimOf(4, 0.25), 0.f), 0.f);
  EXPECT_EQ(inputCoordinate(Mode::AlignCorners, dimOf(4, 0.25), 0.f), 0.f);
  // From a quarter to three quarters of the way between the first and the last element.
  EXPECT_EQ(inputCoordinate(Mode::CropAndResize, twice, 0.f), 0.75f);
  EXPECT_EQ(inputCoordinate(Mode::CropAndResize, twice, 7.f), 2.25f);
  EXPECT_EQ(inputCoordinate(Mode::CropAndResize, dimOf(4, 0.25), 0.f), 1.5f);
  // 5 elements at half the scale would be 2.5: the centers of both elements move by a quarter of
  // the input to meet the input's center.
  EXPECT_EQ(inputCoordinate(Mode::HalfPixelSymmetric, half, 0.f), 1.f);
  EXPECT_EQ(inputCoordinate(Mode::HalfPixelSymmetric, half, 1.f), 3.f);
}

TEST(Resize, NumbersAndValuesAgree) {
  FoldingBuilder builder;
  const auto real = [&](double number) {
    return FoldedReal{.b = &builder, .value = builder.real(builder.f32(), number)};
  };
  for (const float input : {1.f, 3.f, 8.f, 13.f}) {
    for (const float scale : {0.3f, 0.5f, 1.3f, 2.f, 3.7f}) {
      const NumberDim numbers = dimOf(input, scale);
      if (numbers.output < 1) continue;
      const FoldedIndex output{.b = &builder,
                               .value = builder.index(static_cast<int64_t>(numbers.output))};
      const ResizedDim<FoldedReal, FoldedBool> values = {.input = real(numbers.input),
                                                         .lastInput = real(numbers.lastInput),
                                                         .output = real(numbers.output),
                                                         .isSingle = output == literal(output, 1),
                                                         .scale = real(numbers.scale),
                                                         .extent = real(numbers.extent),
                                                         .roiBegin = real(numbers.roiBegin),
                                                         .roiEnd = real(numbers.roiEnd)};
      for (const llvm::StringRef word : wordsOf<Mode>()) {
        const Mode mode = *symbolizeEnum<Mode>(word);
        for (int o = 0; static_cast<float>(o) < numbers.output; ++o) {
          const auto x = static_cast<float>(o);
          const std::optional<double> built = inputCoordinate(mode, values, real(x)).number();
          EXPECT_EQ(built, inputCoordinate(mode, numbers, x)) << word.str() << " at " << x;
        }
      }
    }
  }
}

TEST(Resize, OneScaleKeepsTheAspectRatio) {
  const float scales[] = {2, 0.5, 3};
  EXPECT_EQ(commonScale<float>(AspectRatioPolicy::NotLarger, scales), 0.5f);
  EXPECT_EQ(commonScale<float>(AspectRatioPolicy::NotSmaller, scales), 3.f);
  FoldingBuilder builder;
  llvm::SmallVector<FoldedReal> values;
  for (const float scale : scales) values.push_back({&builder, builder.real(builder.f32(), scale)});
  EXPECT_EQ(commonScale<FoldedReal>(AspectRatioPolicy::NotLarger, values).number(), 0.5);
  EXPECT_EQ(commonScale<FoldedReal>(AspectRatioPolicy::NotSmaller, values).number(), 3.0);
}

}  // namespace
}  // namespace tessera::ir::spec::test
