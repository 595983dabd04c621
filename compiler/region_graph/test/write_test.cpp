// Regions as graphs: attributes decoded, constants where they belong, chains as groups.
#include "compiler/region_graph/write.h"

#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"

namespace tessera::region_graph {
namespace {

class WriteTest : public ::testing::Test {
 protected:
  /// Why not is in `why_`.
  std::unique_ptr<GraphT> write(const std::string& text, size_t chained = 0) {
    module_ = context_.parse(text);
    EXPECT_TRUE(module_) << context_.diagnostics();
    if (!module_) return nullptr;
    auto region = *module_->getOps<mlir::func::FuncOp>().begin();
    std::vector<Chain> chains;
    if (chained > 0) {
      chains.emplace_back();
      for (mlir::Operation& op : region.getBody().front()) {
        if (!llvm::isa<ir::ConstantOp>(op) && chains.back().size() < chained)
          chains.back().push_back(&op);
      }
    }
    auto graph = describeRegion(region, chains);
    if (!graph) {
      why_ = graph.error().message;
      return nullptr;
    }
    return std::move(*graph);
  }

  ir::test::TestContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::string why_;
};

TEST_F(WriteTest, PadsAreThoseOfTheSizes) {
  const auto graph = write(R"(
    func.func @r(%x: tensor<1x2x5x5xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32> {
      %y = tsr.conv %x, %w {auto_pad = "SAME_LOWER", strides = array<i64: 2, 2>} :
        (tensor<1x2x5x5xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32>
      return %y : tensor<1x4x3x3xf32>
    })");
  ASSERT_TRUE(graph) << why_;
  EXPECT_EQ(graph->name, "r");
  EXPECT_EQ(graph->arguments, (std::vector<int32_t>{0, 1}));
  ASSERT_EQ(graph->operators.size(), 1U);
  EXPECT_EQ(graph->operators[0]->inputs, (std::vector<int32_t>{0, 1}));  // No bias.
  const WindowT& window = *graph->operators[0]->attributes.AsWindow();
  EXPECT_EQ(window.kernel, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(window.pads_begin, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(window.dilations, (std::vector<int64_t>{1, 1}));
}

TEST_F(WriteTest, WindowsRoundedUpReachBehindThePads) {
  const auto graph = write(R"(
    func.func @r(%x: tensor<1x2x6xf32>) -> tensor<1x2x3xf32> {
      %y = tsr.max_pool %x {ceil_mode = 1 : i64, kernel_shape = array<i64: 3>, strides = array<i64: 2>} :
        (tensor<1x2x6xf32>) -> tensor<1x2x3xf32>
      return %y : tensor<1x2x3xf32>
    })");
  ASSERT_TRUE(graph) << why_;
  EXPECT_EQ(graph->operators[0]->attributes.AsWindow()->pads_end, std::vector<int64_t>{1});
}

TEST_F(WriteTest, OperandsThatSaySizesBecomeAttributes) {
  const auto graph = write(R"(
    func.func @r(%x: tensor<2x6x4xf32>) -> tensor<2x1x2xf32> {
      %axes = tsr.constant dense<[-2]> : tensor<1xi64> -> tensor<1xi64>
      %starts = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
      %ends = tsr.constant dense<[-100]> : tensor<1xi64> -> tensor<1xi64>
      %last = tsr.constant dense<[2]> : tensor<1xi64> -> tensor<1xi64>
      %steps = tsr.constant dense<[-2]> : tensor<1xi64> -> tensor<1xi64>
      %a = tsr.reduce_sum %x, %axes : (tensor<2x6x4xf32>, tensor<1xi64>) -> tensor<2x1x4xf32>
      %b = tsr.slice %a, %starts, %ends, %last, %steps {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} :
        (tensor<2x1x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x1x2xf32>
      return %b : tensor<2x1x2xf32>
    })");
  ASSERT_TRUE(graph) << why_;
  EXPECT_EQ(graph->tensors.size(), 3U);
  EXPECT_EQ(graph->operators[0]->attributes.AsAxes()->axes, std::vector<int64_t>{1});
  EXPECT_EQ(graph->operators[1]->attributes.AsSlice()->starts, (std::vector<int64_t>{0, 0, 3}));
  EXPECT_EQ(graph->operators[1]->attributes.AsSlice()->steps, (std::vector<int64_t>{1, 1, -2}));
}

// From the end of nothing backwards: the first element would be at -1.
TEST_F(WriteTest, ASliceOfNothingBeginsAtTheFront) {
  const auto graph = write(R"(
    func.func @r(%x: tensor<2x0xf32>) -> tensor<2x0xf32> {
      %axes = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
      %starts = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
      %ends = tsr.constant dense<[-100]> : tensor<1xi64> -> tensor<1xi64>
      %steps = tsr.constant dense<[-3]> : tensor<1xi64> -> tensor<1xi64>
      %y = tsr.slice %x, %starts, %ends, %axes, %steps {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} :
        (tensor<2x0xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x0xf32>
      return %y : tensor<2x0xf32>
    })");
  ASSERT_TRUE(graph) << why_;
  EXPECT_EQ(graph->operators[0]->attributes.AsSlice()->starts, (std::vector<int64_t>{0, 0}));
}

TEST_F(WriteTest, AChainIsAGroupWhereItsLastOperatorStands) {
  const std::string text = R"(
    func.func @r(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
      %m = tsr.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %s = tsr.add %m, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      %e = tsr.exp %s : (tensor<2x4xf32>) -> tensor<2x4xf32>
      return %e : tensor<2x4xf32>
    })";
  const auto groupsOf = [](const GraphT& graph) {
    std::vector<uint32_t> groups;
    for (const auto& op : graph.operators) groups.push_back(op->group);
    return groups;
  };
  const auto apart = write(text);
  EXPECT_EQ(groupsOf(*apart), (std::vector<uint32_t>{0, 1, 2}));
  auto fused = write(text, 2);
  EXPECT_EQ(groupsOf(*fused), (std::vector<uint32_t>{0, 0, 1}));
  ProgramT program;
  program.graphs.push_back(std::move(fused));
  const std::vector<std::byte> bytes = writeProgram(program);
  alignas(16) std::array<std::byte, 4096> memory;
  ASSERT_LE(bytes.size(), memory.size());
  std::ranges::copy(bytes, memory.begin());
  EXPECT_TRUE(readProgram(std::span(memory).first(bytes.size())));
}

TEST_F(WriteTest, ASplitIsSlicesAndInlineConstantsAreData) {
  const auto graph = write(R"(
    func.func @r(%x: tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<1x2xf32>) {
      %split = tsr.constant dense<[3, 1]> : tensor<2xi64> -> tensor<2xi64>
      %two = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
      %p:2 = tsr.split %x, %split : (tensor<4x2xf32>, tensor<2xi64>) -> (tensor<3x2xf32>, tensor<1x2xf32>)
      %y = tsr.mul %p#1, %two : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
      return %p#0, %y : tensor<3x2xf32>, tensor<1x2xf32>
    })");
  ASSERT_TRUE(graph) << why_;
  ASSERT_EQ(graph->operators.size(), 3U);
  EXPECT_EQ(graph->operators[1]->attributes.AsSlice()->starts, (std::vector<int64_t>{3, 0}));
  const auto& two = *graph->tensors[static_cast<size_t>(graph->operators[2]->inputs[1])];
  EXPECT_EQ(two.data.size(), 4U);
}

TEST_F(WriteTest, WhatCannotBeSaidIsRefusedWithTheReason) {
  EXPECT_FALSE(write(R"(
    func.func @r(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = tsr.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    })"));
  EXPECT_EQ(why_, "no region graph has this operator");
  EXPECT_FALSE(write(R"(
    func.func @r(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
      %y = tsr.relu %x : (tensor<3x?xf32>) -> tensor<3x?xf32>
      return %y : tensor<3x?xf32>
    })"));
  EXPECT_EQ(why_, "the size of dimension 1 is known at run time only");
  EXPECT_FALSE(write(R"(
    func.func @r(%x: tensor<?xf32, #tsr.layout<dims = ["batch"]>>)
        -> tensor<?xf32, #tsr.layout<dims = ["batch"]>> {
      %y = tsr.relu %x : (tensor<?xf32, #tsr.layout<dims = ["batch"]>>)
          -> tensor<?xf32, #tsr.layout<dims = ["batch"]>>
      return %y : tensor<?xf32, #tsr.layout<dims = ["batch"]>>
    })"));
  EXPECT_EQ(why_, "the size of dimension 0 ('batch') is known at run time only");
}

}  // namespace
}  // namespace tessera::region_graph
