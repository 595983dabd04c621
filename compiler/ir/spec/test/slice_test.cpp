// Axes and ranges against loops that do what numpy and ONNX say; numbers and values agree.
#include "compiler/ir/spec/slice.h"

#include <gtest/gtest.h>

#include "compiler/ir/spec/axes.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/folded_values.h"
#include "compiler/ir/spec/shape_range.h"
#include "compiler/ir/test/parse_for_test.h"

namespace tessera::ir::spec::test {
namespace {

TEST(Axes, NegativeOnesCountFromTheBack) {
  FoldingBuilder builder;
  for (int64_t axis = -4; axis < 4; ++axis) {
    const int64_t expected = (axis + 4) % 4;
    EXPECT_TRUE(isAxis(axis, 4));
    EXPECT_EQ(normalizedAxis(axis, 4), expected);
    EXPECT_EQ(normalizedAxis(FoldedIndex{&builder, builder.index(axis)}, 4).number(), expected);
  }
  EXPECT_FALSE(isAxis(4, 4));
  EXPECT_FALSE(isAxis(-5, 4));
  EXPECT_FALSE(isAxis(0, 0));
  // Far outside, where a sum would not fit.
  EXPECT_EQ(normalizedAxis(INT64_MAX, 4), INT64_MAX);
}

TEST(Axes, ListsAreReducedDims) {
  using Ints = llvm::SmallVector<int64_t>;
  EXPECT_EQ(normalizedAxes({-1, 0}, 3), (Ints{2, 0}));
  EXPECT_EQ(reducedDims({-1, 0}, false, 3), (Ints{0, 2}));
  EXPECT_EQ(reducedDims({}, false, 3), (Ints{0, 1, 2}));
  EXPECT_EQ(reducedDims({}, true, 3), Ints());
}

TEST(Axes, OperatorsTellTheirs) {
  ir::test::TestContext context;
  auto module = context.parse(R"(
    func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>, %d: tensor<i64>, %v: tensor<2xf32>) {
      %a = tsr.softmax %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      %b = tsr.gather %x, %i {axis = -2 : i64} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x2x4xf32>
      %c = tsr.one_hot %i, %d, %v : (tensor<2xi64>, tensor<i64>, tensor<2xf32>) -> tensor<2x?xf32>
      %e = tsr.flatten %x {axis = 3 : i64} : (tensor<2x3x4xf32>) -> tensor<24x1xf32>
      return
    })");
  ASSERT_TRUE(module) << context.diagnostics();
  llvm::SmallVector<int64_t> axes;
  module->walk([&](AxisOpInterface op) { axes.push_back(op.getAxisNormalized()); });
  EXPECT_EQ(axes, (llvm::SmallVector<int64_t>{2, 1, 1, 3}));
}

TEST(Axes, ReductionsTellTheirs) {
  ir::test::TestContext context;
  auto module = context.parse(R"(
    func.func @f(%x: tensor<2x3x4xf32>, %open: tensor<1xi64>) {
      %axes = tsr.constant dense<[-1, 0]> : tensor<2xi64> -> tensor<2xi64>
      %a = tsr.reduce_sum %x, %axes : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<1x3x1xf32>
      %b = tsr.argmax %x {axis = -1 : i64, keepdims = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3xi64>
      %c = tsr.reduce_sum %x, %open : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?x?xf32>
      return
    })");
  ASSERT_TRUE(module) << context.diagnostics();
  llvm::SmallVector<std::optional<llvm::SmallVector<int64_t>>> dims;
  llvm::SmallVector<bool> keeps;
  module->walk([&](ReductionOpInterface op) {
    dims.push_back(op.getReducedDims());
    keeps.push_back(op.getKeepdims() != 0);
  });
  ASSERT_EQ(dims.size(), 3u);
  EXPECT_EQ(dims[0], (llvm::SmallVector<int64_t>{0, 2}));
  EXPECT_EQ(dims[1], (llvm::SmallVector<int64_t>{2}));
  EXPECT_EQ(dims[2], std::nullopt);
  EXPECT_EQ(keeps, (llvm::SmallVector<bool>{true, false, true}));
}

/// The elements that ONNX picks, one by one.
llvm::SmallVector<int64_t> pick(int64_t size, int64_t start, int64_t end, int64_t step) {
  const auto absolute = [&](int64_t at) { return at < 0 ? at + size : at; };
  llvm::SmallVector<int64_t> picked;
  if (size == 0) return picked;
  if (step > 0) {
    for (int64_t i = std::max<int64_t>(absolute(start), 0); i < std::min(absolute(end), size);
         i += step)
      picked.push_back(i);
  } else {
    for (int64_t i = std::min(std::max<int64_t>(absolute(start), 0), size - 1);
         i > std::max<int64_t>(absolute(end), -1); i += step)
      picked.push_back(i);
  }
  return picked;
}

TEST(Slice, PicksWhatItsDefinitionSays) {
  FoldingBuilder builder;
  const auto value = [&](int64_t number) {
    return FoldedIndex{.b = &builder, .value = builder.index(number)};
  };
  for (int64_t size = 0; size < 6; ++size) {
    for (int64_t start = -8; start < 9; ++start) {
      for (int64_t end = -8; end < 9; ++end) {
        for (const int64_t step : {-3, -2, -1, 1, 2, 3}) {
          SCOPED_TRACE(testing::Message() << size << ": " << start << ":" << end << ":" << step);
          const llvm::SmallVector<int64_t> expected = pick(size, start, end, step);
          const SliceRange<int64_t> range = sliceRange(size, start, end, step);
          EXPECT_EQ(range.length, static_cast<int64_t>(expected.size()));
          if (!expected.empty()) {
            EXPECT_EQ(range.start, expected.front());
          }
          if (start % 2 != 0) continue;
          const auto values = sliceRange(value(size), value(start), value(end), value(step));
          EXPECT_EQ(values.length.number(), range.length);
          EXPECT_EQ(values.start.number(), range.start);
        }
      }
    }
  }
}

TEST(Slice, OpenEndsAreTheGreatestNumbers) {
  for (const int64_t end : {int64_t{INT32_MAX}, INT64_MAX}) {
    EXPECT_EQ(sliceRange<int64_t>(10, 2, end, 1).length, 8);
    EXPECT_EQ(sliceRange<int64_t>(10, 2, end, INT64_MAX).length, 1);
  }
  EXPECT_EQ(sliceRange<int64_t>(10, INT64_MAX, INT64_MIN, -1).length, 10);
  EXPECT_EQ(sliceRange<int64_t>(10, INT64_MAX, INT64_MIN, INT64_MIN).length, 1);
  EXPECT_EQ(clampedPosition<int64_t>(INT64_MIN, 7), 0);
  EXPECT_EQ(clampedPosition<int64_t>(-2, 7), 5);
}

TEST(Slice, ShapeTellsARange) {
  ir::test::TestContext context;
  auto module = context.parse(R"(
    func.func @f(%x: tensor<2x3x4x5xf32>) {
      %a = tsr.shape %x : (tensor<2x3x4x5xf32>) -> tensor<4xi64>
      %b = tsr.shape %x {start = -3 : i64, end = -1 : i64} : (tensor<2x3x4x5xf32>) -> tensor<2xi64>
      %c = tsr.shape %x {start = 3 : i64, end = 1 : i64} : (tensor<2x3x4x5xf32>) -> tensor<0xi64>
      return
    })");
  ASSERT_TRUE(module) << context.diagnostics();
  llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;
  module->walk([&](ShapeOp op) {
    const SliceRange<int64_t> range = shapeRange(op);
    ranges.emplace_back(range.start, range.length);
  });
  EXPECT_EQ(ranges, (llvm::SmallVector<std::pair<int64_t, int64_t>>{{0, 4}, {1, 2}, {3, 0}}));
}

}  // namespace
}  // namespace tessera::ir::spec::test
