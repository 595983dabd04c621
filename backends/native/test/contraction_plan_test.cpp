// The plan of a contraction: why regions are refused, and that layouts ask for what is emitted.
#include "backends/native/compiler/contraction/plan.h"

#include <gtest/gtest.h>

#include "backends/native/compiler/contraction/split_region.h"
#include "mlir/Parser/Parser.h"

namespace tessera::backend_native {
namespace {

using namespace mlir;
using backend_api::Declined;

class ContractionPlanTest : public testing::Test {
 protected:
  ContractionPlanTest() { context_.loadDialect<ir::TsrDialect, func::FuncDialect>(); }

  std::string reasonOf(func::FuncOp region) const {
    const auto plan = planRegion(region, cpu_);
    const auto* declined = std::get_if<Declined>(&plan);
    return declined ? declined->reason : "";
  }

  MLIRContext context_;
  CodeTarget cpu_{*lowering::makeCpuTarget("x86-64-v4")};
};

TEST_F(ContractionPlanTest, EveryRefusalHasItsReason) {
  auto module = parseSourceFile<ModuleOp>(TESSERA_REFUSED_CONTRACTIONS, &context_);
  ASSERT_TRUE(module);
  for (auto region : module->getOps<func::FuncOp>()) {
    const auto expected = region->getAttrOfType<StringAttr>("test.remark");
    ASSERT_TRUE(expected) << region.getName().str();
    EXPECT_EQ(reasonOf(region), expected.str()) << region.getName().str();
  }
}

/// Gives the operators of a function, which have plain types, those of their best plan.
void applyBestPlan(func::FuncOp region, const CodeTarget& cpu) {
  for (Operation& op : region.getBody().front().without_terminator()) {
    if (!isContraction(&op)) continue;
    SmallVector<RankedTensorType> available;
    for (const Value operand : op.getOperands())
      available.push_back(cast<RankedTensorType>(operand.getType()));
    const auto planned = plannedTypes(&op, available, cpu);
    ASSERT_FALSE(planned.empty());
    for (auto [operand, type] : llvm::zip_equal(op.getOperands(), planned.front().operands))
      operand.setType(type);
    op.getResult(0).setType(planned.front().result);
  }
}

TEST_F(ContractionPlanTest, WhatLayoutsAskForIsEmitted) {
  // Constants stand for packed weights: they are arguments of a region later.
  auto module = parseSourceString<ModuleOp>(R"(
    func.func private @few_channels(%x: tensor<1x3x8x8xf32>) -> tensor<1x20x6x6xf32> {
      %w = tsr.constant dense<1.0> : tensor<20x3x3x3xf32> -> tensor<20x3x3x3xf32>
      %0 = tsr.conv %x, %w : (tensor<1x3x8x8xf32>, tensor<20x3x3x3xf32>) -> tensor<1x20x6x6xf32>
      return %0 : tensor<1x20x6x6xf32>
    }
    func.func private @depthwise(%x: tensor<1x20x8x8xf32>) -> tensor<1x20x6x6xf32> {
      %w = tsr.constant dense<1.0> : tensor<20x1x3x3xf32> -> tensor<20x1x3x3xf32>
      %0 = tsr.conv %x, %w {group = 20 : i64} : (tensor<1x20x8x8xf32>, tensor<20x1x3x3xf32>) -> tensor<1x20x6x6xf32>
      return %0 : tensor<1x20x6x6xf32>
    }
    func.func private @blocked(%x: tensor<1x20x8x8xf32>) -> tensor<1x20x6x6xf32> {
      %w = tsr.constant dense<1.0> : tensor<20x20x3x3xf32> -> tensor<20x20x3x3xf32>
      %0 = tsr.conv %x, %w : (tensor<1x20x8x8xf32>, tensor<20x20x3x3xf32>) -> tensor<1x20x6x6xf32>
      return %0 : tensor<1x20x6x6xf32>
    }
    func.func private @grouped_positions(%x: tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32> {
      %w = tsr.constant dense<1.0> : tensor<20x10x1x1xf32> -> tensor<20x10x1x1xf32>
      %0 = tsr.conv %x, %w {group = 2 : i64} : (tensor<1x20x8x8xf32>, tensor<20x10x1x1xf32>) -> tensor<1x20x8x8xf32>
      return %0 : tensor<1x20x8x8xf32>
    }
    func.func private @few_results(%x: tensor<1x64x60x60xf32>) -> tensor<1x3x60x60xf32> {
      %w = tsr.constant dense<1.0> : tensor<3x64x1x1xf32> -> tensor<3x64x1x1xf32>
      %0 = tsr.conv %x, %w : (tensor<1x64x60x60xf32>, tensor<3x64x1x1xf32>) -> tensor<1x3x60x60xf32>
      return %0 : tensor<1x3x60x60xf32>
    }
    func.func private @three_by_three(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32> {
      %w = tsr.constant dense<1.0> : tensor<64x64x3x3xf32> -> tensor<64x64x3x3xf32>
      %0 = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
      return %0 : tensor<1x64x28x28xf32>
    }
    func.func private @three_by_three_of_planes(%x: tensor<1x64x4x28x28xf32>) -> tensor<1x64x4x28x28xf32> {
      %w = tsr.constant dense<1.0> : tensor<64x64x3x3x3xf32> -> tensor<64x64x3x3x3xf32>
      %0 = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x64x4x28x28xf32>, tensor<64x64x3x3x3xf32>) -> tensor<1x64x4x28x28xf32>
      return %0 : tensor<1x64x4x28x28xf32>
    }
    func.func private @transposed(%x: tensor<1x32x8x8xf32>) -> tensor<1x20x16x16xf32> {
      %w = tsr.constant dense<1.0> : tensor<32x20x2x2xf32> -> tensor<32x20x2x2xf32>
      %0 = tsr.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x32x8x8xf32>, tensor<32x20x2x2xf32>) -> tensor<1x20x16x16xf32>
      return %0 : tensor<1x20x16x16xf32>
    }
    func.func private @weights_of_the_run(%x: tensor<1x32x14x14xf32>, %w: tensor<48x32x3x3xf32>, %b: tensor<48xf32>) -> tensor<1x48x6x6xf32> {
      %0 = tsr.conv %x, %w, %b {strides = array<i64: 2, 2>} : (tensor<1x32x14x14xf32>, tensor<48x32x3x3xf32>, tensor<48xf32>) -> tensor<1x48x6x6xf32>
      return %0 : tensor<1x48x6x6xf32>
    }
    func.func private @transposed_weights_of_the_run(%x: tensor<1x32x8x8xf32>, %w: tensor<32x10x2x2xf32>) -> tensor<1x20x16x65xf32> {
      %0 = tsr.conv_transpose %x, %w {strides = array<i64: 2, 9>, group = 2 : i64} : (tensor<1x32x8x8xf32>, tensor<32x10x2x2xf32>) -> tensor<1x20x16x65xf32>
      return %0 : tensor<1x20x16x65xf32>
    }
    func.func private @transposed_to_few(%x: tensor<1x64x32x32xf32>) -> tensor<1x3x64x64xf32> {
      %w = tsr.constant dense<1.0> : tensor<64x3x2x2xf32> -> tensor<64x3x2x2xf32>
      %0 = tsr.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x64x32x32xf32>, tensor<64x3x2x2xf32>) -> tensor<1x3x64x64xf32>
      return %0 : tensor<1x3x64x64xf32>
    }
    func.func private @transposed_depthwise(%x: tensor<1x20x32x32xf32>) -> tensor<1x20x64x64xf32> {
      %w = tsr.constant dense<1.0> : tensor<20x1x2x2xf32> -> tensor<20x1x2x2xf32>
      %0 = tsr.conv_transpose %x, %w {strides = array<i64: 2, 2>, group = 20 : i64} : (tensor<1x20x32x32xf32>, tensor<20x1x2x2xf32>) -> tensor<1x20x64x64xf32>
      return %0 : tensor<1x20x64x64xf32>
    }
    func.func private @by_itself(%x: tensor<8x20x7x7xf32>) -> tensor<8x8x3x3xf32> {
      %0 = tsr.conv %x, %x {pads = array<i64: 1, 1, 1, 1>} : (tensor<8x20x7x7xf32>, tensor<8x20x7x7xf32>) -> tensor<8x8x3x3xf32>
      return %0 : tensor<8x8x3x3xf32>
    }
    func.func private @four_dimensions(%x: tensor<1x20x3x3x8x8xf32>) -> tensor<1x20x2x2x7x7xf32> {
      %w = tsr.constant dense<1.0> : tensor<20x20x2x2x2x2xf32> -> tensor<20x20x2x2x2x2xf32>
      %0 = tsr.conv %x, %w : (tensor<1x20x3x3x8x8xf32>, tensor<20x20x2x2x2x2xf32>) -> tensor<1x20x2x2x7x7xf32>
      return %0 : tensor<1x20x2x2x7x7xf32>
    }
    func.func private @multiplied(%x: tensor<1x20x8x8xf32>) -> tensor<1x40x8x8xf32> {
      %w = tsr.constant dense<1.0> : tensor<40x1x1x1xf32> -> tensor<40x1x1x1xf32>
      %0 = tsr.conv %x, %w {group = 20 : i64} : (tensor<1x20x8x8xf32>, tensor<40x1x1x1xf32>) -> tensor<1x40x8x8xf32>
      return %0 : tensor<1x40x8x8xf32>
    }
    func.func private @position_of_the_run(%x: tensor<1x512x4x4xf32>, %w: tensor<512x512x4x4xf32>) -> tensor<1x512x1x1xf32> {
      %0 = tsr.conv %x, %w : (tensor<1x512x4x4xf32>, tensor<512x512x4x4xf32>) -> tensor<1x512x1x1xf32>
      return %0 : tensor<1x512x1x1xf32>
    }
    func.func private @packed(%x: tensor<2x8x20xf32>) -> tensor<2x8x9xf32> {
      %w = tsr.constant dense<1.0> : tensor<20x9xf32> -> tensor<20x9xf32>
      %0 = tsr.matmul %x, %w : (tensor<2x8x20xf32>, tensor<20x9xf32>) -> tensor<2x8x9xf32>
      return %0 : tensor<2x8x9xf32>
    })",
                                            &context_);
  ASSERT_TRUE(module);
  const auto kindOf = [&](StringRef name, bool isExact = false, bool isLean = false) {
    auto region = module->lookupSymbol<func::FuncOp>(name);
    CodeTarget cpu = cpu_;
    cpu.isExact = isExact;
    cpu.isLean = isLean;
    applyBestPlan(region, cpu);
    Operation* contraction = findProduct(region);
    const auto plan = planContraction(contraction, typesOf(contraction), cpu);
    return std::get<ContractionPlan>(plan).kernel;
  };
  using lowering::ConvKind;
  EXPECT_EQ(std::get<ConvPlan>(kindOf("few_channels")).kind, ConvKind::kPlainInput);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("depthwise")).kind, ConvKind::kDepthwise);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("blocked")).kind, ConvKind::kBlocked);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("grouped_positions")).kind, ConvKind::kBanded);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("few_results")).kind, ConvKind::kRowMajor);
  EXPECT_FALSE(std::get<ConvPlan>(kindOf("blocked")).isWinograd);
  for (const char* name : {"three_by_three", "three_by_three_of_planes"}) {
    EXPECT_TRUE(std::get<ConvPlan>(kindOf(name)).isWinograd);
    EXPECT_FALSE(std::get<ConvPlan>(kindOf(name, /*isExact=*/true)).isWinograd);
    EXPECT_FALSE(std::get<ConvPlan>(kindOf(name, /*isExact=*/false, /*isLean=*/true)).isWinograd);
  }
  EXPECT_TRUE(std::get<ConvPlan>(kindOf("transposed")).shape.isTransposed);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("weights_of_the_run")).kind, ConvKind::kBlocked);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("transposed_weights_of_the_run")).kind, ConvKind::kBanded);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("transposed_to_few")).kind, ConvKind::kRowMajor);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("transposed_depthwise")).kind, ConvKind::kRowMajor);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("multiplied")).kind, ConvKind::kShuffled);
  // A value that is both operands gets two layouts.
  Operation* byItself = findProduct(module->lookupSymbol<func::FuncOp>("by_itself"));
  const RankedTensorType x = typesOf(byItself).operands.front();
  EXPECT_NE(plannedTypes(byItself, {x, x}, cpu_).front().operands[0], x);
  EXPECT_EQ(std::get<ConvPlan>(kindOf("four_dimensions")).kind, ConvKind::kBlocked);
  // Weights that each serve one position are not brought into another order.
  EXPECT_TRUE(std::get<ProductPlan>(kindOf("position_of_the_run")).shape.transB);
  EXPECT_TRUE(std::get<ProductPlan>(kindOf("packed")).shape.isBPacked);
}

TEST_F(ContractionPlanTest, SplitsOfChannelsAreOfBlocksOfOneVector) {
  auto module = parseSourceString<ModuleOp>(R"(
    !x = tensor<2x20x9xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    !y = tensor<2x10x9xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    !x8 = tensor<2x20x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
    !y8 = tensor<2x10x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
    !xRows = tensor<2x20x9xf32>
    !yRows = tensor<2x10x9xf32>
    func.func private @blocks(%x: !x) -> (!y, !y) {
      %0, %1 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (!x) -> (!y, !y)
      return %0, %1 : !y, !y
    }
    func.func private @half_a_vector(%x: !x8) -> (!y8, !y8) {
      %0, %1 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (!x8) -> (!y8, !y8)
      return %0, %1 : !y8, !y8
    }
    func.func private @rows(%x: !xRows) -> (!yRows, !yRows) {
      %0, %1 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (!xRows) -> (!yRows, !yRows)
      return %0, %1 : !yRows, !yRows
    }
    func.func private @of_rows(%x: !xRows) -> (!y, !y) {
      %0, %1 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (!xRows) -> (!y, !y)
      return %0, %1 : !y, !y
    }
    func.func private @one_to_rows(%x: !x) -> (!y, !yRows) {
      %0, %1 = tsr.split %x {axis = 1 : i64, num_outputs = 2 : i64} : (!x) -> (!y, !yRows)
      return %0, %1 : !y, !yRows
    })",
                                            &context_);
  ASSERT_TRUE(module);
  for (auto region : module->getOps<func::FuncOp>())
    EXPECT_EQ(splitOfChannels(region, 16) != nullptr, region.getName() == "blocks")
        << region.getName().str();
}

}  // namespace
}  // namespace tessera::backend_native
