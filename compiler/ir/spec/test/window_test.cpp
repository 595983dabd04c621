// Windows against their definition, counted position by position; numbers and values agree.
#include "compiler/ir/spec/window.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "compiler/ir/spec/folded_values.h"
#include "compiler/ir/test/parse_for_test.h"

namespace tessera::ir::spec::test {
namespace {

using Generator = std::mt19937;

int64_t draw(Generator& generator, int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(generator);
}

WindowAttributes drawWindow(Generator& generator) {
  const auto autoPad = static_cast<AutoPad>(draw(generator, 0, 3));
  const bool isExplicit = autoPad == AutoPad::NotSet;
  return {.autoPad = autoPad,
          .roundsUp = draw(generator, 0, 1) == 1,
          .strides = {draw(generator, 1, 5)},
          .dilations = {draw(generator, 1, 3)},
          .padsBegin = {isExplicit ? draw(generator, 0, 4) : 0},
          .padsEnd = {isExplicit ? draw(generator, 0, 4) : 0}};
}

/// The positions of an explicitly padded window, found one by one.
int64_t countPositions(const WindowAttributes& window, int64_t input, int64_t kernel) {
  const int64_t reach = (kernel - 1) * window.dilations[0] + 1;
  const int64_t begin = window.padsBegin[0], padded = begin + input + window.padsEnd[0];
  std::vector<int64_t> starts = {0};
  const auto end = [&] { return starts.back() + reach; };
  while (end() + window.strides[0] <= padded) starts.push_back(starts.back() + window.strides[0]);
  if (!window.roundsUp) return static_cast<int64_t>(starts.size());
  // One more where elements are left, but none that starts behind the input.
  if (end() < padded) starts.push_back(starts.back() + window.strides[0]);
  if (starts.back() >= begin + input) starts.pop_back();
  return static_cast<int64_t>(starts.size());
}

TEST(Window, CoversWhatItsDefinitionSays) {
  Generator generator(1);
  for (int round = 0; round < 3000; ++round) {
    const WindowAttributes window = drawWindow(generator);
    const int64_t input = draw(generator, 1, 20), kernel = draw(generator, 1, 5);
    const int64_t reach = windowReach(kernel, window.dilations[0]);
    EXPECT_EQ(reach, (kernel - 1) * window.dilations[0] + 1);
    if (!window.padsToSame() && windowSlack(window, 0, input, reach) < 0) continue;
    const WindowGeometry<int64_t> geometry = windowGeometry(window, 0, input, kernel);
    SCOPED_TRACE(testing::Message()
                 << "input " << input << " kernel " << kernel << " stride " << window.strides[0]
                 << " auto_pad " << stringifyEnum(window.autoPad).str());
    if (!window.padsToSame()) {
      EXPECT_EQ(geometry.output, countPositions(window, input, kernel));
      EXPECT_EQ(geometry.padBegin, window.padsBegin[0]);
      EXPECT_EQ(geometry.padEnd, window.padsEnd[0]);
      continue;
    }
    // One position for each stride, the last one just inside, the odd pad at one of the ends.
    EXPECT_EQ(geometry.output, (input + window.strides[0] - 1) / window.strides[0]);
    const int64_t span = (geometry.output - 1) * window.strides[0] + reach;
    EXPECT_EQ(geometry.padBegin + geometry.padEnd, std::max<int64_t>(span - input, 0));
    const int64_t odd = geometry.padEnd - geometry.padBegin;
    EXPECT_TRUE(odd == 0 || odd == (window.autoPad == AutoPad::SameUpper ? 1 : -1)) << odd;
  }
}

TEST(Window, NumbersAndValuesAgree) {
  Generator generator(2);
  FoldingBuilder builder;
  for (int round = 0; round < 500; ++round) {
    const WindowAttributes window = drawWindow(generator);
    const int64_t input = draw(generator, 1, 20), kernel = draw(generator, 1, 5);
    const auto value = [&](int64_t number) {
      return FoldedIndex{.b = &builder, .value = builder.index(number)};
    };
    const auto expectEqual = [](const auto& numbers, const auto& values) {
      EXPECT_EQ(values.reach.number(), numbers.reach);
      EXPECT_EQ(values.padBegin.number(), numbers.padBegin);
      EXPECT_EQ(values.padEnd.number(), numbers.padEnd);
      EXPECT_EQ(values.output.number(), numbers.output);
    };
    expectEqual(windowGeometry(window, 0, input, kernel),
                windowGeometry(window, 0, value(input), value(kernel)));
    TransposedAttributes transposed = {window, {draw(generator, 0, 2)}, {}};
    if (draw(generator, 0, 1) == 1) transposed.output = {draw(generator, 1, 60)};
    expectEqual(transposedGeometry(transposed, 0, input, kernel),
                transposedGeometry(transposed, 0, value(input), value(kernel)));
  }
}

/// A transposed convolution is what takes a convolution's result back to its input.
TEST(Window, TransposedUndoesTheSizes) {
  Generator generator(3);
  for (int round = 0; round < 1000; ++round) {
    WindowAttributes window = drawWindow(generator);
    window.roundsUp = false;
    if (window.padsToSame()) continue;
    const int64_t input = draw(generator, 5, 30), kernel = draw(generator, 1, 4);
    const int64_t reach = windowReach(kernel, window.dilations[0]);
    const int64_t slack = windowSlack(window, 0, input, reach);
    if (slack < 0) continue;
    const int64_t output = windowGeometry(window, 0, input, kernel).output;
    const int64_t lost = slack % window.strides[0];
    const TransposedAttributes isPadded = {window, {lost}, {}}, isSized = {window, {0}, {input}};
    EXPECT_EQ(transposedGeometry(isPadded, 0, output, kernel).output, input);
    EXPECT_EQ(transposedGeometry(isSized, 0, output, kernel).output, input);
  }
}

TEST(Window, AttributesHaveDefaults) {
  ir::test::TestContext context;
  auto module = context.parse(R"(
    func.func @f(%x: tensor<1x3x8x9xf32>, %w: tensor<4x3x3x3xf32>) {
      %a = tsr.conv %x, %w : (tensor<1x3x8x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x7xf32>
      %b = tsr.max_pool %x {auto_pad = "SAME_LOWER", ceil_mode = 1 : i64, dilations = array<i64: 1, 2>,
        kernel_shape = array<i64: 2, 2>, pads = array<i64: 1, 2, 3, 4>, strides = array<i64: 3, 4>} :
        (tensor<1x3x8x9xf32>) -> tensor<1x3x3x3xf32>
      return
    })");
  ASSERT_TRUE(module) << context.diagnostics();
  std::vector<WindowAttributes> windows;
  module->walk([&](WindowOpInterface op) { windows.push_back(windowAttributes(op)); });
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].autoPad, AutoPad::NotSet);
  EXPECT_FALSE(windows[0].roundsUp);
  EXPECT_EQ(windows[0].strides, (llvm::SmallVector<int64_t>{1, 1}));
  EXPECT_EQ(windows[0].padsEnd, (llvm::SmallVector<int64_t>{0, 0}));
  EXPECT_EQ(windows[1].autoPad, AutoPad::SameLower);
  EXPECT_TRUE(windows[1].roundsUp);
  EXPECT_EQ(windows[1].dilations, (llvm::SmallVector<int64_t>{1, 2}));
  // Explicit pads count for nothing where auto_pad decides.
  EXPECT_EQ(windows[1].padsBegin, (llvm::SmallVector<int64_t>{0, 0}));
}

}  // namespace
}  // namespace tessera::ir::spec::test
